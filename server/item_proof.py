"""Prove one item while somebody waits: its evidence on the database, and on one disordered copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from checklists.evidence import Value, in_time, value_of
from checklists.perturb import Perturbation, copy_of
from checklists.reading import columns_of
from checklists.validate import schema_of
from core.checklist import ChecklistItem
from core.errors import ChecklistError, DdrError, UnknownNameError
from databases.catalog import open_scenario
from databases.connection import open_readonly
from server.settings import Settings

if TYPE_CHECKING:
    import duckdb

SECONDS: Final = 20.0
"""One statement may take so long."""
MEMORY_MB: Final = 2048
SEED: Final = 0
"""Of the disordered copy: the first of those that `ddr checklists verify` makes."""


@dataclass(frozen=True)
class Side:
    """What the evidence gave on one database."""

    value: Value = None
    holds: bool | None = None
    """Whether it is the expected value; None where the evidence gave none."""
    fault: str | None = None
    """Why it gave none."""


@dataclass(frozen=True)
class ItemProof:
    """An item's evidence on the database as it is, and where its relation was taken away."""

    own: Side
    perturbed: Side | None
    """None where the item names no perturbation."""

    @property
    def stands(self) -> bool:
        """Whether it holds, and fails on the copy by giving another value there."""
        return self.own.holds is True and (
            self.perturbed is not None and self.perturbed.holds is False
        )


def prove(item: ChecklistItem, scenario_id: str, settings: Settings) -> ItemProof:
    """Both sides, on the database that the agents of its entity explore; it is only read.

    Raises ChecklistError for an item without evidence, UsageError or DatabaseError where the database is
    not here or not DuckDB's.
    """
    if item.evidence_sql is None or item.expected is None:
        raise ChecklistError(f"{item.id} has no evidence in SQL")
    installed = open_scenario(scenario_id, settings.home)
    installed.check()
    if not installed.manifest.is_filled_here:
        raise ChecklistError(f"another engine answers for {scenario_id}; evidence is run on DuckDB")
    (place,) = installed.databases([item.entity_id]).values()
    with open_readonly(place, memory_mb=MEMORY_MB) as connection:
        own = _side(item, connection)
        if item.perturbation is None:
            return ItemProof(own, None)
        schema = schema_of(connection)
        try:
            perturbation = Perturbation.parse(item.perturbation)
            columns = columns_of([item], perturbation.table, schema, None)
            with copy_of(connection) as copy, in_time(copy.cursor, SECONDS):
                copy.disorder(perturbation, SEED, columns)
                perturbed = _side(item, copy.cursor)
        except (ChecklistError, UnknownNameError) as exc:
            perturbed = Side(fault=str(exc))
    return ItemProof(own, perturbed)


def _side(item: ChecklistItem, connection: duckdb.DuckDBPyConnection) -> Side:
    assert item.evidence_sql is not None
    assert item.expected is not None
    try:
        with in_time(connection, SECONDS):
            value = value_of(connection, item.evidence_sql)
    except DdrError as exc:
        return Side(fault=str(exc))
    return Side(value, None if value is None else item.expected.holds(value))
