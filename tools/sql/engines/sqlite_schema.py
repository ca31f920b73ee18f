"""Read what a SQLite file says of itself."""

from __future__ import annotations

import sqlite3
from typing import Any

from core.sql import quote
from databases.schema import Column, Key, Schema, Table

HIDDEN = 1
"""In table_xinfo: a virtual table's parameter, which is no column. Generated columns are 2 and 3."""


def read_schema(connection: sqlite3.Connection) -> Schema:
    """Tables and views by name, columns in their own order. SQLite has no comments."""
    rows = connection.execute(
        "SELECT name, type = 'view', sql FROM sqlite_master WHERE type IN ('table', 'view')"
        " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    ).fetchall()
    return Schema(
        tables=tuple(_table(connection, name, bool(view), sql) for name, view, sql in rows)
    )


def _table(connection: sqlite3.Connection, name: str, is_view: bool, sql: str) -> Table:
    (count,) = connection.execute(f"SELECT count(*) FROM {quote(name)}").fetchone()
    columns = [row for row in _pragma(connection, "table_xinfo", name) if row[6] != HIDDEN]
    return Table(
        name=name,
        row_count=count,
        columns=tuple(
            Column(name=column, type=kind or "ANY", nullable=not (not_null or place))
            for _, column, kind, not_null, _, place, _ in columns
        ),
        keys=() if is_view else tuple(_keys(connection, name, columns)),
        is_view=is_view,
        view_sql=sql if is_view else None,
    )


def _keys(connection: sqlite3.Connection, name: str, columns: list[tuple[Any, ...]]) -> list[Key]:
    keys = []
    if primary := sorted((row[5], row[1]) for row in columns if row[5]):
        keys.append(Key(kind="primary key", columns=tuple(column for _, column in primary)))
    for _, index, is_unique, origin, _ in _pragma(connection, "index_list", name):
        if is_unique and origin == "u":
            of = [row[2] for row in _pragma(connection, "index_info", index)]
            keys.append(Key(kind="unique", columns=tuple(of)))
    foreign: dict[int, tuple[str, list[str]]] = {}
    for number, _, target, column, *_ in _pragma(connection, "foreign_key_list", name):
        foreign.setdefault(number, (target, []))[1].append(column)
    keys += [
        Key(kind="foreign key", columns=tuple(of), references=target)
        for target, of in foreign.values()
    ]
    return keys


def _pragma(connection: sqlite3.Connection, pragma: str, name: str) -> list[tuple[Any, ...]]:
    return connection.execute(f"PRAGMA {pragma}({quote(name)})").fetchall()
