"""Ask the tools for tables and columns, and tell by its type what may be asked of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agent.profiler import quoting
from agent.profiler.reply import Ask, Conversation, whole
from agent.profiler.wording import table_words

MAX_COLUMNS = 400
"""Columns of one table that are looked at."""
_WHOLE = {
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "INT", "INT4", "INT8",
    "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
}  # fmt: skip
_REAL = {"FLOAT", "DOUBLE", "REAL", "DECIMAL", "NUMERIC", "FLOAT4", "FLOAT8"}
_TEXT = {"VARCHAR", "TEXT", "CHAR", "STRING", "BPCHAR", "ENUM", "UUID"}


class Kind(StrEnum):
    """What may be asked of a column, by its type."""

    WHOLE = "whole"
    REAL = "real"
    TEXT = "text"
    DATE = "date"
    MOMENT = "moment"
    FLAG = "flag"
    OTHER = "other"

    @property
    def numeric(self) -> bool:
        """Whether it can be averaged."""
        return self in (Kind.WHOLE, Kind.REAL)


@dataclass(frozen=True)
class Field:
    """A column as described: its name and type, before anything was asked of its values."""

    table: str
    name: str
    type: str

    @property
    def key(self) -> str:
        """Its name in the whole database."""
        return f"{self.table}.{self.name}"

    @property
    def kind(self) -> Kind:
        """By type alone."""
        return kind_of(self.type)

    @property
    def zoned(self) -> bool:
        """Whether it is a moment with a time zone."""
        return self.kind is Kind.MOMENT and ("ZONE" in self.type.upper() or "TZ" in self.type)


@dataclass(frozen=True)
class Table:
    """A table as described."""

    name: str
    rows: int
    fields: tuple[Field, ...]


def kind_of(type_name: str) -> Kind:
    """The kind of a DuckDB type name."""
    upper = type_name.strip().upper()
    if upper.endswith("]"):
        return Kind.OTHER
    base = upper.split("(")[0].strip()
    if base in _WHOLE:
        return Kind.WHOLE
    if base in _REAL:
        return Kind.REAL
    if base in _TEXT:
        return Kind.TEXT
    if base == "DATE":
        return Kind.DATE
    if base.startswith(("TIMESTAMP", "DATETIME")):
        return Kind.MOMENT
    return Kind.FLAG if base in ("BOOLEAN", "BOOL") else Kind.OTHER


def read_schema(most: int) -> Conversation[list[Table]]:
    """Ask for the tables, at most so many, and for the columns of each, page by page."""
    reply = yield Ask("get_database_info", {}, "See which tables there are.")
    names = [str(t["name"]) for t in _maps(reply.data.get("tables")) if t.get("name")]
    if reply.data.get("truncated"):
        listed = yield Ask(
            "execute_query", {"query": "SHOW TABLES", "limit": 200}, "See the other tables' names."
        )
        names += [str(row["name"]) for row in listed.rows if row.get("name")]
    tables = []
    for name in list(dict.fromkeys(names))[:most]:
        table = yield from _read_table(name)
        if table.fields:
            tables.append(table)
    return tables


def _read_table(name: str) -> Conversation[Table]:
    fields: list[Field] = []
    rows = 0
    more = True
    while more and len(fields) < MAX_COLUMNS:
        arguments: dict[str, Any] = {"table_name": name}
        if fields:
            arguments["offset"] = len(fields)
        reply = yield Ask("describe_table", arguments, f"See the columns of {table_words(name)}.")
        found = [
            Field(name, str(column["name"]), str(column.get("type") or ""))
            for column in _maps(reply.data.get("columns"))
            if column.get("name")
        ]
        if not fields and not found:
            found = yield from _from_a_row(name)
        fields += found
        rows = whole(reply.data.get("row_count")) or rows
        more = bool(found and reply.data.get("truncated"))
    return Table(name, rows, tuple(fields[:MAX_COLUMNS]))


def _from_a_row(table: str) -> Conversation[list[Field]]:
    """Names and types by a query, for a table whose name the describing tool does not take."""
    query = f"SELECT * FROM {quoting.name(table)} LIMIT 1"
    reply = yield Ask("execute_query", {"query": query}, f"See a row of {table_words(table)}.")
    names, types = reply.data.get("columns"), reply.data.get("types")
    if not isinstance(names, list | tuple) or not isinstance(types, list | tuple):
        return []
    return [Field(table, str(n), str(t)) for n, t in zip(names, types, strict=False)]


def _maps(value: Any) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list | tuple) else []
