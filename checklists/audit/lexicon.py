"""The words of a database: its tables and columns, and the texts in its cells (EVALUATION 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from checklists.audit.words import stems
from checklists.statement import Schema
from checklists.validate import schema_of
from core.sql import quote

if TYPE_CHECKING:
    import duckdb

ROWS: Final = 200_000
"""Rows of a table whose cells are looked at."""
VALUES: Final = 5_000
"""Different texts of a column that are taken; a column of more is free text or an id."""
CHARACTERS: Final = 100
"""Of one cell."""


@dataclass(frozen=True)
class Lexicon:
    """What may be spoken of in questions about one database."""

    schema: Schema
    names: frozenset[str]
    """Stems of the words in names of tables and columns, and in what is said of them."""
    cells: frozenset[str]
    """Stems of the words in cells."""

    @property
    def words(self) -> frozenset[str]:
        """All of them."""
        return self.names | self.cells


Lexicons = Mapping[str, Lexicon]
"""By entity; those whose database is not known are left out."""


def read_lexicon(connection: duckdb.DuckDBPyConnection) -> Lexicon:
    """The words of an open database; tables of any size in bounded time."""
    schema = schema_of(connection)
    rows = connection.execute(
        "SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns() "
        "WHERE database_name = current_database() AND NOT internal ORDER BY ALL"
    ).fetchall()
    told = [f"{table} {column} {comment or ''}" for _, table, column, _, comment in rows]
    cells: set[str] = set()
    for schema_name, table, column, kind, _ in rows:
        if kind == "VARCHAR" or kind.startswith("ENUM"):
            cells |= _cells(connection, f"{quote(schema_name)}.{quote(table)}", quote(column))
    return Lexicon(schema, stems(" ".join(told)), frozenset(cells))


def _cells(connection: duckdb.DuckDBPyConnection, source: str, name: str) -> frozenset[str]:
    """Names come from the catalogue of the same database, quoted; none is a person's input."""
    found = connection.execute(
        f"SELECT DISTINCT left(CAST({name} AS VARCHAR), {CHARACTERS}) FROM "
        f"(SELECT {name} FROM {source} LIMIT {ROWS}) WHERE {name} IS NOT NULL LIMIT {VALUES + 1}"
    ).fetchall()
    if len(found) > VALUES:
        return frozenset()
    return stems(" ".join(text for (text,) in found))
