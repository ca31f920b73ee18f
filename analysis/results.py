"""Turn what a tool answered into tables and texts that a page can show, within a budget."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.trajectory import ToolResult

CELL_CHARS = 160
UPRIGHT = 7
"""A single row of more columns than this is shown column by column."""
MARKUP_PER_CELL = 16
"""About what its tags add to a cell's own text, in bytes."""


@dataclass(frozen=True)
class TableView:
    """A table as shown: its first rows, and how many are not shown."""

    title: str | None
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    """Cells as text; None = null."""
    numeric: tuple[bool, ...]
    """Per column: whether all its cells shown are numbers."""
    more: int = 0
    """Rows that the tool returned and this page leaves out."""
    types: tuple[str, ...] = ()
    """Per column, where the tool said it."""

    @property
    def upright(self) -> bool:
        """Whether it is one long row, which reads better as a list of names and values."""
        return len(self.rows) == 1 and not self.more and len(self.columns) > UPRIGHT


@dataclass(frozen=True)
class ResultView:
    """One tool result as shown: tables, named values, or the plain text."""

    tables: tuple[TableView, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    text: str | None = None
    cut: int = 0
    """Characters of `text` that this page leaves out."""
    hidden: str | None = None
    """Why nothing is shown, and how much that is."""

    @property
    def size(self) -> str:
        """In two words how much came back."""
        if self.hidden is not None:
            return "values hidden"
        if len(self.tables) == 1:
            count = len(self.tables[0].rows) + self.tables[0].more
            return f"{count:,} row{'' if count == 1 else 's'}"
        if self.tables:
            return f"{len(self.tables)} tables"
        return f"{len(self.text or '') + self.cut:,} characters" if self.text else "no output"


def view(result: ToolResult, *, budget: int, shown: bool = True) -> ResultView:
    """How to show a result in about `budget` characters.

    JSON with columns and rows, or with lists of objects, becomes tables; its other values become
    named facts; anything else stays the text that the agent saw. With `shown` False (a restricted
    licence) column names and counts stay and no value does, error texts included: engines quote
    cells in them.
    """
    body = _parse(result.text)
    if body is None:
        if not shown:
            return ResultView(hidden=f"{len(result.text):,} characters, hidden by the licence")
        text = result.text[:budget]
        return ResultView(text=text, cut=len(result.text) - len(text))
    return _structured(body, budget=budget, shown=shown)


@dataclass(frozen=True)
class Cell:
    """A value of a result, and where `view` shows it."""

    value: Any
    table: int | None
    """From 0; None where it stands in a named value or in plain text."""
    row: int = 0
    column: int = 0
    name: str = ""
    """Of its column, or of the named value."""


def cells(text: str) -> Iterator[Cell]:
    """Every value of a result, in the order in which it is shown."""
    body = _parse(text)
    if body is None:
        yield Cell(text, None)
        return
    rest, tables = dict(body), 0
    if _is_grid(body.get("columns"), body.get("rows")):
        columns = [_name(c) for c in rest.pop("columns")]
        for row, values in enumerate(rest.pop("rows")):
            for column, value in enumerate(values):
                yield Cell(value, 0, row, column, columns[column])
        tables = 1
    for name, value in rest.items():
        if records := _records(value):
            columns = _keys(records)
            for row, record in enumerate(records):
                for column, key in enumerate(columns):
                    yield Cell(record.get(key), tables, row, column, key)
            tables += 1
        else:
            yield Cell(value, None, name=name)


def fair_cap(lengths: Sequence[int], total: int) -> int:
    """The largest length to which each text may be cut so that all together fit in `total`.

    Short texts leave what they do not need to the long ones.
    """
    left = total
    ordered = sorted(lengths)
    for i, length in enumerate(ordered):
        share = left // (len(ordered) - i)
        if length > share:
            return share
        left -= length
    return ordered[-1] if ordered else 0


def _parse(text: str) -> dict[str, Any] | None:
    """The result's object, if it is one that tables and facts can show."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(body, list):
        body = {"rows": body}
    return body if isinstance(body, dict) and body else None


def _structured(body: Mapping[str, Any], *, budget: int, shown: bool) -> ResultView:
    tables: list[TableView] = []
    facts: list[tuple[str, str]] = []
    rest = dict(body)
    if _is_grid(body.get("columns"), body.get("rows")):
        columns = [_name(c) for c in rest.pop("columns")]
        grid = _table(None, columns, rest.pop("rows"), budget, shown)
        if isinstance(types := rest.get("types"), list) and len(types) == len(columns):
            grid = replace(grid, types=tuple(map(str, rest.pop("types"))))
        tables.append(grid)
    for name, value in rest.items():
        if records := _records(value):
            columns = _keys(records)
            rows = [[record.get(c) for c in columns] for record in records]
            tables.append(_table(name, columns, rows, budget, shown))
        elif shown and value is not False and value not in (None, "", [], {}):
            facts.append((name, _cell(value, budget) or ""))
    if not shown and not tables:
        count = len(json.dumps(body, ensure_ascii=False))
        return ResultView(hidden=f"{count:,} characters, hidden by the licence")
    return ResultView(tables=tuple(tables), facts=tuple(facts))


def _is_grid(columns: object, rows: object) -> bool:
    """Whether these are the columns and the rows of one table."""
    return (
        isinstance(columns, list)
        and isinstance(rows, list)
        and all(isinstance(row, list) and len(row) == len(columns) for row in rows)
        and bool(columns)
    )


def _records(value: object) -> list[Mapping[str, Any]] | None:
    """The value as a list of objects; None where it is none, or an empty one."""
    if not isinstance(value, list) or not value:
        return None
    return value if all(isinstance(record, dict) and record for record in value) else None


def _keys(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of a list of objects."""
    return list(dict.fromkeys(key for record in records for key in record))


def _name(column: object) -> str:
    """A column's name, given as such or as an object that holds it."""
    return str(column.get("name", "")) if isinstance(column, dict) else str(column)


def _table(
    title: str | None,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    budget: int,
    shown: bool,
) -> TableView:
    kept: list[tuple[str | None, ...]] = []
    spent = 0
    for row in rows if shown else ():
        cells = tuple(_cell(value, CELL_CHARS) for value in row)
        spent += sum(len(cell or "") + MARKUP_PER_CELL for cell in cells)
        if kept and spent > budget:
            break
        kept.append(cells)
    numeric = tuple(
        bool(kept)
        and all(row[i] is None or _is_number(rows[k][i]) for k, row in enumerate(kept))
        and any(row[i] is not None for row in kept)
        for i in range(len(columns))
    )
    return TableView(title, tuple(columns), tuple(kept), numeric, len(rows) - len(kept))


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _cell(value: object, limit: int) -> str | None:
    """One value as text; None for null. Long ones end in an ellipsis."""
    if value is None:
        return None
    if isinstance(value, float):
        # The agent saw every digit; a reader compares the first few.
        return f"{value:.1f}" if 1e5 <= abs(value) < 1e15 else f"{value:.6g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"
