"""The tables and columns of one database, found by the names that a parsed statement gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from databases.schema import Schema

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.schema import MappingSchema

Place = tuple[str, str]
"""A schema and a table in it, in lower case."""
_DEFAULT_SCHEMA = {"postgres": "public"}


class Places:
    """Where a name of a statement leads."""

    def __init__(self, schema: Schema, dialect: str) -> None:
        self._schema = schema
        self._default = _DEFAULT_SCHEMA.get(dialect, "main")
        self._columns: dict[Place, dict[str, str]] = {}
        """A place to its columns, lower-case name to true name."""
        self._names: dict[Place, str] = {}
        self._homes: dict[str, list[Place]] = {}
        for table in schema.tables:
            before, _, bare = table.name.rpartition(".")
            place = (before or self._default).lower(), bare.lower()
            self._names[place] = table.name
            self._columns[place] = {c.name.lower(): c.name for c in table.columns}
            self._homes.setdefault(place[1], []).append(place)

    def of(self, table: exp.Table) -> Place:
        """The schema that the statement names, else the default one, else where there is such a table."""
        bare = table.name.lower()
        place = (table.db or self._default).lower(), bare
        if place in self._columns or table.db:
            return place
        return self._homes.get(bare, [place])[0]

    def named(self, name: str) -> Iterator[Place]:
        """The places of a table that goes by this name in the schema."""
        return (place for place, true in self._names.items() if true.lower() == name.lower())

    def has(self, place: Place, column: str) -> bool:
        """Whether there is such a column."""
        return column.lower() in self._columns.get(place, {})

    def field(self, place: Place, column: str) -> str:
        """`table.column` by the true names."""
        return f"{self._names[place]}.{self._columns[place].get(column.lower(), column)}"

    def fields(self, place: Place, *, but: Iterable[str] = ()) -> Iterator[str]:
        """Every column of a table; none where there is no such table."""
        left_out = set(but)
        for lower, column in self._columns.get(place, {}).items():
            if lower not in left_out:
                yield f"{self._names[place]}.{column}"

    def mapping(self, dialect: Dialect) -> MappingSchema:
        """The schema as sqlglot wants it: without schemas, so that tables of one name share columns."""
        from sqlglot import exp
        from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
        from sqlglot.schema import MappingSchema

        def normal(name: str) -> str:
            quoted = exp.to_identifier(name, quoted=True)
            return normalize_identifiers(quoted, dialect=dialect).name

        tables: dict[str, object] = {}
        columns: dict[str, dict[str, str]] = {}
        for table in self._schema.tables:
            name = normal(table.name.rpartition(".")[2])
            kinds = columns.setdefault(name, {})
            kinds.update({normal(column.name): "text" for column in table.columns})
            tables[name] = kinds
        return MappingSchema(tables, dialect=dialect, normalize=False)
