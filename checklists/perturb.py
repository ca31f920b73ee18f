"""Disorder one table in a separate in-memory database, so that a real fact must break there.

A perturbation keeps the schema, the types and the row counts; it takes away the one relation
that a fact rests on (EVALUATION 5.5). Written `kind: table(column, ...)`:

outcome   the columns' values are dealt anew among all rows: means and shares of them even out
time      the same for columns that date a row: trends, seasons and hours even out
join      the same for a key that leads to another table: what is joined no longer fits
entities  each row is given to an entity drawn by lot, each entity with its own chance: permuting
          the column would leave every count as it was

A copy can also be resampled: each row of a table stands in it as often as chance has it, once on
average.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import ChecklistError, UnknownNameError
from core.sql import quote

if TYPE_CHECKING:
    import duckdb

_FORM = re.compile(r"(\w+): (\w+)\((\w+(?:, \w+)*)\)")
_COUNTER = itertools.count(1)
_COPIED = 5_000_000
"""Rows of a resampled table that are copied into memory at most."""
_MOST = 7
"""How often a row can come in a resampled table; more happens to one row in 100,000."""
_AT_LEAST = tuple(
    int(sum(math.exp(-1) / math.factorial(k) for k in range(times)) * 2**64)
    for times in range(1, _MOST + 1)
)
"""Hashes from which on a row comes at least once, twice, ...: the quantiles of Poisson(1)."""


@dataclass(frozen=True)
class Perturbation:
    """What is disordered, and how."""

    kind: str
    table: str
    columns: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Perturbation:
        """Read `kind: table(column, ...)`. Raises ChecklistError or UnknownNameError."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise ChecklistError(
                f"cannot read the perturbation {text!r}; it is written 'kind: table(column, ...)'"
            )
        kind, table, columns = match.groups()
        if kind not in KINDS:
            raise UnknownNameError("kind of perturbation", kind, KINDS)
        found = cls(kind, table, tuple(columns.split(", ")))
        if kind == "entities" and len(found.columns) != 1:
            raise ChecklistError(f"the perturbation {text!r} must name the one entity column")
        return found

    def __str__(self) -> str:
        return f"{self.kind}: {self.table}({', '.join(self.columns)})"


class Copy:
    """A separate in-memory database in which one table at a time is disordered.

    The other tables are seen through to the source. `cursor` reads the copy: a query with plain
    table names that runs on the source runs on it unchanged.
    """

    def __init__(self, cursor: duckdb.DuckDBPyConnection, source: str, name: str) -> None:
        self.cursor = cursor
        self.source = source
        self.name = name
        self._tables = _column_names(cursor, source)
        self._replaced: tuple[str, str] | None = None
        """TABLE or VIEW, and the name of what is not the source's own."""
        for table in self._tables:
            self._see_through(table)

    def disorder(
        self, perturbation: Perturbation, seed: int, columns: Collection[str] | None = None
    ) -> None:
        """Make the perturbed copy; the one made before is forgotten.

        The same seed gives the same copy. Of the disordered table only `columns` are copied beside
        those that are disordered (None: all). Raises UnknownNameError where the source lacks the
        table or a column.
        """
        table = perturbation.table
        self._refuse_unknown(table, perturbation.columns)
        self._forget()
        rows = KINDS[perturbation.kind](_at(self.source, table), perturbation.columns, seed)
        wanted = {c.lower() for c in (*(columns or ()), *perturbation.columns)}
        listed = [c for c in self._tables[table] if columns is None or c.lower() in wanted]
        taken = ", ".join(map(quote, listed))
        self.cursor.execute(f"DROP VIEW {_at(self.name, table)}")
        self.cursor.execute(f"CREATE TABLE {_at(self.name, table)} AS SELECT {taken} FROM ({rows})")
        self._replaced = ("TABLE", table)

    def resample(self, table: str, seed: int, columns: Collection[str] | None = None) -> None:
        """Make a copy in which the table's rows are drawn anew; the one made before is forgotten.

        Each row comes Poisson(1) times, by its number and the seed: the bootstrap without a sort. A
        large table is seen through to the source, and so takes no memory; of others `columns` are
        copied (None: all).
        """
        self._refuse_unknown(table, ())
        self._forget()
        source = _at(self.source, table)
        listed = [c for c in self._tables[table] if columns is None or c.lower() in columns]
        taken = ", ".join(f"kept.{quote(column)}" for column in listed or self._tables[table][:1])
        drawn = f"hash(kept.rowid, {seed:d})"
        rows = " UNION ALL ".join(
            f"SELECT {taken} FROM {source} AS kept WHERE {drawn} >= {least}::UBIGINT"
            for least in _AT_LEAST
        )
        row = self.cursor.execute(f"SELECT count(*) FROM {source}").fetchone()
        kind = "TABLE" if row and row[0] <= _COPIED else "VIEW"
        self.cursor.execute(f"DROP VIEW {_at(self.name, table)}")
        self.cursor.execute(f"CREATE {kind} {_at(self.name, table)} AS {rows}")
        self._replaced = (kind, table)

    def _refuse_unknown(self, table: str, columns: Sequence[str]) -> None:
        if table not in self._tables:
            raise UnknownNameError("table", table, self._tables)
        for column in columns:
            if column not in self._tables[table]:
                raise UnknownNameError(f"column of {table}", column, self._tables[table])

    def _forget(self) -> None:
        if self._replaced is not None:
            kind, table = self._replaced
            self.cursor.execute(f"DROP {kind} {_at(self.name, table)}")
            self._see_through(table)
            self._replaced = None

    def _see_through(self, table: str) -> None:
        self.cursor.execute(
            f"CREATE VIEW {_at(self.name, table)} AS FROM {_at(self.source, table)}"
        )


