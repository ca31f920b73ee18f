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
    assert competitors == {"scripted", "blank", "generic", "population", "shuffled_entity"}
    assert len(told["scores"]) == 20
    beyond = {
        (each["other"], each["level"], each["averaging"]) for each in told["beyond_baselines"]
    }
    assert len(beyond) == 3 * 4
    assert told["overall"]["weights"]["flights, message, item"] == 0.25
    assert set(told["by"]) == {"category", "difficulty", "insight_type"}
    assert "asks no model" in told["no_closed_book"]


def test_baselines_are_chosen_by_name(ddr: Ddr, explored: Path) -> None:
    told = ddr("evaluate", "last", "--baselines", "population", "--json").json
    assert {s["competitor"] for s in told["scores"]} == {"scripted", "blank", "population"}
    assert {
        s["competitor"]
        for s in ddr("evaluate", "last", "--baselines", "none", "--json").json["scores"]
    } == {"scripted"}
    wrong = ddr("evaluate", "last", "--baselines", "popular")
    assert wrong.code == 2
    assert "population" in wrong.err
    missing = ddr("evaluate", "last", "--baselines", "closed-book")
    assert missing.code == 2
    assert "asks no model" in missing.err


def test_evaluations_that_rest_on_something_else_are_named_apart(ddr: Ddr, explored: Path) -> None:
    ddr("evaluate", "last", "--quiet")
    with open_store(explored / "store.sqlite3") as store:
        (first, *_) = store.evaluations(RUN)
        store.add_evaluation(
            first.model_copy(update={"id": f"{RUN}.e0", "checker": "llm", "judges_asked": ("m",)})
        )
    told = ddr("evaluate", "last")
    assert f"not to be compared with {RUN}.e0: checker: matching" in told.out
    assert "judges asked: none" in told.out


def test_a_report_is_written_where_it_is_wanted(ddr: Ddr, explored: Path, tmp_path: Path) -> None:
    plain = ddr("report", "last")
    assert plain.code == 0, plain.err
    assert "is not scored yet" in plain.err
    assert (explored / "reports" / f"{RUN}.html").is_file()
    ddr("evaluate", "last", "--quiet")
    page = tmp_path / "deep" / "page.html"
    told = ddr("report", "last", "--out", str(page), "--json")
    told_of = {"report": str(page), "run": RUN, "class": "built-in", "evaluation": f"{RUN}.e1"}
    assert told.json == told_of
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


def test_a_report_names_what_is_not_comparable_and_its_overall_figure(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    ddr("evaluate", "last", "--quiet")
    with open_store(explored / "store.sqlite3") as store:
        (first, *_) = store.evaluations(RUN)
        store.add_evaluation(
            first.model_copy(
                update={
                    "id": f"{RUN}.e2",
                    "checker": "llm",
                    "judges_asked": ("m",),
                    "criteria": "lenient",
                }
            )
        )
    page = tmp_path / "page.html"
    assert ddr("report", "last", "--out", str(page)).code == 0
    text = page.read_text("utf-8")
    assert f"Evaluation {RUN}.e1 of this run stands in no column here" in text
    assert f"criteria: lenient ({RUN}.e2) against strict ({RUN}.e1)" in text
    assert "No closed-book baseline." in text


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
