"""What a scenario comes to, as in the paper's Table 1: entities, tables, fields, records, size, items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from checklists.loader import checklist_for, has_checklist
from core.errors import DdrError
from databases.installed import InstalledScenario
from databases.schema import Table
from server.settings import Settings

State = Literal["built", "not built", "not usable"]


@dataclass(frozen=True)
class Facts:
    """Of one scenario. None = not known, because it is not built, or cannot be read."""

    state: State
    reason: str | None = None
    """Why it is not usable."""
    entities: int | None = None
    tables: tuple[Table, ...] | None = None
    records: int | None = None
    """Rows of all tables."""
    fields: int | None = None
    """Columns, and the names of facts where rows are facts of many kinds (EVALUATION, DDR-17)."""
    size: int | None = None
    """Bytes of the database file; None for a server."""
    items: int | None = None
    """Accepted items of the checklist; None where it has none of its own."""


def facts_of(installed: InstalledScenario, settings: Settings) -> Facts:
    """Read anew: the database is opened for it where it is built. Raises ChecklistError."""
    scenario = installed.scenario
    items: int | None = None
    if has_checklist(scenario.id, settings.checklists):
        found = checklist_for(scenario.id, settings.checklists).items
        items = sum(item.status == "accepted" for item in found)
    if not installed.is_built():
        return Facts("not built", items=items)
    entities = len(installed.entities())
    try:
        tables = installed.schema().tables
        return Facts(
            "built",
            entities=entities,
            tables=tables,
            records=sum(table.row_count or 0 for table in tables),
            fields=sum(len(table.columns) for table in tables) + installed.fact_count(),
            size=None if installed.is_server else installed.database_path.stat().st_size,
            items=items,
        )
    except (DdrError, OSError) as exc:
        return Facts("not usable", reason=str(exc), entities=entities, items=items)
