"""Read the tools' description of a database into tables and columns with kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from agent.profiler.reply import Reply, whole

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


def read_names(reply: Reply) -> tuple[str, ...]:
    """Table names of get_database_info, in its order."""
    return tuple(
        str(table["name"]) for table in _maps(reply.data.get("tables")) if table.get("name")
    )


def read_table(table: str, reply: Reply) -> Table | None:
    """One table of describe_table; None where the reply has no columns."""
    fields = tuple(
        Field(table, str(column["name"]), str(column.get("type") or ""))
        for column in _maps(reply.data.get("columns"))
        if column.get("name")
    )
    return Table(table, whole(reply.data.get("row_count")), fields) if fields else None


def _maps(value: Any) -> list[Mapping[str, Any]]:
    return [v for v in value if isinstance(v, Mapping)] if isinstance(value, list | tuple) else []
