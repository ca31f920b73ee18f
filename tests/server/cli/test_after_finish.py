"""`ddr stopping --after-finish`: a script goes on where it had ended, in a run of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checklists.loader import checklist_for
from core.trajectory import StopReason
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.cli.test_judging import NO, judge
from tests.server.cli.test_run_models import DONE, QUERY, explore, script

pytestmark = pytest.mark.real  # whole runs with models

QUERY_2 = {**QUERY, "text": "I count again."}
END = {"text": "FINISH: It flies on.", "usage": DONE["usage"]}


def answers(entity: str = "01") -> list[str]:
    """What the matching checker takes for facts of this carrier."""
    return [item.answer for item in checklist_for("flights").of(entity)]


def insight(text: str) -> dict[str, Any]:
    return {"role": "insight", "text": text}


@pytest.fixture
def judged(ddr: Ddr, built_home: Path, tmp_path: Path) -> str:
    """A run of carrier 01: one turn with a fact, then FINISH; its script has two turns more."""
    facts = answers()
    model = script(
        tmp_path, QUERY, DONE, QUERY_2, QUERY, END,
        insight(facts[0]), insight("NO INSIGHT"), insight(facts[1]),
    )  # fmt: skip
    run = explore(ddr, "--model", model).json["run"]
    assert ddr("evaluate", run, "--baselines", "none", "--quiet").code == 0
    return str(run)


def test_it_tells_what_further_turns_found_that_was_not_known(
    ddr: Ddr, built_home: Path, judged: str
) -> None:
    with open_store(built_home / "store.sqlite3") as store:
        original = store.trajectories(judged)
    done = ddr("stopping", judged, "--after-finish", "5", "--json")
    assert done.code == 0, done.err
    (told,) = done.json["runs"]
    (onward,) = told["after_finish"]
    gain = onward["gain"]
    items = len(answers())
    assert (gain["offered"], gain["taken"], gain["trajectories"]) == (5, 2, 1)
    assert (gain["stopped_again"], gain["stopped_at_once"], gain["left_out"]) == (1, 0, 0)
    assert gain["before"] == pytest.approx(1 / items)
    values = [point["value"] for point in gain["points"]]
    assert values == pytest.approx([0, *[1 / items] * 4])
    assert gain["per_turn"] == pytest.approx(1 / items / 2)
    with open_store(built_home / "store.sqlite3") as store:
        assert store.trajectories(judged) == original, "the original is only read"
        run = store.run(onward["run"])
        (new,) = store.trajectories(run.id)
    assert run.continues is not None and run.continues.run_id == judged
    assert (run.limits.max_turns, run.entity_ids) == (5, ("01",))
    assert [turn.text for turn in new.turns] == ["I count again.", "I count."]
    assert (new.stop_reason, new.report) == (StopReason.FINISHED, "It flies on.")
    assert new.preamble is not None and new.preamble.before is not None
    assert new.preamble.before.trajectory_id == original[0].id
    shown = ddr("stopping", judged).out
    assert "did it stop too early? nobody knows: one cluster" in shown


def test_asked_again_it_explores_and_judges_nothing_again(
    ddr: Ddr, built_home: Path, judged: str, tmp_path: Path
) -> None:
    first = ddr("stopping", judged, "--after-finish", "5", "--json").json
    out = tmp_path / "gain.json"
    again = ddr("stopping", judged, "--after-finish", "5", "--json", "--out", str(out)).json
    assert again["runs"] == first["runs"]
    assert "accuracy_gained" in out.read_text()
    with open_store(built_home / "store.sqlite3") as store:
        runs = store.runs()
        assert len(runs) == 2
        assert [len(store.evaluations(run.id)) for run in runs] == [1, 1]


def test_turns_that_are_used_up_end_it_as_a_limit_does(ddr: Ddr, judged: str) -> None:
    told = ddr("stopping", judged, "--after-finish", "1", "--json").json["runs"][0]
    gain = told["after_finish"][0]["gain"]
    assert (gain["taken"], gain["stopped_again"]) == (1, 0)
    assert gain["answer"] == "no: 1 more turn found nothing that was not known"


def test_one_that_was_broken_off_goes_on_like_any_run(
    ddr: Ddr, built_home: Path, judged: str
) -> None:
    run = ddr("stopping", judged, "--after-finish", "5", "--json").json["runs"][0]["after_finish"]
    name = run[0]["run"]
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run(name)
        store.delete_run(name)
        store.add_run(spec)
    done = ddr("run", "--resume", name, "--json")
    assert done.code == 0, done.err
    assert (done.json["continues"], done.json["turns"]) == (judged, 2)
    told = ddr("stopping", judged, "--after-finish", "5", "--json").json["runs"][0]
    assert told["after_finish"][0]["gain"]["taken"] == 2


def test_without_what_it_goes_on_from_it_does_not_go_on(
    ddr: Ddr, built_home: Path, judged: str
) -> None:
    told = ddr("stopping", judged, "--after-finish", "5", "--json").json["runs"][0]
    name = told["after_finish"][0]["run"]
    assert f"going on from run {judged}" in ddr("show", name).out
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run(name)
        for run in (name, judged):
            store.delete_run(run)
        store.add_run(spec)
    done = ddr("run", "--resume", name)
    assert done.code == 1
    assert f"goes on from run {judged}" in done.err and "not stored any more" in done.err


def test_what_it_would_take_is_told_before(ddr: Ddr, built_home: Path, judged: str) -> None:
    done = ddr("stopping", judged, "--after-finish", "4", "--estimate", "--json")
    assert done.code == 0, done.err
    told = done.json["estimates"][judged]
    # Each of the two calls of the original took 1,000 tokens in, 100 out: it does not grow.
    assert (told["agent"]["calls"], told["agent"]["input_tokens"]) == (4, 4000)
    assert told["agent"]["output_tokens"] == 400
    assert told["insight"]["calls"] == 4
    with open_store(built_home / "store.sqlite3") as store:
        assert len(store.runs()) == 1


def test_what_cannot_be_gone_on_from_is_refused_with_the_reason(
    ddr: Ddr, built_home: Path, judged: str, explored: Path, tmp_path: Path
) -> None:
    name = ddr("stopping", judged, "--after-finish", "1", "--json").json["runs"][0]
    onward = name["after_finish"][0]["run"]
    done = ddr("stopping", onward, "--after-finish", "1")
    assert done.code == 2 and f"it goes on from run {judged} itself" in done.err
    done = explore(ddr, "--model", f"replay:{onward}")
    assert done.code == 2 and "no beginning that could be replayed" in done.err
    done = ddr("stopping", "20260131-flights-ab12", "--after-finish", "1")
    assert done.code == 2 and "only the agent react" in done.err
    never = script(tmp_path, QUERY, {**QUERY, "repeat": True}, name="never.jsonl")
    run = explore(ddr, "--model", never, "--limits", "max_turns=2").json["run"]
    done = ddr("stopping", run, "--after-finish", "1")
    assert done.code == 2 and "none of its trajectories has ended by itself" in done.err
    done = ddr("stopping", judged, run, "--after-finish", "1", "--budget-usd", "1")
    assert done.code == 2 and "one at a time" in done.err
    done = ddr("stopping", judged, "--after-finish", "1", "--budget-usd", "1")
    assert done.code == 0, "what is explored and judged already costs nothing"
    done = ddr("stopping", judged, "--after-finish", "9", "--budget-usd", "1")
    assert done.code == 2 and "there is no price for scripted:" in done.err
    done = ddr("stopping", judged, "--estimate")
    assert done.code == 2 and "--after-finish N" in done.err


def test_what_goes_on_stands_in_no_column_with_what_began(ddr: Ddr, judged: str) -> None:
    told = ddr("stopping", judged, "--after-finish", "5", "--json").json["runs"][0]
    onward = told["after_finish"][0]["run"]
    done = ddr("diff", judged, onward)
    assert done.code == 2 and "goes on from another run" in done.err


@pytest.mark.parametrize("criteria", ["lenient", "own.txt"])
def test_it_is_judged_by_the_same_judge_under_the_same_criteria(
    ddr: Ddr, built_home: Path, judged: str, tmp_path: Path, criteria: str
) -> None:
    if criteria == "own.txt":
        own = tmp_path / criteria
        own.write_text("Supported means said in so many words.", "utf-8")
        criteria = str(own)
    asked = ("--judge", judge(tmp_path, NO), "--criteria", criteria, "--concurrency", "1")
    assert ddr("evaluate", judged, *asked, "--quiet").code == 0
    if criteria.endswith("own.txt"):
        Path(criteria).unlink()  # what it said is kept with the evaluation
    done = ddr("stopping", judged, "--after-finish", "2", "--json")
    assert done.code == 0, done.err
    onward = done.json["runs"][0]["after_finish"][0]
    with open_store(built_home / "store.sqlite3") as store:
        first = store.evaluations(judged)
        (again,) = store.evaluations(onward["run"])
    mine = next(each for each in first if each.id == f"{judged}.e2")
    assert again.id == onward["evaluation"]
    for name in ("checker", "judges_asked", "prompt_hash", "criteria", "protocol"):
        assert getattr(again, name) == getattr(mine, name)
    assert again.parameters["uncalibrated"] == mine.parameters["uncalibrated"]
    assert onward["gain"]["answer"] == "no: 2 more turns found nothing that was not known"
    # By rules it was not judged: nobody compares one checker's verdicts with another's.
    other = ddr("stopping", judged, "--evaluation", f"{judged}.e1", "--json").json["runs"][0]
    assert other["after_finish"][0]["gain"] is None
