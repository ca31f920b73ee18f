"""What is stored can be listed, looked at turn by turn, and forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trajectory import StopReason
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict

RUN = spec().id


@pytest.fixture
def stored(home: Path) -> Path:
    """A run: 01 finished at its second attempt, 02 was broken off."""
    with open_store(home / "store.sqlite3") as store:
        run = spec()
        store.add_run(run)
        broken = store.start_trajectory(draft(run))
        store.add_turn(broken.id, turn(1, "broken"))
        for entity_id, turns in (("01", 2), ("02", 1)):
            mine = store.start_trajectory(draft(run, entity_id))
            for index in range(1, turns + 1):
                store.add_turn(mine.id, turn(index, f"look {index}", result="long " * 600))
                store.add_insight(insight(mine.id, index, f"Fact {index} about {entity_id}."))
            if entity_id == "01":
                store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
        store.add_evaluation(evaluation(run))
        store.add_verdicts([verdict(f"{run.id}.01.1.2")])
    return home


def test_without_a_store_there_are_no_runs_and_none_is_made(ddr: Ddr, home: Path) -> None:
    assert "no runs yet" in ddr("runs").out
    assert ddr("runs", "--json").json == {"runs": []}
    assert not (home / "store.sqlite3").exists()


def test_runs_are_listed_with_how_far_they_are(ddr: Ddr, stored: Path) -> None:
    assert RUN in ddr("runs").out
    assert ddr("runs", "--json").json["runs"] == [
        {
            "run": RUN,
            "created_at": START.isoformat(),
            "scenario": "small",
            "agent": "scripted",
            "class": "built-in",
            "imported": None,
            "model": None,
            "protocol": "default",
            "goal": "none",
            "calls": 0,
            "usage": None,
            "known_cost_usd": None,
            "calls_without_cost": 0,
            "done": 1,
            "wanted": 2,
            "turns": 4,
            "state": "to resume",
            "evaluations": 1,
        }
    ]


def test_a_run_is_shown_by_the_attempts_that_count(ddr: Ddr, stored: Path) -> None:
    done = ddr("show", "last")
    assert "(1 earlier attempt is kept beside these)" in done.out
    assert "broken off" in done.out
    told = ddr("show", "2026", "--json").json
    assert (told["attempts"], told["turns"], told["done"]) == (3, 4, 1)
    assert told["stop_reasons"] == {"finished": 1, "broken off": 1}
    outlines = [(t["entity"], t["attempt"], t["turns"]) for t in told["trajectories"]]
    assert outlines == [("01", 2, 2), ("02", 1, 1)]


def test_a_trajectory_is_shown_turn_by_turn_with_long_answers_cut(ddr: Ddr, stored: Path) -> None:
    done = ddr("show", RUN, "01")
    assert "turn 2" in done.out
    assert "* Fact 2 about 01." in done.out
    assert "… (3000 characters)" in done.out
    assert "broken" not in done.out
    assert len(ddr("show", RUN, "01", "--json").json["turns"]) == 2


def test_a_turn_is_shown_whole(ddr: Ddr, stored: Path) -> None:
    done = ddr("show", "last", "01", "2")
    assert "long " * 600 in done.out
    assert "turn 1" not in done.out
    assert ddr("show", "last", "01", "2", "--json").json["text"] == "look 2"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "nothing"), f"unknown run 'nothing'; known: {RUN}"),
        (("show", "last", "03"), "'03'"),
        (("show", "last", "2"), "unknown entity in trial 1 of this run '2' (did you mean '02'?)"),
        (("show", "last", "01", "3"), "unknown turn '3'; known: 1, 2"),
        (("show", "last", "01", "--trial", "2"), "trial 2"),
        (("delete", "nothing"), "unknown run 'nothing'"),
    ],
)
def test_what_is_not_there_lists_what_is(
    ddr: Ddr, stored: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = ddr(*arguments)
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize("command", ["show", "evaluate", "report", "delete"])
def test_without_any_run_the_next_step_is_named(ddr: Ddr, home: Path, command: str) -> None:
    done = ddr(command, "last")
    assert done.code == 2
    assert "there are no runs here yet" in done.err
    assert f"DDR_HOME={home} ddr demo" in done.err


def test_with_quiet_an_answer_stands_without_remarks(ddr: Ddr, stored: Path) -> None:
    said = ddr("show", "last", "--quiet")
    assert RUN in said.out
    assert said.err == ""


def test_a_deleted_run_is_gone_with_its_lock_and_its_report(ddr: Ddr, stored: Path) -> None:
    report = stored / "reports" / f"{RUN}.html"
    report.parent.mkdir()
    report.touch()
    assert ddr("delete", "last").code == 2, "nobody is there to be asked"
    assert ddr("delete", "last", "--yes", "--json").json == {"deleted": RUN}
    assert ddr("runs", "--json").json == {"runs": []}
    assert list((stored / "locks").iterdir()) == []
    assert not report.exists()


def test_a_damaged_store_is_told_in_one_line(ddr: Ddr, home: Path) -> None:
    home.mkdir(mode=0o700)
    (home / "store.sqlite3").write_bytes(b"not a database at all" * 100)
    done = ddr("runs")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "is damaged" in done.err
