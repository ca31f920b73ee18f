"""Keep a database's fingerprint inside its own file, where no list of tables shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import DatabaseError

if TYPE_CHECKING:
    import duckdb

# DuckDB 2 has no comments on databases or schemas. A macro is stored in the file, belongs to no
# table, and is in no list that an agent's tools show.
MACRO = "content_fingerprint"


def write_seal(connection: duckdb.DuckDBPyConnection, value: str) -> None:
    """Store a fingerprint of 64 hex digits in the open file."""
    if len(value) != 64 or not set(value) <= set("0123456789abcdef"):
        raise ValueError("a fingerprint is 64 hex digits")
    connection.execute(f"CREATE OR REPLACE MACRO main.{MACRO}() AS '{value}'")


def read_seal(connection: duckdb.DuckDBPyConnection) -> str:
    """The stored fingerprint. Raises DatabaseError where the file holds none."""
    row = connection.execute(
        "SELECT macro_definition FROM duckdb_functions() "
        "WHERE database_name = current_database() AND function_name = ? AND NOT internal",
        [MACRO],
    ).fetchone()
    if row is None:
        raise DatabaseError("the database holds no fingerprint")
    return str(row[0]).strip("()' ")
