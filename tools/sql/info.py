"""Tell an agent what the database holds: its tables, and one table's columns."""

from __future__ import annotations

from typing import Any

from core.errors import ToolError
from databases.schema import Schema, Table
from tools.limits import ToolLimits
from tools.sql.suggest import find_table, unknown_table
from tools.values import clip, compact

MOST_KEYS = 20
SPARE = 300
"""Kept free for the fields around a list."""


def database_info(schema: Schema, dialect: str, limits: ToolLimits) -> dict[str, Any]:
    """Tables with comments, row and column counts; no columns, so that it stays small."""
    entries = [_summary(table) for table in schema.tables]
    kept = _fitting(entries, limits.reply_chars - SPARE)
    left = len(entries) - len(kept)
    note = f"{left} more tables: list them with execute_query('SHOW TABLES')." if left else None
    return {"dialect": dialect, "table_count": len(entries), **_cut(left, note), "tables": kept}


def describe_table(schema: Schema, name: str, offset: int, limits: ToolLimits) -> dict[str, Any]:
    """One table's columns, from `offset` on, as many as fit."""
    table = find_table(name, schema)
    if table is None:
        raise ToolError(unknown_table(name, schema), kind="arguments")
    entries = [
        {
            "name": column.name,
            "type": clip(column.type, 400)[0],
            "nullable": column.nullable,
            "comment": _comment(column.comment),
        }
        for column in table.columns
    ]
    head = {
        "table": table.name,
        **{key: value for key, value in _summary(table).items() if key != "name"},
        "keys": [_key(key) for key in table.keys[:MOST_KEYS]],
    }
    room = limits.reply_chars - SPARE - len(compact(head))
    kept = _fitting(entries[offset:], room)
    left = max(len(entries) - offset - len(kept), 0)
    note = f"{left} more columns: call again with offset {offset + len(kept)}." if left else None
    return {**head, "offset": offset, **_cut(left, note), "columns": kept}


def _summary(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "kind": "view" if table.is_view else "table",
        "comment": _comment(table.comment),
        "row_count": table.row_count,
        "column_count": len(table.columns),
    }


def _key(key: Any) -> dict[str, Any]:
    return {"kind": key.kind, "columns": list(key.columns), "references": key.references}


def _comment(text: str | None) -> str | None:
    return clip(text, 500)[0] if text else None


def _cut(left: int, note: str | None) -> dict[str, Any]:
    return {
        "truncated": left > 0,
        "truncation_reason": "bytes" if left else None,
        "note": note,
    }


def _fitting(entries: list[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    used = 0
    for place, entry in enumerate(entries):
        used += len(compact(entry)) + 1
        if used > room and place:
            return entries[:place]
    return entries
