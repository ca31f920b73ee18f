"""`ddr evaluate` and `ddr report` over a small real run."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trajectory import StopReason
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.support import START, draft, turn


def test_scores_are_shown_with_their_baselines_and_as_json(ddr: Ddr, explored: Path) -> None:
    done = ddr("evaluate", "last")
    assert done.code == 0, done.err
    for word in ("scripted", "blank", "generic", "shuffled_entity", "coverage", "gate"):
        assert word in done.out
    told = ddr("evaluate", RUN, "--checker", "matching", "--json").json
    assert told["evaluation"] == f"{RUN}.e2"
    competitors = {score["competitor"] for score in told["scores"]}
    assert competitors == {"scripted", "blank", "generic", "shuffled_entity"}
    assert len(told["scores"]) == 16


def test_a_report_is_written_where_it_is_wanted(ddr: Ddr, explored: Path, tmp_path: Path) -> None:
    plain = ddr("report", "last")
    assert plain.code == 0, plain.err
    assert "is not scored yet" in plain.err
    assert (explored / "reports" / f"{RUN}.html").is_file()
    ddr("evaluate", "last", "--quiet")
    page = tmp_path / "deep" / "page.html"
    told = ddr("report", "last", "--out", str(page), "--json")
    assert told.json == {"report": str(page), "run": RUN, "evaluation": f"{RUN}.e1"}
    assert "Carrier 01 exists." in page.read_text("utf-8")
    assert [p.name for p in page.parent.iterdir()] == ["page.html"]


def test_a_report_says_what_ended_after_the_run_was_judged(ddr: Ddr, explored: Path) -> None:
    ddr("evaluate", "last", "--quiet")
    assert "after the run was judged" not in ddr("report", "last").err
    with open_store(explored / "store.sqlite3") as store:
        run = store.run(RUN)
        again = store.start_trajectory(draft(run, run.entity_ids[0]))
        store.add_turn(again.id, turn(1))
        store.end_trajectory(again.id, StopReason.FINISHED, ended_at=START)
    said = ddr("report", "last").err
    assert "1 of the trajectories ended after the run was judged" in said
    assert f"ddr evaluate {RUN}" in said


def test_a_report_that_cannot_be_written_leaves_nothing(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    done = ddr("report", "last", "--out", str(tmp_path / "file" / "page.html"))
    assert done.code == 1
    assert "the report cannot be written to" in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("evaluate", "last", "--checker", "matchin"), 2, "did you mean 'matching'?"),
        (("evaluate", "nothing"), 2, f"unknown run 'nothing'; known: {RUN}"),
        (("evaluate", "last", "--checklist", "nowhere.json"), 2, "nowhere.json"),
        (("report", "nothing"), 2, f"unknown run 'nothing'; known: {RUN}"),
    ],
)
def test_a_wrong_name_lists_the_right_ones(
    ddr: Ddr, explored: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = ddr(*arguments)
    assert done.code == code
    assert said in done.err
    with open_store(explored / "store.sqlite3") as store:
        assert store.evaluations(RUN) == []
