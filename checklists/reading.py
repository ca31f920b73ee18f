"""Read many items' values on a database or a copy: by template where that is known, else one by one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checklists.authoring.asked import Asked
from checklists.evidence import Value, in_time, value_of
from checklists.statement import Schema, columns_read
from core.checklist import ChecklistItem
from core.errors import ChecklistError

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Reading:
    """What an item's fact comes to on some database."""

    value: Value
    fault: str | None = None
    """Why there is none, where the evidence itself failed."""


def read(
    items: Iterable[ChecklistItem],
    cursor: duckdb.DuckDBPyConnection,
    asked: Asked | None,
    seconds: float | None = None,
) -> dict[str, Reading]:
    """The reading of each item that has evidence, by its id.

    `seconds`: what one statement may take, where it is not ours.
    """
    listed = [item for item in items if item.evidence_sql is not None]
    known = asked.values(listed, cursor) if asked else {}
    return {
        item.id: Reading(known[item.id]) if item.id in known else _alone(item, cursor, seconds)
        for item in listed
    }


def columns_of(
    items: Iterable[ChecklistItem], table: str, schema: Schema, asked: Asked | None
) -> frozenset[str] | None:
    """The columns of one table that reading the items needs; None where that cannot be said."""
    statements: dict[str, str] = {}
    for item in items:
        if asked is not None and asked.knows(item):
            template = asked.candidates[item.id].template
            statements[template.name] = asked.subject.for_all(template)
        if item.evidence_sql is not None:
            # Items that differ by their entity alone read the same.
            statements[item.evidence_sql.replace(item.entity_id, "")] = item.evidence_sql
    found: set[str] = set()
    for sql in statements.values():
        try:
            found |= columns_read(sql, schema).get(table.lower(), frozenset())
        except ChecklistError:
            return None
    return frozenset(found)


def _alone(
    item: ChecklistItem, cursor: duckdb.DuckDBPyConnection, seconds: float | None
) -> Reading:
    assert item.evidence_sql is not None
    try:
        with nullcontext() if seconds is None else in_time(cursor, seconds):
            return Reading(value_of(cursor, item.evidence_sql))
    except ChecklistError as exc:
        return Reading(None, str(exc))
