"""Ctrl-C in a run with a model: once lets the open call end and keeps it, twice drops it."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable

import pytest

from core.trajectory import StopReason, Trajectory
from tests.e2e.processes import Home, last_line
from tests.support.endpoint import Hang, Request, ScriptedEndpoint, Step, call, say

pytestmark = pytest.mark.real

WAIT_S = 60.0
QUERY = "SELECT count(*) AS n FROM flights"


def begin(home: Home, endpoint: ScriptedEndpoint, entities: str = "01,02") -> subprocess.Popen[str]:
    """A run whose second request is open."""
    process = home.start(
        *("run", "--scenario", "flights", "--entities", entities, "--tools", "sql"),
        *("--model", "openai/anything", "--base-url", endpoint.openai_url),
        *("--insights", "none", "--json"),
    )
    home.wait_until(lambda _store: len(endpoint.requests) == 2, process)
    return process


def second(step: Step, held: threading.Event | None = None) -> Callable[[Request], Step]:
    """The first request gets a call, the second this (once `held` is set), every other the finish."""

    def answer(request: Request) -> Step:
        if request.number == 2 and held is not None:
            held.wait(WAIT_S)
        if request.number == 1:
            return call("execute_query", query=QUERY)
        return step if request.number == 2 else say("FINISH: done")

    return answer


def heard(process: subprocess.Popen[str]) -> str:
    """What it said until it had understood the first Ctrl-C."""
    assert process.stderr is not None
    said = ""
    while "Ctrl-C again drops them" not in said:
        line = process.stderr.readline()
        assert line, f"it ended: {said}"
        said += line
    return said


def only(home: Home) -> Trajectory:
    with home.store() as store:
        (found,) = store.all_attempts(store.run("last").id)
    return found


def test_the_first_ctrl_c_lets_the_open_call_end_and_keeps_its_turn(home: Home) -> None:
    held = threading.Event()
    late = say(None, calls=call("execute_query", query=QUERY).calls)
    with ScriptedEndpoint(second(late, held)) as endpoint:
        process = begin(home, endpoint)
        process.send_signal(signal.SIGINT)
        heard(process)
        held.set()
        out, err = process.communicate(timeout=WAIT_S)
        assert process.returncode == 130, err
        assert "Stored: 0 of 2 explored to their end, 2 turns in all" in err
        assert len(endpoint.requests) == 2
    assert last_line(out)["interrupted"] is True
    found = only(home)
    assert (found.entity_id, found.stop_reason) == ("01", StopReason.CANCELLED)
    assert [turn.index for turn in found.turns] == [1, 2]
    assert found.turns[1].call is not None, "what was paid for is in the books"


def test_the_second_ctrl_c_drops_it(home: Home) -> None:
    with ScriptedEndpoint(second(Hang())) as endpoint:
        process = begin(home, endpoint)
        process.send_signal(signal.SIGINT)
        heard(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    found = only(home)
    assert (found.stop_reason, len(found.turns)) == (StopReason.CANCELLED, 1)


def test_progress_says_what_is_waited_for(home: Home) -> None:
    with ScriptedEndpoint(second(Hang())) as endpoint:
        process = begin(home, endpoint, entities="01")
        assert process.stderr is not None
        line = ""
        while not ("1 turn; 1 call; " in line and "waiting: 1 for the model" in line):
            line = process.stderr.readline()
            assert line, "it ended without a word"
        process.kill()
        process.communicate()
    assert " tokens" in line
