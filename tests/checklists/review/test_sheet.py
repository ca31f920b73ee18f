"""A sheet goes out harmless and comes back strictly: what does not fit is told by line and column."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists.canonical import items_hash
from checklists.cells import defused, undone
from checklists.review.deciding import decided, is_in_conflict, reviewed, standing
from checklists.review.sheet import COLUMNS, decisions_in, kind_of, written
from core.checklist import Checklist, ChecklistItem, Decision
from core.errors import ChecklistError, UsageError
from core.scenario import License

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
FORMULA = '=HYPERLINK("http://evil","x")'


def item(number: int, **changes: Any) -> ChecklistItem:
    given = {
        "id": f"i{number}",
        "entity_id": "P1",
        "question": f"-What happened on day {number}?",
        "answer": FORMULA,
        "category": "days",
        "status": "proposed",
        "source": 'document n: "a, b\nc"',
        **changes,
    }
    return ChecklistItem.model_validate(given)


def checklist(*items: ChecklistItem) -> Checklist:
    listed = items or (item(1), item(2))
    terms = License(name="x")
    return Checklist(
        id="c", version="1", scenario_id="s", hash=items_hash(listed), license=terms, items=listed
    )


@given(st.text(alphabet="'=+-@\t\r\na 1", max_size=8))
def test_what_is_defused_is_undone_exactly_and_computes_nothing(text: str) -> None:
    assert undone(defused(text)) == text
    assert not defused(text).startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_question_with_a_carriage_return_comes_back_whole(tmp_path: Path, kind: str) -> None:
    some = checklist(item(1, question="one\rtwo", answer="three\rfour"))
    path = tmp_path / f"s.{kind}"
    text = written(some.items, kind).replace('"decision": ""', '"decision": "accepted"')
    if kind == "csv":
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        assert [row["question"] for row in rows] == ["one\rtwo"]
    path.write_text(text, "utf-8", newline="")
    assert len(decisions_in(path, some, who="ada", now=NOW)) == (kind == "jsonl")


def sheet(path: Path, change: Callable[[list[dict[str, str]]], None], **more: str) -> Path:
    """The checklist's sheet, filled in by a function of its rows."""
    rows = list(csv.DictReader(io.StringIO(written(checklist().items, "csv"), newline="")))
    change(rows)
    names = list(rows[0])
    if path.suffix == ".jsonl":
        plain = [{k: undone(v) for k, v in row.items()} for row in rows]
        path.write_text("\n".join(map(json.dumps, plain)), "utf-8")
        return path
    with path.open("w", newline="", encoding=more.get("encoding", "utf-8-sig")) as stream:
        writer = csv.DictWriter(stream, names, delimiter=more.get("delimiter", ","))
        writer.writeheader()
        writer.writerows(rows)
    return path


def accept(rows: list[dict[str, str]]) -> None:
    rows[0].update(decision="Yes", why="-seen")
    rows[1].update(decision="rejected", why="trivial", who="Bo", when="2026-01-30T09:00+01:00")


@pytest.mark.parametrize("name", ["s.csv", "s.jsonl"])
def test_a_filled_in_sheet_gives_its_decisions(tmp_path: Path, name: str) -> None:
    path = sheet(tmp_path / name, accept)
    first, second = decisions_in(path, checklist(), who="Ada", now=NOW)
    assert first == ("i1", Decision(who="Ada", when=NOW, status="accepted", why="-seen"))
    assert (second[1].who, second[1].status, second[1].when.hour) == ("Bo", "rejected", 8)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_spreadsheet_of_another_country_is_understood(tmp_path: Path, delimiter: str) -> None:
    path = sheet(tmp_path / "s.csv", accept, delimiter=delimiter)
    assert len(decisions_in(path, checklist(), who="Ada", now=NOW)) == 2


def test_no_cell_of_a_csv_sheet_is_a_formula_and_nobody_elses_decision_stands_in_it() -> None:
    said = Decision(who="Ada", when=NOW, status="accepted", why="secretly")
    text = written((item(1, decisions=(said,)),), "csv")
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert tuple(row) == COLUMNS
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())
    assert row["answer"] == f"'{FORMULA}"
    assert "Ada" not in text
    assert "secretly" not in text


def put(**cells: str) -> Callable[[list[dict[str, str]]], None]:
    return lambda rows: rows[1].update(cells)


def everywhere(
    change: Callable[[dict[str, str]], object],
) -> Callable[[list[dict[str, str]]], None]:
    def apply(rows: list[dict[str, str]]) -> None:
        for row in rows:
            change(row)

    return apply


