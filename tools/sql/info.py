"""Tell an agent what the database holds: its tables, and one table's columns."""

from __future__ import annotations

from typing import Any

from core.errors import ToolError
from databases.schema import Schema
from tools.limits import ToolLimits
from tools.sql.suggest import find_table, unknown_table
from tools.values import clip, compact

MOST_KEYS = 20
SPARE = 300
"""Kept free for the fields around a list."""


def database_info(
    schema: Schema, dialect: str, offset: int, limits: ToolLimits, reply_chars: int | None = None
) -> dict[str, Any]:
    """Tables from `offset` on with comments and column counts, and nothing else: it stays small."""
    entries = [
        {
            "name": table.name,
            "comment": _comment(table.comment),
            "column_count": len(table.columns),
        }
        for table in schema.tables
    ]
    kept = _fitting(entries[offset:], (reply_chars or limits.reply_chars) - SPARE)
    return {
        "dialect": dialect,
        "table_count": len(entries),
        **_cut("tables", len(entries), offset, len(kept)),
        "tables": kept,
    }


def describe_table(
    schema: Schema, name: str, offset: int, limits: ToolLimits, reply_chars: int | None = None
) -> dict[str, Any]:
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
        "kind": "view" if table.is_view else "table",
        "comment": _comment(table.comment),
        "row_count": table.row_count,
        "column_count": len(table.columns),
        "keys": [_key(key) for key in table.keys[:MOST_KEYS]],
    }
    room = (reply_chars or limits.reply_chars) - SPARE - len(compact(head))
    kept = _fitting(entries[offset:], room)
    return {**head, **_cut("columns", len(entries), offset, len(kept)), "columns": kept}


def _key(key: Any) -> dict[str, Any]:
    return {"kind": key.kind, "columns": list(key.columns), "references": key.references}


def _comment(text: str | None) -> str | None:
    return clip(text, 500)[0] if text else None


def _cut(noun: str, total: int, offset: int, shown: int) -> dict[str, Any]:
    """The fields that say what of a list is missing, and how to go on."""
    left = max(total - offset - shown, 0)
    return {
        "offset": offset,
        "truncated": left > 0,
        "truncation_reason": "bytes" if left else None,
        "note": f"{left} more {noun}: call again with offset {offset + shown}." if left else None,
    }


def _fitting(entries: list[dict[str, Any]], room: int) -> list[dict[str, Any]]:
    used = 0
    for place, entry in enumerate(entries):
        used += len(compact(entry)) + 1
        if used > room and place:
            return entries[:place]
    return entries