@contextmanager
def copy_of(connection: duckdb.DuckDBPyConnection) -> Iterator[Copy]:
    """A Copy beside the connection's own database, which stays as it is (and may be read-only)."""
    cursor = connection.cursor()
    row = cursor.execute("SELECT current_database()").fetchone()
    source, name = str(row[0] if row else ""), f"disorder_{next(_COUNTER)}"
    # READ_WRITE is said aloud: an instance opened read-only would attach read-only.
    cursor.execute(f"ATTACH ':memory:' AS {name} (READ_WRITE)")
    try:
        copy = Copy(cursor, source, name)
        cursor.execute(f"USE {name}")
        yield copy
    finally:
        cursor.execute(f"USE {quote(source)}")
        cursor.execute(f"DETACH {name}")
        cursor.close()


def dealt_anew(table: str, columns: Sequence[str], seed: int) -> str:
    """SQL of the table's rows with these columns' values, kept together, dealt among them."""
    listed = ", ".join(map(quote, columns))
    replaced = ", ".join(f"dealt.{quote(column)} AS {quote(column)}" for column in columns)
    return (
        f"SELECT kept.* REPLACE ({replaced}) FROM {table} AS kept POSITIONAL JOIN "
        f"(SELECT {listed} FROM {table} ORDER BY hash(rowid, {seed:d}), rowid) AS dealt"
    )


def drawn_by_lot(table: str, columns: Sequence[str], seed: int) -> str:
    """SQL of the table's rows, each with an entity drawn by lot.

    An entity holds 1 to 64 lots, by the seed: with equal chances an entity of about the mean size
    would keep its count whatever the seed.
    """
    column = quote(columns[0])
    return f"""
        WITH entities AS (
            SELECT DISTINCT {column} AS entity FROM {table} WHERE {column} IS NOT NULL
        ), lots AS (
            SELECT entity, unnest(range(1 + (hash(entity, {seed:d}) % 64)::BIGINT)) AS number
            FROM entities
        ), urn AS (
            SELECT list(entity ORDER BY entity, number) AS lots FROM lots
        )
        SELECT kept.* REPLACE (
            urn.lots[1 + (hash(kept.rowid, {seed:d}) % len(urn.lots))::BIGINT] AS {column}
        )
        FROM {table} AS kept, urn"""


def _at(database: str, table: str) -> str:
    return f"{quote(database)}.{quote(table)}"


def _column_names(cursor: duckdb.DuckDBPyConnection, database: str) -> dict[str, list[str]]:
    rows = cursor.execute(
        "SELECT table_name, column_name FROM duckdb_columns() "
        "WHERE database_name = ? AND schema_name = 'main' AND NOT internal "
        "ORDER BY table_name, column_index",
        [database],
    ).fetchall()
    found: dict[str, list[str]] = {}
    for table, column in rows:
        found.setdefault(table, []).append(column)
    return found


KINDS: dict[str, Callable[[str, Sequence[str], int], str]] = {
    "outcome": dealt_anew,
    "time": dealt_anew,
    "join": dealt_anew,
    "entities": drawn_by_lot,
}
"""What each kind of disorder does to a table."""
