"""A job of full size is killed ten times at moments drawn by chance, and resumed: nothing lost, doubled or mixed."""

from __future__ import annotations

import os
import random
import re
import signal
import threading
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import pytest

from bench.sensors.builder import SENSORS, register
from core.trajectory import StopReason, Trajectory
from databases.build import build_manifest
from databases.manifest import read_manifest
from tests.e2e.processes import ROOT, Home, Process, descendants, last_line, left_of
from tests.e2e.warm import Warm
from tests.support.endpoint import Call, Request, ScriptedEndpoint, Step, Tokens, say

pytestmark = pytest.mark.real

KILLS = 10
CONCURRENCY = 16
LATENCY_S = 0.2
TURNS = 3
"""Of an entity: so few that the ten lives and the deaths between them last a minute."""
CALLS = SENSORS * (2 * TURNS + 1)
"""What the run takes if nobody disturbs it."""
CHANCE = random.Random(10)
MOMENTS = [CHANCE.randint(5, 65) for _ in range(KILLS)]
"""After how many further requests each life is ended."""
DEADLINE_S = 240.0
NUMBER = re.compile(r"request (\d+)")


class Numbered:
    """Each reply names its request's number and takes as many tokens: it can be known again."""

    def __init__(self) -> None:
        self.seen: dict[int, Request] = {}
        self._left = 0
        self.reached = threading.Event()

    def end_after(self, requests: int) -> None:
        """Set `reached` with the so manieth request from now on."""
        self.reached.clear()
        self._left = requests

    def __call__(self, request: Request) -> Step:
        self.seen[request.number] = request
        self._left -= 1
        if self._left == 0:
            self.reached.set()
        tokens = Tokens(input=1000 + request.number, output=request.number)
        told = f"request {request.number}"
        if not request.tools:
            return say(f"An insight of {told}.", tokens=tokens)
        if request.replies == TURNS:
            return say(f"FINISH: The report of {told}.", tokens=tokens)
        query = f"SELECT count(*) + {request.number} AS n FROM readings"
        return say(
            f"This is {told}.", calls=[Call("execute_query", {"query": query})], tokens=tokens
        )


@dataclass(frozen=True)
class Survived:
    """The run after its ten deaths."""

    answer: dict[str, Any]
    attempts: list[Trajectory]
    script: Numbered
    begun: list[list[Process]]
    """Of each life, the processes that it had started when it was ended."""
    left: list[Process]
    """Of those, the ones that outlived it."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """With the benchmark's scenario of 64 entities."""
    folder = tmp_path_factory.mktemp("kills")
    built = folder / "built"
    build_manifest(read_manifest(ROOT / "bench" / "sensors" / "scenario.toml"), built)
    made = Home(folder, built)
    made.environment["PYTHONPATH"] = f"{register(folder / 'plugins')}:{ROOT}"
    return made


@pytest.fixture(scope="module")
def survived(home: Home) -> Survived:
    assert sum(MOMENTS) < 0.9 * CALLS, "it could end before it is killed for the last time"
    script, begun, left = Numbered(), [], []
    with ScriptedEndpoint(script, latency_s=LATENCY_S) as endpoint, Warm(home) as warm:
        asked = ("run", "--scenario", "sensors", "--tools", "sql")
        named = ("--model", "openai/anything", "--base-url", endpoint.openai_url)
        command: tuple[str, ...] = (*asked, *named, "--concurrency", str(CONCURRENCY))
        for moment in MOMENTS:
            script.end_after(moment)
            pid = warm.start(*command)
            assert script.reached.wait(DEADLINE_S), warm.said()
            begun.append(descendants(pid))
            os.kill(pid, signal.SIGKILL)
            code, _ = warm.ended()
            assert code is None, warm.said()
            left += left_of(begun[-1])
            command = ("run", "--resume", "last")
        warm.start(*command, "--json")
        code, out = warm.ended()
        assert code == 0, warm.said()
    with home.store() as store:
        attempts = store.all_attempts(store.run("last").id)
    return Survived(last_line(out), attempts, script, begun, left)


