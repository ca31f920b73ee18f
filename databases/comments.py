"""Put the comments that a scenario.toml has for tables and columns onto the freshly built ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import ConfigError, UnknownNameError
from core.sql import literal, quote
from databases.manifest import Manifest
from databases.schema import read_schema

if TYPE_CHECKING:
    import duckdb

WHOLE = "*"
"""Stands for the table itself among its columns."""


def comment(connection: duckdb.DuckDBPyConnection, manifest: Manifest) -> None:
    """Write them over the builder's own. Raises ConfigError for a table or column that is not there."""
    if not manifest.descriptions:
        return
    tables = {table.name: table for table in read_schema(connection).tables}
    for name, texts in manifest.descriptions.items():
        key = f"scenario {manifest.id}: key 'descriptions.{name}'"
        if name not in tables:
            raise ConfigError(f"{key}: {UnknownNameError('table', name, tables)}")
        table = tables[name]
        columns = {column.name for column in table.columns}
        for column, text in texts.items():
            if column == WHOLE:
                kind = "VIEW" if table.is_view else "TABLE"
                comment_on(connection, f"{kind} {table.quoted}", text)
                continue
            if column not in columns:
                raise ConfigError(
                    f"{key}: {UnknownNameError(f'column of {name}', column, columns)}"
                )
            comment_on(connection, f"COLUMN {table.quoted}.{quote(column)}", text)


def comment_on(connection: duckdb.DuckDBPyConnection, what: str, text: str) -> None:
    """One comment; `what` is SQL: 'TABLE "visits"'."""
    connection.execute(f"COMMENT ON {what} IS {literal(text)}")
