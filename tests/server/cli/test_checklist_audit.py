"""`ddr checklists audit` and `ddr checklists tag` from the front door."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.cli.conftest import Ddr

CHANGES = ("It improved.", "It worsened.", "It remained almost the same.")


@pytest.fixture
def moods(ddr: Ddr, built_home: Path, tmp_path: Path) -> str:
    """An imported checklist: one closed item for each of five carriers, one open one."""
    answers = {"01": 0, "02": 0, "03": 0, "04": 1, "05": 2}
    results: list[dict[str, Any]] = [
        {
            "entity_id": name,
            "qa_pairs": [
                {"question": "How did its mood change?", "answer": CHANGES[n], "source_text": "M"}
            ],
        }
        for name, n in answers.items()
    ]
    results[0]["qa_pairs"] += [
        {"question": "Why does the astronaut frown?", "answer": "There was no column frown."}
    ]
    path = tmp_path / "qa.json"
    path.write_text(json.dumps({"results": results}), encoding="utf-8")
    command = ("import", "ddr-bench", str(path), "--scenario", "flights", "--id", "moods")
    assert ddr("checklists", *command).code == 0
    return "moods"


def test_an_audit_tells_faults_balance_redundancy_and_reach(ddr: Ddr, moods: str) -> None:
    done = ddr("checklists", "audit", moods, "--quiet")
    assert done.code == 0, done.err
    assert "6 items about 5 entities, 1 to 2 each" in done.out
    assert "always 'It improved.'" in done.out
    assert "0 of 6 items have evidence in the database (0.0% reachable)" in done.out
    told = ddr("checklists", "audit", moods, "--json", "--quiet").json
    assert told["counts"]["E3"] >= 1
    assert told["counts"]["E4"] == 1
    assert told["baselines"]["constant"] == {
        "right": 3,
        "items": 5,
        "ties": 0,
        "accuracy": 0.6,
        "answer": "It improved.",
    }
    assert (told["reachable_share"], told["not_looked_at"]) == (0.0, [])


def test_the_shipped_checklist_stands_its_own_audit(ddr: Ddr, built_home: Path) -> None:
    told = ddr("checklists", "audit", "flights", "--json", "--quiet").json
    assert told["reachable_share"] == 1.0
    assert told["balance"] is None
    faults = {check for check, count in told["counts"].items() if count}
    assert faults <= {"E5"}


def test_tags_are_kept_in_a_copy_and_a_reviewed_sheet_goes_over_it(
    ddr: Ddr, moods: str, tmp_path: Path
) -> None:
    sheet = tmp_path / "tags.csv"
    told = ddr("checklists", "tag", moods, "--sheet", str(sheet), "--json").json
    assert (told["checklist"], told["items"], told["of"]) == ("moods-tagged", 6, "moods")
    assert told["counts"]["category"]["M"] == 5
    assert told["counts"]["capability"]["comparison over time"] == 5
    rows = list(csv.DictReader(sheet.open(encoding="utf-8")))
    rows[-1]["capability"] = "mind reading"
    with sheet.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    command = ("checklists", "tag", "moods-tagged", "--apply", str(sheet))
    assert "give --by NAME" in ddr(*command).err
    told = ddr(*command, "--by", "Ada", "--json").json
    assert (told["tagged_by"], told["changed"]) == ("person:Ada", 1)
    assert told["counts"]["capability"]["mind reading"] == 1
    assert ddr("checklists", "tag", "moods-tagged").code == 0
    again = ddr("checklists", "tag", "moods-tagged", "--json").json
    assert again["counts"]["capability"]["mind reading"] == 1


def test_the_table_of_counts_is_told(ddr: Ddr, moods: str) -> None:
    done = ddr("checklists", "tag", moods)
    assert done.code == 0, done.err
    for word in ("category", "capability", "difficulty", "comparison over time", "rules:"):
        assert word in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "fault"),
    [
        (("audit", "nobody"), 2, "unknown checklist 'nobody'"),
        (("audit", "flights", "--alike", "2"), 2, "--alike"),
        (("tag", "flights", "--by", "Ada"), 2, "--by names who reviewed"),
        (("tag", "flights", "--apply", "x.csv", "--sheet", "y.csv"), 2, "leave out --sheet"),
        (("tag", "flights", "--rules", "no.toml"), 2, "no.toml cannot be read"),
        (("tag", "flights", "--sheet", "/nowhere/x.csv"), 1, "cannot be written"),
    ],
)
def test_what_cannot_be_done_says_why(
    ddr: Ddr, home: Path, arguments: tuple[str, ...], code: int, fault: str
) -> None:
    done = ddr("checklists", *arguments)
    assert (done.code, fault in done.err) == (code, True), done.err
