"""Profile tables: rows, share of NULL, distinct values, and what may be told of their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from core.record import Record

Ask = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs one SELECT and gives its rows."""
Quote = Callable[[str], str]
"""A name as an identifier of the database's own SQL."""

FEW: Final = 12
"""So many different values are a list of codes, which may be told."""
CROWD: Final = 5
"""A value that fewer rows have points at somebody, and is not told."""
_LONG: Final = 40
"""Characters on average: more is free text."""
_REACHES: Final = r"[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}|\+?[0-9][0-9 ()/.-]{7,}[0-9]"
"""A mail address or a telephone number."""
_NUMBERS: Final = re.compile(
    r"U?(TINY|SMALL|MEDIUM|BIG|HUGE)?INT(EGER)?\d*( UNSIGNED)?|FLOAT.*|DOUBLE.*|DECIMAL.*|NUMERIC.*|REAL"
)
"""Types of DuckDB and of servers, which have names of their own."""


class ColumnProfile(Record):
    """One column in figures."""

    name: str
    type: str
    format: str | None = None
    rows: int
    filled: int
    """Rows in which it is not NULL."""
    distinct: int
    length: float | None = None
    """Of a text, characters on average."""
    codes: tuple[str, ...] | None = None
    """All its values, by frequency, where they are few and each is that of a crowd."""
    usual: tuple[float, float] | None = None
    """Of a number: from the 5th to the 95th percentile, which is nobody's own value."""
    reaches: bool = False
    """Whether cells look like mail addresses or telephone numbers."""

    @property
    def is_unique(self) -> bool:
        """Whether each row has a value of its own."""
        return 0 < self.rows == self.filled == self.distinct

    @property
    def is_number(self) -> bool:
        """Whether it is a figure, by its type."""
        return _NUMBERS.fullmatch(self.type.upper()) is not None

    @property
    def is_text(self) -> bool:
        """Whether it is a text, by its type."""
        return self.type.upper().startswith(("VARCHAR", "TEXT", "CHAR"))

    @property
    def is_free_text(self) -> bool:
        """Whether people wrote what they liked."""
        return self.is_text and self.length is not None and self.length > _LONG


class TableProfile(Record):
    """One table."""

    key: str
    """How it is called in the source."""
    name: str
    """How it is called where it is profiled."""
    stem: str
    """The key without a file's endings."""
    rows: int
    columns: tuple[ColumnProfile, ...]

    def column(self, name: str) -> ColumnProfile | None:
        """The column of that name, in any case."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)


def count(
    ask: Ask, quote: Quote, table: str, columns: Sequence[tuple[str, str]]
) -> list[ColumnProfile]:
    """Rows, filled and distinct of each (name, type), in SQL that every database has."""
    place = ".".join(quote(part) for part in table.split(".", 1))
    found = []
    for name, kind in columns:
        column = quote(name)
        ((rows, filled, distinct),) = ask(
            f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM {place}"
        )
        found.append(
            ColumnProfile(name=name, type=kind, rows=rows, filled=filled, distinct=distinct)
        )
    return found


def describe(ask: Ask, quote: Quote, table: str, column: ColumnProfile) -> ColumnProfile:
    """The same column with what may be told of its values; in DuckDB's SQL."""
    name, place = quote(column.name), quote(table)
    update: dict[str, Any] = {}
    if column.is_text and column.filled:
        ((length, reaching),) = ask(
            f"SELECT avg(length({name})), count(*) FILTER (regexp_full_match({name}, '{_REACHES}')) "
            f"FROM {place} WHERE {name} IS NOT NULL"
        )
        update["length"], update["reaches"] = length, 2 * reaching > column.filled
    if 0 < column.distinct <= FEW and (
        column.is_text or column.is_number or column.type == "BOOLEAN"
    ):
        rows = ask(
            f"SELECT CAST({name} AS VARCHAR), count(*) FROM {place} WHERE {name} IS NOT NULL "
            "GROUP BY ALL ORDER BY 2 DESC, 1"
        )
        if all(n >= CROWD and len(value) <= _LONG for value, n in rows):
            update["codes"] = tuple(value for value, _ in rows)
    elif column.is_number and column.filled:
        ((low, high),) = ask(
            f"SELECT quantile_disc({name}, 0.05), quantile_disc({name}, 0.95) FROM {place} "
            f"WHERE isfinite(CAST({name} AS DOUBLE))"
        )
        if low is not None and column.filled >= 20 * CROWD:
            update["usual"] = (float(low), float(high))
    return column.model_copy(update=update)
