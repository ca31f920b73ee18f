"""A real process is killed, interrupted or joined in mid-run; nothing is lost or doubled."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from core.trajectory import StopReason, Trajectory
from server.store import Repository
from tests.e2e.processes import Home, last_line
from tests.server.agents import TURNS

pytestmark = pytest.mark.real

AGENT = "tests.server.agents:GatedAgent"
RUN = ("run", "--scenario", "flights", "--agent", AGENT, "--entities", "01,02,03", "--tools", "sql")


def _begin(home: Home) -> subprocess.Popen[str]:
    """A run that stands in the middle of its second entity."""

    def stands(store: Repository) -> bool:
        attempts = store.all_attempts(store.run("last").id)
        return any(t.entity_id == "02" and len(t.message_insights) == 3 for t in attempts)

    process = home.start(*RUN)
    home.wait_until(stands, process)
    return process


def _attempts(home: Home) -> list[Trajectory]:
    with home.store() as store:
        return store.all_attempts(store.run("last").id)


def _shape(attempts: list[Trajectory]) -> list[tuple[str, int, int, StopReason | None]]:
    return [(t.entity_id, t.attempt, len(t.turns), t.stop_reason) for t in attempts]


def test_a_run_that_was_killed_goes_on_with_nothing_lost_or_doubled(home: Home, gate: Path) -> None:
    """F52, with a real `kill -9`."""
    process = _begin(home)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = _attempts(home)
    assert _shape(before) == [
        ("01", 1, TURNS, StopReason.FINISHED),
        ("02", 1, 3, None),
    ]

    gate.touch()
    resumed = home.ddr("run", "--resume", "last", "--json")
    assert resumed.returncode == 0, resumed.stderr
    after = _attempts(home)
    assert _shape(after) == [
        ("01", 1, TURNS, StopReason.FINISHED),
        ("02", 1, 3, None),
        ("02", 2, TURNS, StopReason.FINISHED),
        ("03", 1, TURNS, StopReason.FINISHED),
    ]
    # What was there is there, byte for byte: the finished entity and the broken attempt alike.
    assert [t.model_dump_json() for t in after[:2]] == [t.model_dump_json() for t in before]
    fresh = after[2]
    assert [t.index for t in fresh.turns] == list(range(1, TURNS + 1))
    assert {i.trajectory_id for i in fresh.insights} == {fresh.id}

    answer = last_line(resumed.stdout)
    assert (answer["done"], answer["attempts"], answer["turns"]) == (3, 4, 3 * TURNS + 3)
    assert [t["attempt"] for t in answer["trajectories"]] == [1, 2, 1]

    again = home.ddr("run", "--resume", answer["run"], "--json")
    assert again.returncode == 0
    assert [t.model_dump_json() for t in _attempts(home)] == [t.model_dump_json() for t in after]


def test_ctrl_c_says_what_is_stored_and_how_to_go_on(home: Home, gate: Path) -> None:
    process = _begin(home)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    with home.store() as store:
        run_id = store.run("last").id
    assert "Stored: 1 of 3 explored to their end, 9 turns in all" in said
    assert f"ddr run --resume {run_id}" in said
    assert "Traceback" not in said
    assert _shape(_attempts(home))[1] == ("02", 1, 3, StopReason.CANCELLED)

    gate.touch()
    resumed = home.ddr("run", "--resume", run_id, "--quiet")
    assert resumed.returncode == 0
    assert resumed.stderr == ""
    assert [(t.entity_id, t.attempt) for t in _attempts(home)] == [
        ("01", 1),
        ("02", 1),
        ("02", 2),
        ("03", 1),
    ]


def test_a_second_process_on_the_same_run_is_refused_and_does_no_harm(
    home: Home, gate: Path
) -> None:
    process = _begin(home)
    second = home.ddr("run", "--resume", "last")
    assert second.returncode == 1
    assert f"is being worked on by another process (pid {process.pid})" in second.stderr
    deleted = home.ddr("delete", "last", "--yes")
    assert deleted.returncode == 1
    assert "is being worked on" in deleted.stderr
    assert '"state": "running"' in home.ddr("runs", "--json").stdout
    assert _shape(_attempts(home))[1] == ("02", 1, 3, None)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