WRONG: list[tuple[Callable[[list[dict[str, str]]], None], str]] = [
    (
        put(item_id="i3"),
        "line 4, column 'item_id': unknown item 'i3'; the sheet",
    ),
    (put(item_id="i1"), "line 4, column 'item_id': item 'i1' stands in line 2 already"),
    (put(question="What happened?"), "line 4, column 'question': it is not that of item 'i2'"),
    (put(answer="42"), "line 4, column 'answer': it is not that of item 'i2'"),
    (put(decision="maybe"), "line 4, column 'decision': 'maybe' decides nothing"),
    (put(why="so"), "line 4, column 'decision': there is a reason and no decision"),
    (put(decision="no"), "line 4, column 'why': a rejection says why"),
    (put(decision="yes", who="A", when="now"), "line 4, column 'when': 'now' is no time"),
    (
        put(decision="yes", who="A", when="2026-01-31T12:00"),
        "column 'when': '2026-01-31T12:00' has no zone",
    ),
    (put(decision="yes"), "line 4, column 'who': who decided?"),
    (everywhere(lambda row: row.pop("question")), "line 1: the column 'question' is missing"),
    (everywhere(lambda row: row.update(verdict="")), "line 1: unknown column 'verdict'"),
]


@pytest.mark.parametrize(("change", "said"), WRONG, ids=[said[:50] for _, said in WRONG])
def test_what_does_not_fit_is_told_by_line_and_column(
    tmp_path: Path, change: Callable[[list[dict[str, str]]], None], said: str
) -> None:
    # The first item's source holds a line break, so the second begins in line 4.
    path = sheet(tmp_path / "s.csv", change)
    with pytest.raises(ChecklistError) as caught:
        decisions_in(path, checklist(), who=None, now=NOW)
    assert str(caught.value).startswith("s.csv: line ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("s.csv", b"", "line 1: there are no column names"),
        ("s.csv", b"item_id,question,decision\ni1,x\n", "line 2: 2 cells, where line 1 has 3"),
        ("s.csv", b'item_id,question,decision\ni1,"x\n', "line 2: "),
        ("s.csv", b"item_id,question,decision\ni1,M\xfcller,\n", "line 2: not UTF-8 (byte 0xfc)"),
        ("s.csv", b"item_id,item_id,question,decision\n", "line 1: column 'item_id' stands twice"),
        ("s.jsonl", b'{"item_id": "i1"\n', "line 1: not JSON"),
        ("s.jsonl", b"\n[1]\n", "line 2: an object belongs here"),
        (
            "s.jsonl",
            b'{"item_id": 1, "question": "", "decision": ""}',
            "column 'item_id': not a text",
        ),
        ("absent.csv", None, "cannot be read"),
    ],
)
def test_a_broken_sheet_is_named(tmp_path: Path, name: str, data: bytes | None, said: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(ChecklistError) as caught:
        decisions_in(tmp_path / name, checklist(), who="Ada", now=NOW)
    assert name in str(caught.value)
    assert said in str(caught.value)


def test_only_two_kinds_of_sheets_are_known() -> None:
    assert kind_of(Path("x.CSV")) == "csv"
    with pytest.raises(UsageError, match=r"ends in \.csv or \.jsonl"):
        kind_of(Path("x.xlsx"))


def by(who: str, status: str, minute: int = 0) -> Decision:
    return Decision.model_validate(
        {"who": who, "when": NOW.replace(minute=minute), "status": status, "why": "so"}
    )


def test_agreed_an_item_counts_in_conflict_it_waits_and_the_last_word_of_each_holds() -> None:
    once = decided(item(1), [by("Ada", "accepted")])
    assert once.status == "accepted"
    fought = decided(once, [by("Bo", "rejected", 1)])
    assert (fought.status, is_in_conflict(fought)) == ("proposed", True)
    settled = decided(fought, [by("Bo", "accepted", 2)])
    assert (settled.status, is_in_conflict(settled)) == ("accepted", False)
    assert len(settled.decisions) == 3
    assert standing(settled)["Bo"].status == "accepted"
    assert decided(settled, [by("Bo", "accepted", 3)]) == settled
    # A word that was written down later, and said earlier, is not the last one.
    assert decided(settled, [by("Bo", "rejected", 0)]).status == "accepted"


def test_a_stale_item_stays_stale() -> None:
    assert decided(item(1, status="stale"), [by("Ada", "accepted")]).status == "stale"


def test_a_reviewed_checklist_has_another_hash_and_what_nobody_spoke_of_is_as_before() -> None:
    before = checklist()
    after = reviewed(before, [("i1", by("Ada", "accepted"))])
    assert after.hash == items_hash(after.items) != before.hash
    assert after.items[1] == before.items[1]
    assert [each.id for each in after.of("P1")] == ["i1"]
