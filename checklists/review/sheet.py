"""The sheet that people decide on, as CSV or JSON lines: written to be read, and read back strictly."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, NoReturn

from checklists.cells import defused, undone
from core.checklist import Checklist, ChecklistItem, Decision
from core.errors import ChecklistError, UnknownNameError, UsageError
from core.reading import json_lines, read_text

COLUMNS: Final = (
    "item_id",
    "entity_id",
    "category",
    "question",
    "answer",
    "source",
    "evidence_sql",
    "expected",
    "status",
    "decision",
    "why",
    "who",
    "when",
)
_SHOWN: Final = ("entity_id", "question", "answer")
"""Columns that a decision is about: with other words in them it would be about another fact."""
_NEEDED: Final = ("item_id", "question", "decision")
LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a sheet that is read."""
_WORDS: Final[Mapping[str, Literal["accepted", "rejected"]]] = {
    "accepted": "accepted",
    "accept": "accepted",
    "yes": "accepted",
    "rejected": "rejected",
    "reject": "rejected",
    "no": "rejected",
}
_KINDS: Final = (".csv", ".jsonl")


def kind_of(path: Path) -> str:
    """csv or jsonl, by the name's ending. Raises UsageError for another one."""
    if path.suffix.lower() not in _KINDS:
        raise UsageError(f"{path}: a sheet ends in {' or '.join(_KINDS)}")
    return path.suffix.lower()[1:]


def written(items: Sequence[ChecklistItem], kind: str) -> str:
    """The sheet. What others decided does not stand in it: each decides alone."""
    if kind == "jsonl":
        return "".join(f"{json.dumps(_row(item), ensure_ascii=False)}\n" for item in items)
    stream = io.StringIO()
    # Lines end as csv has them by itself: else a carriage return in a cell stands without quotes.
    writer = csv.writer(stream)
    writer.writerow(COLUMNS)
    for item in items:
        writer.writerow([defused(cell) for cell in _row(item).values()])
    return stream.getvalue()


def decisions_in(
    path: Path, checklist: Checklist, *, who: str | None, now: datetime
) -> list[tuple[str, Decision]]:
    """The decisions of a sheet with their items' ids; rows without one are passed over.

    `who` and `now` stand where a row has no name and no time. Raises ChecklistError with file, line
    and column: an unknown item or column, one that stands twice, a question that was changed, a word
    that decides nothing, a rejection without a reason.
    """
    known = {item.id: item for item in checklist.items}
    seen: dict[str, int] = {}
    found: list[tuple[str, Decision]] = []
    for line, row in _rows(path):
        sheet = _Line(path, line, row)
        item = sheet.item(known)
        if item.id in seen:
            sheet.fail("item_id", f"item {item.id!r} stands in line {seen[item.id]} already")
        seen[item.id] = line
        sheet.refuse_changed(item)
        if (decision := sheet.decision(who, now)) is not None:
            found.append((item.id, decision))
    return found


class _Line:
    """One row of a sheet, and where it stands."""

    def __init__(self, path: Path, line: int, row: Mapping[str, str]) -> None:
        self._path, self._line, self._row = path, line, row

    def fail(self, column: str, text: str) -> NoReturn:
        raise ChecklistError(f"{self._path.name}: line {self._line}, column {column!r}: {text}")

    def item(self, known: Mapping[str, ChecklistItem]) -> ChecklistItem:
        name = self._row.get("item_id", "").strip()
        if name not in known:
            # Not the list of all ids: there may be thousands.
            near = str(UnknownNameError("item", name, known)).partition("; known:")[0]
            self.fail("item_id", f"{near}; the sheet is of another checklist, or of an older one")
        return known[name]

    def refuse_changed(self, item: ChecklistItem) -> None:
        for column in _SHOWN:
            if column in self._row and _plain(self._row[column]) != _plain(
                str(getattr(item, column))
            ):
                self.fail(
                    column,
                    f"it is not that of item {item.id!r}: a sheet decides on items, and changes none",
                )

    def decision(self, who: str | None, now: datetime) -> Decision | None:
        said = self._row.get("decision", "").strip().lower()
        why = self._row.get("why", "").strip()
        if not said:
            if why:
                self.fail("decision", "there is a reason and no decision")
            return None
        if said not in _WORDS:
            self.fail("decision", f"{said!r} decides nothing; say accepted, rejected, or nothing")
        status = _WORDS[said]
        if status == "rejected" and not why:
            self.fail("why", "a rejection says why")
        name = self._row.get("who", "").strip() or (who or "").strip()
        if not name:
            self.fail("who", "who decided? Fill in the column, or give --who NAME")
        return Decision(who=name, when=self._when(now), status=status, why=why)

    def _when(self, now: datetime) -> datetime:
        text = self._row.get("when", "").strip()
        if not text:
            return now
        try:
            when = datetime.fromisoformat(text)
        except ValueError:
            self.fail("when", f"{text!r} is no time such as 2026-01-31T12:00+00:00")
        if when.tzinfo is None:
            self.fail("when", f"{text!r} has no zone: 2026-01-31T12:00+00:00 has")
        return when


def _row(item: ChecklistItem) -> dict[str, str]:
    expected = "" if item.expected is None else f"{item.expected.value}"
    return {
        "item_id": item.id,
        "entity_id": item.entity_id,
        "category": item.category,
        "question": item.question,
        "answer": item.answer,
        "source": item.source,
        "evidence_sql": item.evidence_sql or "",
        "expected": expected,
        "status": item.status,
        "decision": "",
        "why": "",
        "who": "",
        "when": "",
    }


def _plain(text: str) -> str:
    """Without the accidents of a spreadsheet: kinds of line breaks, white space at the ends."""
    return " ".join(text.split())


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    text = read_text(path, error=ChecklistError, largest=LARGEST)
    return _json_rows(path, text) if kind_of(path) == "jsonl" else _csv_rows(path, text)


def _csv_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    first = text.partition("\n")[0]
    # Spreadsheets write what their country's settings say.
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: list[str] = []
    begins = 1
    try:
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            if not names:
                names = [cell.strip() for cell in cells]
                _check_names(path, names)
            elif any(cell.strip() for cell in cells):
                if len(cells) != len(names):
                    raise ChecklistError(
                        f"{path.name}: line {line}: {len(cells)} cells, where line 1 has {len(names)}"
                    )
                yield line, {n: undone(c) for n, c in zip(names, cells, strict=True)}
    except csv.Error as exc:
        raise ChecklistError(f"{path.name}: line {reader.line_num}: {exc}") from exc
    if not names:
        raise ChecklistError(f"{path.name}: line 1: there are no column names")


def _json_rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    lines = json_lines(text, error=ChecklistError, where=lambda n: f"{path.name}: line {n}")
    for line, value in lines:
        _check_names(path, list(value), line)
        for name, cell in value.items():
            if not isinstance(cell, str | None):
                raise ChecklistError(f"{path.name}: line {line}, column {name!r}: not a text")
        yield line, {name: cell or "" for name, cell in value.items()}


def _check_names(path: Path, names: list[str], line: int = 1) -> None:
    for name in names:
        if name not in COLUMNS:
            said = UnknownNameError("column", name, COLUMNS)
            raise ChecklistError(f"{path.name}: line {line}: {said}")
        if names.count(name) > 1:
            raise ChecklistError(f"{path.name}: line {line}: column {name!r} stands twice")
    for name in _NEEDED:
        if name not in names:
            raise ChecklistError(f"{path.name}: line {line}: the column {name!r} is missing")
