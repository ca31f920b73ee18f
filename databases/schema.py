"""Read what a database says of itself: tables, columns, types, comments, keys and row counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.record import Record
from core.sql import quote

if TYPE_CHECKING:
    import duckdb


class Column(Record):
    """One column."""

    name: str
    type: str
    """The engine's name for it: VARCHAR, INTEGER, DATE, ..."""
    nullable: bool
    comment: str | None = None


class Key(Record):
    """A declared key; most analytical files declare none."""

    kind: str
    """primary key, unique or foreign key"""
    columns: tuple[str, ...]
    references: str | None = None
    """The table that a foreign key points to."""


class Table(Record):
    """One table or view."""

    name: str
    """With its schema in front where that is not `main`."""
    comment: str | None = None
    row_count: int
    columns: tuple[Column, ...]
    keys: tuple[Key, ...] = ()
    is_view: bool = False
    view_sql: str | None = None
    """How a view is defined."""

    @property
    def quoted(self) -> str:
        """The name as it stands in SQL."""
        return ".".join(quote(part) for part in self.name.split(".", 1))


class Schema(Record):
    """All that a database holds. No table is hidden, whatever its name ends in."""

    tables: tuple[Table, ...]

    def table(self, name: str) -> Table | None:
        """The table of that name, in any case."""
        return next((t for t in self.tables if t.name.lower() == name.lower()), None)


def read_schema(connection: duckdb.DuckDBPyConnection) -> Schema:
    """Tables and views of the connection's database by name, columns in their own order."""
    columns = _columns(connection)
    keys = _keys(connection)
    tables = []
    for schema, name, comment, is_view, sql in connection.execute(_TABLES).fetchall():
        place = f"{quote(schema)}.{quote(name)}"
        counted = connection.execute(f"SELECT count(*) FROM {place}").fetchone()
        tables.append(
            Table(
                name=name if schema == "main" else f"{schema}.{name}",
                comment=comment,
                row_count=counted[0] if counted else 0,
                columns=tuple(columns.get((schema, name), ())),
                keys=tuple(keys.get((schema, name), ())),
                is_view=is_view,
                view_sql=sql,
            )
        )
    return Schema(tables=tuple(tables))


_TABLES = """
    SELECT schema_name, table_name, comment, false AS is_view, NULL AS sql FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    UNION ALL
    SELECT schema_name, view_name, comment, true, sql FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal AND NOT temporary
    ORDER BY 1, 2
"""
_COLUMNS = """
    SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
    FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal
    ORDER BY schema_name, table_name, column_index
"""
_KEYS = """
    SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table
    FROM duckdb_constraints() WHERE database_name = current_database()
    AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
    ORDER BY schema_name, table_name, constraint_index
"""


def _columns(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], list[Column]]:
    found: dict[tuple[str, str], list[Column]] = {}
    for schema, table, name, kind, nullable, comment in connection.execute(_COLUMNS).fetchall():
        column = Column(name=name, type=kind, nullable=nullable, comment=comment)
        found.setdefault((schema, table), []).append(column)
    return found


def _keys(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str], list[Key]]:
    found: dict[tuple[str, str], list[Key]] = {}
    for schema, table, kind, columns, target in connection.execute(_KEYS).fetchall():
        key = Key(kind=kind.lower(), columns=tuple(columns), references=target or None)
        found.setdefault((schema, table), []).append(key)
    return found
