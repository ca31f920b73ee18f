"""Which fields a statement reads, by the names that the tools of its entity record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from databases.installed import InstalledScenario
from databases.schema import Schema
from tools.sql.access import AccessLog

SQLGLOT: Final = {"postgresql": "postgres", "sqlalchemy": ""}
"""Our names of dialects that sqlglot calls otherwise; '' is its own neutral one."""


class Follower:
    """Follows statements as the tools of each entity would.

    Where entities have tables of their own, a table's plain name is another table to each of them.
    """

    def __init__(self, installed: InstalledScenario) -> None:
        """Raises as `InstalledScenario.schema` does."""
        self.schema: Final = installed.schema()
        self._installed = installed
        self._tables = {entity.id: entity.tables for entity in installed.entities()}
        self._own, self._log = cache(self._find_own), cache(self._make_log)

    def fields(self, entity_id: str, sql: str) -> tuple[str, ...]:
        """Sorted names; the statement may name tables as the entity's database or the whole does."""
        own = self._own(entity_id)
        found = self._log(own).fields(sql)
        return found if own is None else tuple(sorted({_plain(name, own) for name in found}))

    def _find_own(self, entity_id: str) -> tuple[str, ...] | None:
        """The tables that its database holds, by their names in the whole; None = all of them."""
        tables = self._tables.get(entity_id)
        if tables is None or self._installed.target_for(entity_id) == self._installed.target:
            return None
        return tuple(sorted(tables))

    def _make_log(self, own: tuple[str, ...] | None) -> AccessLog:
        told = self._installed.scenario.dialect
        tables = self.schema.tables
        if own is not None:
            tables = tuple(table for table in tables if table.name in own)
        return AccessLog(
            Schema(tables=tables), SQLGLOT.get(told, told), self._installed.manifest.facts
        )


def _plain(field: str, tables: Sequence[str]) -> str:
    """A field's name in a database that holds these tables alone (databases/parts.py)."""
    for table in tables:
        if field.startswith(f"{table}."):
            return table.rpartition(".")[2] + field[len(table) :]
    return field
