"""Ask each item's question a second time: of SQLite, in SQLite's words, on a copy of the tables."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from checklists.evidence import Value
from checklists.proof import Outcome, Progress
from checklists.second.functions import add_functions
from checklists.second.rewriting import Types, rewritten
from checklists.statement import columns_read
from core.checklist import ChecklistItem
from core.errors import ChecklistError
from core.sql import literal, quote

if TYPE_CHECKING:
    import duckdb

MOST_ROWS = 3_000_000
"""Rows that are copied into memory at most; items that need more are not compared."""
SECONDS = 30.0
"""What one statement may take there."""
LONGEST = 100_000_000
"""Bytes of one value or row there: SQLite's own bound is a gigabyte."""
NEAR = 1e-6
"""How near the two values must be, as a share of the value or absolutely."""
_CHUNK = 20_000
_ENTITY = "'@entity@'"

_KEPT = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), ("INTEGER", "{}")),
    **dict.fromkeys(("DOUBLE", "FLOAT"), ("REAL", "{}")),
    **dict.fromkeys(("DECIMAL", "HUGEINT", "UBIGINT"), ("REAL", "CAST({} AS DOUBLE)")),
    "BOOLEAN": ("INTEGER", "CAST({} AS INTEGER)"),
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID", "DATE", "TIMESTAMP"), ("TEXT", "CAST({} AS VARCHAR)")),
}  # fmt: skip
"""How a column of a type is kept in SQLite, and read from DuckDB."""


