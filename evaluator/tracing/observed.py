"""Read what a tool showed as numbers in rows and columns, whatever form its text has."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.trajectory import Turn

MOST_ROWS: Final = 1000
"""Of one table; what lies beyond is seen as single numbers only."""
MOST_CHARS: Final = 300_000
"""Of one result that is read."""

Row = tuple[float | None, ...]
"""The numbers of a row by column; None where a cell is no number."""

_DATED: Final = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?|(?<!\d)\d{1,3}:\d\d(?::\d\d)?"
)
_NUMBER: Final = re.compile(
    r"(?<![\w.,])([-+\u2212]?)(?:[$€£]\s?)?((?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)"
    r"(?:\s?(k|thousand|mn|million|bn|billion|tn|trillion)(?![\w]))?(?![A-Za-z_\d])",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"\n|\)\s*,\s*\(|\]\s*,\s*\[|\}\s*,\s*\{")
_SCALES: Final = {
    **dict.fromkeys(("k", "thousand"), 1e3),
    **dict.fromkeys(("mn", "million"), 1e6),
    **dict.fromkeys(("bn", "billion"), 1e9),
    **dict.fromkeys(("tn", "trillion"), 1e12),
}


@dataclass(frozen=True)
class Observation:
    """What one call of a tool showed."""

    turn: int
    tables: tuple[tuple[Row, ...], ...]
    """Each a list of rows of equal length."""
    singles: tuple[float, ...] = ()
    """Numbers that stand in no row of a table."""


def observations(turns: Sequence[Turn]) -> list[Observation]:
    """What the turns' calls showed, in order. Errors show nothing."""
    return [
        observed(result.text, turn.index)
        for turn in turns
        for result in turn.tool_results
        if not result.is_error
    ]


def observed(text: str, turn: int) -> Observation:
    """One result. JSON is read by its structure; other text by its lines. Never raises."""
    text = text[:MOST_CHARS]
    tables: list[tuple[Row, ...]] = []
    singles: list[float] = []
    try:
        _walk(json.loads(text), tables, singles)
    except (ValueError, RecursionError):
        tables, singles = [], []
        _lines(text, tables, singles)
    return Observation(turn, tuple(tables), tuple(singles))


def _walk(value: Any, tables: list[tuple[Row, ...]], singles: list[float]) -> None:
    """Find tables (lists of lists, lists of objects) and single numbers in what JSON held."""
    if isinstance(value, dict):
        for part in value.values():
            _walk(part, tables, singles)
    elif isinstance(value, list):
        rows = [_cells(row) for row in value]
        if rows and all(row is not None for row in rows):
            _table([row for row in rows if row is not None], tables, singles)
        else:
            for part in value:
                _walk(part, tables, singles)
    elif isinstance(value, str):
        if (number := _number(value)) is not None:
            singles.append(number)
        else:
            _lines(value, tables, singles)
    elif (number := _number(value)) is not None:
        singles.append(number)


def _cells(row: Any) -> list[Any] | None:
    """The cells of a row; None for what is none. A row holds no lists or objects."""
    cells = list(row.values()) if isinstance(row, dict) else row
    if not isinstance(cells, list) or any(isinstance(cell, (list, dict)) for cell in cells):
        return None
    return cells


def _table(
    rows: Sequence[Sequence[Any]], tables: list[tuple[Row, ...]], singles: list[float]
) -> None:
    width = max((len(row) for row in rows), default=0)
    numeric: list[Row] = []
    for row in rows:
        cells = [_number(cell) for cell in row]
        for cell, number in zip(row, cells, strict=True):
            if isinstance(cell, str) and number is None:
                singles.extend(numbers_in(cell))
        numeric.append((*cells, *(None,) * (width - len(cells))))
    _keep(numeric, tables, singles)
    singles.append(float(len(rows)))  # the count of rows shown


def _lines(text: str, tables: list[tuple[Row, ...]], singles: list[float]) -> None:
    """Lines with equally many numbers, one after another, are a table's rows."""
    run: list[Row] = []
    for line in _BREAK.split(text):
        row: Row = tuple(numbers_in(line))
        if run and len(row) != len(run[0]):
            _keep(run, tables, singles)
            run = []
        if row:
            run.append(row)
    if run:
        _keep(run, tables, singles)


def _keep(rows: list[Row], tables: list[tuple[Row, ...]], singles: list[float]) -> None:
    if any(number is not None for row in rows for number in row):
        tables.append(tuple(rows[:MOST_ROWS]))
        singles.extend(n for row in rows[MOST_ROWS:] for n in row if n is not None)


def numbers_in(text: str) -> Iterator[float]:
    """The numbers of plain text; dates, clock times and digits inside names are none."""
    if not any(char.isdigit() for char in text):
        return
    for found in _NUMBER.finditer(_DATED.sub(" ", text)):
        sign, digits, scale = found.groups()
        value = float(digits.replace(",", "")) * _SCALES.get((scale or "").lower(), 1.0)
        if math.isfinite(value):
            yield -value if sign in ("-", "\u2212") else value


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        return None
    if isinstance(cell, str):
        found = _NUMBER.fullmatch(cell.strip())
        return next(numbers_in(cell), None) if found else None
    try:
        value = float(cell)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None