def _by_key(survived: Survived) -> dict[tuple[str, int], list[Trajectory]]:
    found: dict[tuple[str, int], list[Trajectory]] = defaultdict(list)
    for attempt in survived.attempts:
        found[attempt.entity_id, attempt.trial].append(attempt)
    return found


def _number(text: str) -> int:
    found = NUMBER.search(text)
    assert found, text
    return int(found[1])


def _calls(attempt: Trajectory) -> list[int]:
    """The requests behind all that is stored of an attempt."""
    texts = [turn.text for turn in attempt.turns]
    return [_number(text or "") for text in [*texts, *(i.text for i in attempt.insights)]]


def test_every_entity_and_trial_is_explored_whole_exactly_once(survived: Survived) -> None:
    by_key = _by_key(survived)
    assert len(by_key) == survived.answer["done"] == SENSORS
    for attempts in by_key.values():
        assert [each.attempt for each in attempts] == list(range(1, len(attempts) + 1))
        *broken, last = attempts
        assert {each.stop_reason for each in broken} <= {None}
        assert last.stop_reason is StopReason.FINISHED
        assert [turn.index for turn in last.turns] == list(range(1, TURNS + 1))
        assert [i.turn for i in last.message_insights] == list(range(1, TURNS + 1))
        assert last.report


def test_the_kills_struck_in_mid_work(survived: Survived) -> None:
    broken = [each for each in survived.attempts if each.stop_reason is None]
    assert len(broken) >= KILLS
    assert any(each.turns for each in broken)
    assert len(survived.script.seen) > CALLS


def test_nothing_that_a_killed_run_had_started_outlives_it(survived: Survived) -> None:
    assert all(survived.begun), "the tools were in no process of their own"
    assert survived.left == []


def test_what_a_broken_attempt_left_is_its_beginning(survived: Survived) -> None:
    for attempt in survived.attempts:
        assert [t.index for t in attempt.turns] == list(range(1, len(attempt.turns) + 1))
        told = [i.turn for i in attempt.message_insights]
        assert told in ([t.index for t in attempt.turns], [t.index for t in attempt.turns[:-1]])
        assert {i.trajectory_id for i in attempt.insights} <= {attempt.id}


def test_no_answer_is_stored_twice(survived: Survived) -> None:
    stored = [number for attempt in survived.attempts for number in _calls(attempt)]
    assert len(stored) == len(set(stored))


def test_the_turns_of_two_attempts_are_never_mixed(survived: Survived) -> None:
    """What the endpoint saw before a turn is what the same attempt has stored before it."""
    for attempt in survived.attempts:
        for place, turn in enumerate(attempt.turns):
            request = survived.script.seen[_number(turn.text or "")]
            assert f"found by its id: {attempt.entity_id}" in request.text
            before = [m.text for m in request.messages if m.role == "assistant"]
            assert before == [earlier.text for earlier in attempt.turns[:place]]


def test_tokens_are_summed_over_all_attempts(survived: Survived) -> None:
    stored = [number for attempt in survived.attempts for number in _calls(attempt)]
    usage = survived.answer["usage"]
    assert usage["output_tokens"] == sum(stored)
    assert usage["input_tokens"] == sum(stored) + 1000 * len(stored)
    assert len(stored) > CALLS
    assert survived.answer["turns"] == sum(len(each.turns) for each in survived.attempts)
    assert survived.answer["attempts"] == len(survived.attempts)


def test_time_is_summed_over_all_attempts_and_not_over_the_pauses(survived: Survived) -> None:
    spent = 0.0
    for attempt in survived.attempts:
        ends = [attempt.ended_at] if attempt.ended_at else []
        worked = sum(turn.duration_s for turn in attempt.turns)
        if ends:
            took = (ends[0] - attempt.started_at).total_seconds()
        elif attempt.turns:
            last = attempt.turns[-1]
            took = (last.started_at - attempt.started_at).total_seconds() + last.duration_s
        else:
            took = 0.0
        assert took >= worked - 0.01
        spent += took
    assert survived.answer["active_s"] == pytest.approx(spent, abs=0.01)