def compared(
    items: Sequence[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    values: Mapping[str, Value],
    progress: Progress,
) -> Outcome:
    """Which items come out otherwise in SQLite than by their evidence, and which are not compared.

    `values` = what the evidence gave, by item.
    """
    outcome = Outcome()
    types = _types(connection)
    statements = _rewritten_all(items, values, types, outcome)
    mine = [item for item in items if item.id in statements]
    with sqlite3.connect(":memory:", isolation_level=None) as second:
        add_functions(second)
        # No other file and no endless text, whatever a statement says.
        second.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        second.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        # LIKE heeds case in DuckDB.
        second.execute("PRAGMA case_sensitive_like = ON")
        progress("copying the tables for the second engine", 0.0)
        _copy_tables(mine, connection, second, types, outcome)
        for number, item in enumerate(mine):
            if number % 100 == 0:
                progress("asking the second engine", number / len(mine))
            if item.id not in outcome.unknown:
                _compare(item, statements[item.id], values[item.id], second, outcome)
    second.close()
    progress("asking the second engine", 1.0)
    return outcome


def _rewritten_all(
    items: Iterable[ChecklistItem], values: Mapping[str, Value], types: Types, outcome: Outcome
) -> dict[str, str]:
    """The statements for SQLite, by item. Items that differ by their entity alone are read once."""
    known: dict[str, str | ChecklistError] = {}
    found: dict[str, str] = {}
    for item in items:
        if item.evidence_sql is None or item.id not in values:
            outcome.unknown[item.id] = "there is no value to compare"
            continue
        entity = literal(item.entity_id)
        general = item.evidence_sql.replace(entity, _ENTITY)
        if general not in known:
            try:
                known[general] = rewritten(general, types)
            except ChecklistError as exc:
                known[general] = exc
        statement = known[general]
        if isinstance(statement, ChecklistError):
            outcome.unknown[item.id] = f"SQLite has no words for it: {statement}"
        else:
            found[item.id] = statement.replace(_ENTITY, entity)
    return found


def _types(connection: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """The columns that can be copied, with their types, by table."""
    rows = connection.execute(
        "SELECT table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal "
        "ORDER BY ALL"
    ).fetchall()
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in rows:
        columns = found.setdefault(table.lower(), {})
        name = kind.split("(", maxsplit=1)[0]
        if name in _KEPT and not kind.endswith("]"):
            columns[column.lower()] = "VARCHAR" if name in {"ENUM", "UUID"} else kind
    return found


def _copy_tables(
    items: Iterable[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    second: sqlite3.Connection,
    types: Types,
    outcome: Outcome,
) -> None:
    """Copy what the items read. A table that is too large leaves its items uncompared."""
    needed: dict[str, set[str]] = {}
    readers: dict[str, list[str]] = {}
    for item in items:
        assert item.evidence_sql is not None
        for table, columns in columns_read(item.evidence_sql, types).items():
            needed.setdefault(table, set()).update(columns)
            readers.setdefault(table, []).append(item.id)
    room = MOST_ROWS
    for table, read in sorted(needed.items()):
        rows = connection.execute(f"SELECT count(*) FROM {quote(table)}").fetchall()[0][0]
        if rows > room:
            reason = f"{table} has {rows:,} rows, and {MOST_ROWS:,} are copied at most"
            outcome.unknown.update(dict.fromkeys(readers[table], reason))
            continue
        room -= rows
        _copy_table(table, sorted(read) or sorted(types[table])[:1], connection, second, types)
        for column in sorted(read & _entity_columns(items)):
            index = quote(f"{table}:{column}")
            second.execute(f"CREATE INDEX {index} ON {quote(table)} ({quote(column)})")
    # Without the tables' sizes SQLite joins by going through the one for each row of the other.
    second.execute("ANALYZE")


def _copy_table(
    table: str,
    columns: Sequence[str],
    connection: duckdb.DuckDBPyConnection,
    second: sqlite3.Connection,
    types: Types,
) -> None:
    kept = [_KEPT[types[table][column].split("(", maxsplit=1)[0]] for column in columns]
    named = ", ".join(f"{quote(c)} {kind}" for c, (kind, _) in zip(columns, kept, strict=True))
    taken = ", ".join(form.format(quote(c)) for c, (_, form) in zip(columns, kept, strict=True))
    second.execute(f"CREATE TABLE {quote(table)} ({named})")
    marks = ", ".join("?" for _ in columns)
    cursor = connection.cursor()
    cursor.execute(f"SELECT {taken} FROM {quote(table)}")
    second.execute("BEGIN")
    while rows := cursor.fetchmany(_CHUNK):
        second.executemany(f"INSERT INTO {quote(table)} VALUES ({marks})", rows)
    second.execute("COMMIT")
    cursor.close()


def _entity_columns(items: Iterable[ChecklistItem]) -> set[str]:
    """Columns that are compared with an entity's id: SQLite finds its rows by an index."""
    import re

    found: set[str] = set()
    for item in items:
        pattern = rf"(\w+)\s*=\s*{re.escape(literal(item.entity_id))}"
        found.update(name.lower() for name in re.findall(pattern, item.evidence_sql or ""))
    return found


def _compare(
    item: ChecklistItem, sql: str, first: Value, second: sqlite3.Connection, outcome: Outcome
) -> None:
    deadline = time.monotonic() + SECONDS
    second.set_progress_handler(lambda: time.monotonic() > deadline, 100_000)
    try:
        rows = second.execute(sql).fetchmany(2)
    except (sqlite3.Error, ValueError, OverflowError) as exc:
        outcome.unknown[item.id] = f"SQLite does not take it: {exc}"
        return
    if len(rows) != 1:
        outcome.failed[item.id] = "SQLite gives no row" if not rows else "SQLite gives several rows"
    elif not _near(first, rows[0][0]):
        outcome.failed[item.id] = f"the evidence gives {first!r}, SQLite {rows[0][0]!r}"


def _near(first: Value, second: object) -> bool:
    if isinstance(first, float) and isinstance(second, (int, float)):
        return abs(first - second) <= NEAR * max(1.0, abs(first))
    if isinstance(first, str) and isinstance(second, str):
        # A moment has a T between day and hour in Python, and a blank in SQL.
        return first in {second, second.replace(" ", "T", 1)}
    return first == second
