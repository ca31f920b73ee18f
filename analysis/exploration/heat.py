"""The map of the schema with heat: how many trajectories read each column, and what nobody read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from analysis.exploration.fields import Field, Fields
from core.record import Record


class FieldHeat(Record):
    """One column of the map."""

    name: str
    is_key: bool = False
    read_by: int
    """Trajectories that read it."""
    of: int
    """Trajectories that could have: those whose database holds its table."""
    accesses: int
    """By all of them."""
    facts: int = 0
    """Of a column that names facts: how many there are."""
    facts_read: int = 0
    """Of them, those that any trajectory asked for by name."""

    @property
    def share(self) -> float | None:
        """read_by / of; None where nobody could."""
        return self.read_by / self.of if self.of else None


class TableHeat(Record):
    """One block of the map."""

    name: str
    read_by: int
    """Trajectories that read any field of it."""
    of: int
    columns: tuple[FieldHeat, ...]

    @property
    def share(self) -> float | None:
        """read_by / of; None where nobody could."""
        return self.read_by / self.of if self.of else None

    @property
    def is_unread(self) -> bool:
        """Whether no trajectory read a field of it, though some could."""
        return self.of > 0 and not self.read_by


class SchemaHeat(Record):
    """All tables in the schema's order; what the dashboard and the figure draw."""

    trajectories: int
    tables: tuple[TableHeat, ...]

    @property
    def unread_tables(self) -> tuple[str, ...]:
        """Tables of which no trajectory read a field."""
        return tuple(table.name for table in self.tables if table.is_unread)

    @property
    def unread_columns(self) -> tuple[tuple[str, str], ...]:
        """(table, column) of what no trajectory read, in tables that some did read."""
        return tuple(
            (table.name, column.name)
            for table in self.tables
            if table.read_by
            for column in table.columns
            if column.of and not column.read_by
        )

    @property
    def unread_facts(self) -> tuple[tuple[str, str, int, int], ...]:
        """(table, column, facts that no trajectory asked for by name, facts there are)."""
        return tuple(
            (table.name, column.name, column.facts - column.facts_read, column.facts)
            for table in self.tables
            for column in table.columns
            if table.of and column.facts_read < column.facts
        )


def heat_of(
    fields: Fields,
    counts: Mapping[str, Mapping[str, int]],
    tables_of: Mapping[str, Collection[str] | None],
) -> SchemaHeat:
    """The map of some trajectories.

    `counts`: trajectory id to the accesses of each field that it read; `tables_of`: to the entity's own
    tables, None = all.
    """
    owned = {
        name: None if own is None else {table.lower() for table in own}
        for name, own in tables_of.items()
    }
    by_table: dict[str, list[Field]] = {}
    for field in fields.each:
        by_table.setdefault(field.table, []).append(field)
    readers: Counter[str] = Counter()
    accesses: Counter[str] = Counter()
    table_readers: Counter[str] = Counter()
    for read in counts.values():
        readers.update(read.keys())
        accesses.update(read)
        table_readers.update({fields.by_name[name].table for name in read})
    found = []
    for table, own in by_table.items():
        of = sum(o is None or table.lower() in o for o in map(owned.get, counts))
        columns = _columns(own, of, readers, accesses)
        found.append(TableHeat(name=table, read_by=table_readers[table], of=of, columns=columns))
    return SchemaHeat(trajectories=len(counts), tables=tuple(found))


def _columns(
    fields: Sequence[Field], of: int, readers: Mapping[str, int], accesses: Mapping[str, int]
) -> tuple[FieldHeat, ...]:
    facts = [field for field in fields if field.fact is not None]
    return tuple(
        FieldHeat(
            name=field.column,
            is_key=field.is_key,
            read_by=readers.get(field.name, 0),
            of=of,
            accesses=accesses.get(field.name, 0),
            facts=sum(fact.column == field.column for fact in facts),
            facts_read=sum(
                fact.column == field.column and readers.get(fact.name, 0) > 0 for fact in facts
            ),
        )
        for field in fields
        if field.fact is None
    )
