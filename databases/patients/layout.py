"""The tables of MIMIC-IV v3.1: columns, types and meanings from layout.toml, and how they are made."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from core.errors import UsageError
from core.sql import quote
from databases.comments import comment_on

if TYPE_CHECKING:
    import duckdb

CHOICES = ("ddr", "all")
"""What `--tables` takes: without the two giants chartevents and emar_detail, or with them."""
NOTE_COLUMNS = {
    "note_id": "VARCHAR",
    "subject_id": "INTEGER",
    "hadm_id": "INTEGER",
    "note_type": "VARCHAR",
    "note_seq": "INTEGER",
    "charttime": "TIMESTAMP",
    "storetime": "TIMESTAMP",
    "text": "VARCHAR",
}
"""Of note/discharge and note/radiology, which are a release of their own."""
NOTE_FILES = ("discharge", "radiology")


@dataclass(frozen=True)
class Column:
    """One column of a table."""

    name: str
    type: str
    comment: str


@dataclass(frozen=True)
class Table:
    """One table, and the file that it is published as."""

    name: str
    module: str
    """Folder of its file: hosp or icu."""
    comment: str
    order: tuple[str, ...]
    """What its rows are sorted by, so that questions about one patient read little."""
    unique: str | None
    """The column whose values must not stand twice."""
    giant: bool
    columns: tuple[Column, ...]

    @property
    def types(self) -> dict[str, str]:
        """Column to type, in the file's order."""
        return {column.name: column.type for column in self.columns}


@cache
def layout() -> Mapping[str, Table]:
    """Every table of v3.1 by name."""
    text = resources.files(__package__).joinpath("layout.toml").read_text(encoding="utf-8")
    plain = tomllib.loads(text)
    shared: Mapping[str, str] = plain["shared"]
    return {
        name: Table(
            name=name,
            module=said["module"],
            comment=said["comment"],
            order=tuple(said["order"]),
            unique=said.get("unique"),
            giant=said.get("giant", False),
            columns=tuple(_column(each, text, shared) for each, text in said["columns"].items()),
        )
        for name, said in plain["tables"].items()
    }


def chosen(choice: str) -> tuple[Table, ...]:
    """The tables of `--tables`. Raises UsageError where the word is another."""
    if choice not in CHOICES:
        raise UsageError(f"--tables is {' or '.join(CHOICES)}, not {choice!r}")
    return tuple(table for table in layout().values() if choice == "all" or not table.giant)


def create(connection: duckdb.DuckDBPyConnection, table: Table) -> None:
    """An empty table with its comments."""
    name = quote(table.name)
    columns = ", ".join(f"{quote(column.name)} {column.type}" for column in table.columns)
    connection.execute(f"CREATE TABLE {name} ({columns})")
    comment_on(connection, f"TABLE {name}", table.comment)
    for column in table.columns:
        comment_on(connection, f"COLUMN {name}.{quote(column.name)}", column.comment)


def _column(name: str, said: str, shared: Mapping[str, str]) -> Column:
    kind, _, comment = said.partition(" | ")
    return Column(name, kind, comment or shared[name])
