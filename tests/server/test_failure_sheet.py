"""The sheet of missed items: what goes out comes in, and a wrong row is told with its place."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from core.errors import UsageError
from evaluator.failing import FailureSaid, Tallied
from evaluator.missed import Computed, Missed
from server.failure_sheet import COLUMNS, confirmed_in, written
from tests.evaluator.records import item, trajectory

SAID = FailureSaid(
    failure="superficial", turn=3, quote="=cmd|' /C calc'!A0", reason="it was shown", by="model"
)


def found(name: str = "a") -> Tallied:
    case = Missed(item(name), trajectory(report="x"), noted=False)
    return Tallied(case, Computed("exploration depth", "never together"), (("m", SAID),))


KNOWN = {each.case.subject: each for each in (found("a"), found("b"))}
A, B = KNOWN


def filled(tmp_path: Path, *rows: dict[str, str]) -> Path:
    path = tmp_path / "sheet.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    return path


def test_a_csv_sheet_holds_what_was_computed_and_proposed_and_no_formula() -> None:
    text = written("r", list(KNOWN.values()), "csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["computed"] == "exploration depth"
    assert (rows[0]["proposed"], rows[0]["turn"]) == ("superficial", "3")
    assert rows[0]["quote"].startswith("'="), "a spreadsheet would run it"
    assert rows[0]["class"] == rows[0]["who"] == ""


def test_what_people_fill_in_comes_in_again(tmp_path: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(written("r", list(KNOWN.values()), "csv"))))
    rows[0].update({"class": " Exploration  Breadth ", "who": "Ada", "why": "never looked"})
    rows[1].update({"class": "cannot tell"})
    path = tmp_path / "sheet.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    (one, other) = confirmed_in(path, "r", KNOWN, who="Bob")
    assert one[:2] == (A, "Ada")
    assert (one[2].failure, one[2].reason, one[2].by) == (
        "exploration breadth",
        "never looked",
        "person",
    )
    assert (one[2].turn, one[2].quote) == (3, SAID.quote), "undone as it was"
    assert (other[0], other[1], other[2].failure) == (B, "Bob", None)


def test_rows_without_a_class_and_of_other_runs_are_passed_over(tmp_path: Path) -> None:
    path = filled(
        tmp_path,
        {"subject": A, "class": ""},
        {"run": "another", "subject": "gone", "class": "superficial"},
        {"run": "r", "subject": B, "class": "superficial"},
    )
    assert [subject for subject, _, _ in confirmed_in(path, "r", KNOWN, who="Ada")] == [B]


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([{"subject": A, "class": "lazy"}], "row 1: no class 'lazy'; known: exploration breadth"),
        ([{"subject": "gone", "class": "superficial"}], "row 1: no missed item 'gone' in run r"),
        (
            [{"subject": A, "class": "superficial"}, {"subject": A, "class": "debug loop"}],
            "row 2: Ada speaks twice of",
        ),
    ],
)
def test_a_wrong_row_is_told_with_its_place(
    rows: list[dict[str, str]], fault: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="sheet") as raised:
        confirmed_in(filled(tmp_path, *rows), "r", KNOWN, who="Ada")
    assert fault in str(raised.value)


def test_somebody_must_be_named(tmp_path: Path) -> None:
    path = filled(tmp_path, {"subject": A, "class": "superficial"})
    with pytest.raises(UsageError, match="nobody is named"):
        confirmed_in(path, "r", KNOWN, who=None)


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.csv", "subject,other\nx,y\n", "no column class"),
        ("a.jsonl", "{broken", "row 1: not JSON"),
        ("a.jsonl", "[1]", "row 1: an object belongs here, not a list"),
        ("a.jsonl", "[" * 100_000, "row 1: not JSON"),
        ("a.csv", 'subject,class\nx,"a"b\n', "is no CSV"),
        ("a.txt", "", "ends in .csv or .jsonl"),
    ],
)
def test_what_is_no_sheet_is_refused(name: str, text: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match=fault.replace(".", r"\.")):
        confirmed_in(path, "r", KNOWN, who="Ada")


@pytest.mark.parametrize("turn", ["²", "9" * 5000, "-1", "three"])
def test_what_is_no_turn_is_none(tmp_path: Path, turn: str) -> None:
    row = {"subject": A, "class": "superficial", "turn": turn}
    ((_, _, said),) = confirmed_in(filled(tmp_path, row), "r", KNOWN, who="Ada")
    assert said.turn is None


def test_a_text_that_ends_lines_for_unicode_is_one_row(tmp_path: Path) -> None:
    path = tmp_path / "sheet.jsonl"
    row = {"subject": A, "class": "superficial", "why": "one\u2028two\x85three"}
    path.write_text(json.dumps(row, ensure_ascii=False), "utf-8")
    ((_, _, said),) = confirmed_in(path, "r", KNOWN, who="Ada")
    assert said.reason == row["why"]
