"""An evaluation by an endpoint that fails as real ones do is killed twice, interrupted and resumed: nothing lost or doubled."""

from __future__ import annotations

import os
import random
import shutil
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench.evaluate import served
from bench.judge_server import Habits
from bench.stations import RUN, Size, furnish
from core.evaluation import Verdict
from tests.e2e.processes import Home, last_line
from tests.e2e.warm import Warm

pytestmark = pytest.mark.real

SIZE = Size(entities=10, items=6)
CONCURRENCY = 4
CHANCE = random.Random(51)
MOMENTS = (CHANCE.randint(20, 40), CHANCE.randint(55, 75), CHANCE.randint(90, 110))
"""At which request each of the first three lives is ended."""
ENDS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT)
CODES = (None, None, 130)
"""How such a life ends: the exit code, None where it was killed."""
HABITS = Habits(service_s=(0.02, 0.06), timeout_s=4.0, malformed=0.08, hung=0.03, moments=MOMENTS)


@dataclass
class Judged:
    """What was stored and counted."""

    after_kills: list[int] = field(default_factory=list)
    """Verdicts that were stored when a life was ended."""
    killed: list[Verdict] = field(default_factory=list)
    """Of the evaluation that was ended three times."""
    calm: list[Verdict] = field(default_factory=list)
    """Of one that nobody disturbed."""
    counted: dict[str, Any] = field(default_factory=dict)
    """By the judge of the first."""
    counted_calm: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)
    answer_calm: dict[str, Any] = field(default_factory=dict)


def _command(url: str, *more: str) -> list[str]:
    judge = ["--judge", "openai/judge", "--base-url", url, "--uncalibrated", "--baselines", "none"]
    return ["evaluate", RUN, *judge, "--concurrency", str(CONCURRENCY), "--timeout", "4", *more]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    folder = tmp_path_factory.mktemp("judging")
    furnish(folder / "built", SIZE)
    home = Home(folder, folder / "built")
    _copy(folder / "built", home.path)
    found = Judged()
    with Warm(home) as warm:
        with served(HABITS) as judge:
            for end, code in zip(ENDS, CODES, strict=True):
                pid = warm.start(*_command(judge.url))
                assert judge.line() == "moment", warm.said()
                os.kill(pid, end)
                assert warm.ended()[0] == code, warm.said()
                found.after_kills.append(len(_verdicts(home)[0]))
            found.answer = _whole(warm, judge.url)
            found.counted = judge.counted()
        with served(HABITS) as judge:
            # --afresh: what the first has heard is not recalled.
            found.answer_calm = _whole(warm, judge.url, "--afresh")
            found.counted_calm = judge.counted()
    found.killed, found.calm = _verdicts(home)
    return found


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source / "checklists", target / "checklists")
    for file in source.glob("store.sqlite3*"):
        shutil.copy(file, target)


def _whole(warm: Warm, url: str, *more: str) -> dict[str, Any]:
    warm.start(*_command(url, "--json", *more))
    code, out = warm.ended()
    assert code == 0, warm.said()
    answer: dict[str, Any] = last_line(out)
    return answer


def _verdicts(home: Home) -> list[list[Verdict]]:
    with home.store() as store:
        return [store.verdicts(each.id) for each in store.evaluations(RUN)]


def _key(verdict: Verdict) -> tuple[str, str]:
    return verdict.item_id, verdict.level


def test_each_life_was_ended_in_mid_work(judged: Judged) -> None:
    first, second, third = judged.after_kills
    assert 0 < first < second < third < SIZE.questions
    assert judged.counted["requests"] > SIZE.questions


def test_the_endpoint_failed_as_it_should(judged: Judged) -> None:
    for counted in (judged.counted, judged.counted_calm):
        assert counted["fates"].keys() == {"answered", "refused", "malformed", "hung"}
        assert counted["questions"] == SIZE.questions


def test_there_is_one_verdict_for_each_item_and_level_and_all_are_scored(judged: Judged) -> None:
    for verdicts in (judged.killed, judged.calm):
        assert len({_key(verdict) for verdict in verdicts}) == len(verdicts) == SIZE.questions
        assert all(verdict.label is not None for verdict in verdicts)


def test_no_more_requests_are_made_again_than_were_under_way(judged: Judged) -> None:
    assert judged.counted_calm["asked_again"] == 0
    assert judged.counted["asked_again"] <= len(MOMENTS) * CONCURRENCY
    assert judged.counted["most_at_once"] <= CONCURRENCY
    assert 1 < judged.counted_calm["most_at_once"] <= CONCURRENCY


def test_what_was_paid_for_and_kept_is_paid_for_once(judged: Judged) -> None:
    """Every stored call was answered by the judge, and no answer stands in two verdicts."""
    usages = [verdict.call.usage for verdict in judged.killed if verdict.call]
    assert len(usages) == SIZE.questions
    stored = sum(usage.input_tokens or 0 for usage in usages)
    assert 0 < stored <= judged.counted["input_tokens"]
    calm = sum(v.call.usage.input_tokens or 0 for v in judged.calm if v.call)
    assert calm == judged.counted_calm["input_tokens"]


def test_the_scores_are_those_of_a_pass_that_nobody_disturbed(judged: Judged) -> None:
    told = [
        {
            _key(v): (v.label, v.supporting_turns, v.contradicting_turns, v.evidence)
            for v in verdicts
        }
        for verdicts in (judged.killed, judged.calm)
    ]
    assert told[0] == told[1]
    assert judged.answer["scores"] == judged.answer_calm["scores"]
    assert judged.answer["evaluation"] != judged.answer_calm["evaluation"]
