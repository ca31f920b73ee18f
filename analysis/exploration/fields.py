"""What there is to be read in a database, and what each call of a trajectory read of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

from core.trajectory import Trajectory
from databases.schema import Schema, Table

UNFOLLOWED: Final = "?"
"""Stands among the fields of a statement that ran and that sqlglot could not follow."""
PYTHON_TOOL: Final = "execute_code"
SQL_TOOL: Final = "execute_query"

Source = Literal["sql", "python"]


@dataclass(frozen=True)
class Field:
    """A column, or a fact that can be asked for by name in a column that names facts (DDR-17)."""

    table: str
    column: str
    fact: str | None = None
    is_key: bool = False
    """Whether it names a row instead of saying something of it."""

    @property
    def name(self) -> str:
        """As the tools record it: `table.column`, `table.column=value`."""
        place = f"{self.table}.{self.column}"
        return place if self.fact is None else f"{place}={self.fact}"


@dataclass(frozen=True)
class Fields:
    """All that can be read, tables and columns in their own order, facts behind their column."""

    each: tuple[Field, ...]
    is_apart: bool = False
    """Whether these are an entity's own, in a database that holds no others: there a table goes by its
    plain name, without the schema that keeps it from other entities' tables in the whole."""

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        """Of two that are recorded alike ('a.b' of c, and a of 'b.c') the first one."""
        found: dict[str, Field] = {}
        for field in self.each:
            found.setdefault(field.name, field)
        return found

    @cached_property
    def recorded(self) -> Mapping[str, Field]:
        """By the names that the tools record."""
        if not self.is_apart:
            return self.by_name
        plain = {
            replace(field, table=field.table.rpartition(".")[2]).name: field for field in self.each
        }
        return {**plain, **self.by_name}

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that hold any."""
        return tuple(dict.fromkeys(field.table for field in self.each))

    def __len__(self) -> int:
        return len(self.by_name)

    def __contains__(self, name: object) -> bool:
        return name in self.by_name

    def within(self, tables: Collection[str] | None) -> Fields:
        """Those of an entity's own tables, in any case; all where it has none of its own."""
        if tables is None:
            return self
        own = {table.lower() for table in tables}
        return Fields(
            tuple(field for field in self.each if field.table.lower() in own), is_apart=True
        )

    def without_keys(self) -> Fields:
        """Those that say something of a row."""
        return replace(self, each=tuple(field for field in self.each if not field.is_key))


def available(
    schema: Schema,
    *,
    facts: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    entity_columns: Collection[str] = (),
) -> Fields:
    """Every column of every table and view, and every fact.

    `facts`: table to the column whose values name facts, and these values. A key is a column of a
    declared primary or foreign key, one that bears the name of a column by which entities are told apart
    (`entity_columns`, in any case), and, since most analytical files declare none, one that is called
    `id` or `..._id`.
    """
    naming = {name.lower() for name in entity_columns}
    named = {table.lower(): said for table, said in (facts or {}).items()}

    def of(table: Table) -> Iterator[Field]:
        declared = {c.lower() for key in table.keys if key.kind != "unique" for c in key.columns}
        fact_column, values = named.get(table.name.lower(), ("", ()))
        for column in table.columns:
            lower = column.name.lower()
            is_key = lower in declared or lower in naming or _is_called_key(lower)
            yield Field(table.name, column.name, is_key=is_key)
            if lower == fact_column.lower():
                yield from (Field(table.name, column.name, value) for value in values)

    return Fields(tuple(field for table in schema.tables for field in of(table)))


def _is_called_key(lower: str) -> bool:
    return lower == "id" or lower.endswith("_id")


@dataclass(frozen=True)
class Reading:
    """One call that ran SQL or Python, and what it read."""

    turn: int
    source: Source
    fields: tuple[str, ...]
    """Names of known fields, in the whole database's words: one access each, however often the statement names it (DDR-17). A call of
    Python is one access of each field too, however many queries it held."""
    is_followed: bool = True
    """False where sqlglot could not follow a statement of it: it may have read more."""
    elsewhere: int = 0
    """Names that it read and that are none of the fields asked about: keys left out, facts that do not
    exist, tables of another version."""


def readings(trajectory: Trajectory, fields: Fields) -> list[Reading]:
    """Every call that ran SQL or Python, or is recorded to have read something, in order."""
    return list(_readings(trajectory, fields))


def _readings(trajectory: Trajectory, fields: Fields) -> Iterable[Reading]:
    for turn in sorted(trajectory.turns, key=lambda turn: turn.index):
        for result in turn.tool_results:
            recorded = result.accessed_fields
            if not recorded and (result.is_error or result.name not in (SQL_TOOL, PYTHON_TOOL)):
                continue
            named = [name for name in dict.fromkeys(recorded) if name != UNFOLLOWED]
            known = tuple(fields.recorded[name].name for name in named if name in fields.recorded)
            yield Reading(
                turn=turn.index,
                source="python" if result.name == PYTHON_TOOL else "sql",
                fields=known,
                is_followed=UNFOLLOWED not in recorded,
                elsewhere=len(named) - len(known),
            )
