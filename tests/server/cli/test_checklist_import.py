"""`ddr checklists import`: a published list is kept, compared with the scenario, and scored by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checklists.canonical import items_hash, to_json
from checklists.loader import FOLDER
from core.checklist import Checklist
from tests.server.cli.conftest import RUN, Ddr


def pairs(count: int) -> list[dict[str, str]]:
    return [
        {"question": f"What is fact {number}?", "answer": f"It is so in 2024, {number} times."}
        for number in range(count)
    ]


@pytest.fixture
def qa(tmp_path: Path) -> Path:
    """Two items about 01, one about 02, three about 03, one about nobody."""
    counts = {"01": 2, "02": 1, "03": 3, "nobody": 1}
    results = [{"entity_id": name, "qa_pairs": pairs(n)} for name, n in counts.items()]
    path = tmp_path / "qa.json"
    path.write_text(json.dumps({"metadata": {}, "results": results}), encoding="utf-8")
    return path


def test_a_list_is_kept_for_its_owner_alone_and_tells_whom_the_scenario_lacks(
    ddr: Ddr, built_home: Path, qa: Path
) -> None:
    done = ddr("checklists", "import", "ddr-bench", str(qa), "--scenario", "flights")
    assert done.code == 0, done.err
    assert "7 items about 4 entities" in done.out
    assert "1 item about 1 entity that the built flights lacks" in done.out
    kept = built_home / "checklists" / "ddr-bench-flights.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    told = ddr("checklists", "import", "ddr-bench", str(qa), "--scenario", "flights", "--json").json
    assert (told["items"], told["open"], told["closed"], told["entities"]) == (7, 7, 0, 4)
    assert (told["absent_entities"], told["items_of_absent_entities"]) == (["nobody"], 1)
    assert told["fiscal_years"]["unknown"] == 7
    assert "ddr-bench-flights" in ddr("checklists", "list").out


def test_another_list_takes_no_name_that_is_given(ddr: Ddr, built_home: Path, qa: Path) -> None:
    command = ("checklists", "import", "ddr-bench", str(qa), "--scenario", "flights")
    assert ddr(*command, "--id", "mine").code == 0
    plain = json.loads(qa.read_text("utf-8"))
    plain["results"].pop()
    qa.write_text(json.dumps(plain), encoding="utf-8")
    refused = ddr(*command, "--id", "mine")
    assert (refused.code, "--replace" in refused.err) == (2, True)
    assert ddr(*command, "--id", "mine", "--replace", "--json").json["items"] == 6
    shipped = ddr(*command, "--id", "flights", "--replace")
    assert (shipped.code, "is a shipped checklist" in shipped.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code", "fault"),
    [
        (("other", "{qa}", "--scenario", "flights"), 2, "known: ddr-bench"),
        (("ddr-bench", "{qa}.no", "--scenario", "flights"), 1, "No such file"),
        (("ddr-bench", "{qa}", "--scenario", "flihgts"), 2, "did you mean 'flights'?"),
        (("ddr-bench", "{qa}", "--scenario", "flights", "--id", "../x"), 2, "a checklist's id"),
    ],
)
def test_what_cannot_be_imported_says_why(
    ddr: Ddr, built_home: Path, qa: Path, arguments: tuple[str, ...], code: int, fault: str
) -> None:
    done = ddr("checklists", "import", *(each.format(qa=qa) for each in arguments))
    assert (done.code, fault in done.err) == (code, True), done.err
    assert not (built_home / "checklists").exists()


def test_only_items_of_the_runs_entities_count_and_all_say_that_they_have_no_signals(
    ddr: Ddr, explored: Path, qa: Path
) -> None:
    ddr("checklists", "import", "ddr-bench", str(qa), "--scenario", "flights")
    done = ddr("evaluate", RUN, "--checklist", "ddr-bench-flights")
    assert done.code == 0, done.err
    assert "nothing was scored; unscored: no signals (3)" in done.out
    told = ddr("evaluate", RUN, "--checklist", "ddr-bench-flights", "--json").json
    mine: list[dict[str, Any]] = [s for s in told["scores"] if s["competitor"] == "scripted"]
    assert {(s["items"], s["unscored"], s["entities"]) for s in mine} == {(3, 3, 2)}
    assert {(s["strict"], s["headline"], s["coverage"]) for s in mine} == {(None, None, 0.0)}
    assert ddr("report", RUN, "--checklist", "ddr-bench-flights", "--quiet").code == 0


def test_a_list_about_other_entities_alone_gives_no_score_and_says_so(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    path = tmp_path / "other.json"
    results = [{"entity_id": "09", "qa_pairs": pairs(2)}]
    path.write_text(json.dumps({"results": results}), encoding="utf-8")
    command = ("checklists", "import", "ddr-bench", str(path), "--scenario", "flights")
    assert ddr(*command, "--id", "other").code == 0
    done = ddr("evaluate", RUN, "--checklist", "other")
    assert done.code == 0, done.err
    assert "no headline: there are no items" in done.out
    told = ddr("evaluate", RUN, "--checklist", "other", "--json").json
    assert {(s["items"], s["strict"], s["coverage"]) for s in told["scores"]} == {(0, None, 0.0)}
    assert told["reachable"] is None
    assert ddr("report", RUN, "--checklist", "other", "--quiet").code == 0


def test_scores_over_reachable_items_stand_beside_those_over_all(ddr: Ddr, explored: Path) -> None:
    whole = ddr("evaluate", RUN, "--json").json
    own = [s for s in whole["scores"] if s["competitor"] == "scripted"]
    assert whole["reachable"] == own, "every item of the shipped checklist has evidence"
    assert "over reachable items" not in ddr("evaluate", RUN).out
    mixed = json.loads((FOLDER / "flights.json").read_text("utf-8"))
    for item in mixed["items"][::2]:
        del item["evidence_sql"]
    half = Checklist.model_validate(mixed)
    half = half.model_copy(update={"id": "half", "hash": items_hash(half.items)})
    path = explored / "half.json"
    path.write_text(to_json(half), encoding="utf-8")
    told = ddr("evaluate", RUN, "--checklist", str(path), "--json").json
    everything, some = told["scores"][0], told["reachable"][0]
    assert 0 < some["items"] < everything["items"]
    assert "scripted over reachable items" in ddr("evaluate", RUN, "--checklist", str(path)).out
