"""Name the tables and columns that exist nearest to what a failed statement asked for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from databases.schema import Schema, Table

MOST = 40
"""Names listed in one hint; beyond it only the nearest."""

_TABLE = re.compile(
    r'Table with name "?(.+?)"? does not exist|Referenced table "(.+)" not found!|no such table: (.+)'
)
_COLUMN = re.compile(r'[Cc]olumn (?:named )?"((?:[^"]|"")+)"|no such column: (.+)')
_PART = re.compile(r'\s*(?:"((?:[^"]|"")*)"|([^".]+?))\s*(?:\.|$)')
DEFAULT_SCHEMAS = frozenset({"main", "public"})
"""Whose name may be left out in front of a table."""
_GUESS = re.compile(r"\n*Did you mean[^\n]*|\n*Candidate bindings:[^\n]*")


def engine_message(text: str) -> str:
    """The engine's own words, without its guesses (it proposes catalogue tables and half the
    columns; `hint` knows better)."""
    return _GUESS.sub("", text).strip()


def hint(text: str, schema: Schema, used: Iterable[str] = ()) -> str | None:
    """What exists near the table or column that an engine's error names.

    `used` are the names in the statement's FROM: columns of those tables come first.
    """
    if found := _TABLE.search(text):
        return table_hint(_said(found), schema)
    if found := _COLUMN.search(text):
        tables = [table for name in used if (table := find_table(name, schema))]
        return column_hint(_said(found), tables, schema)
    return None


def table_hint(name: str, schema: Schema) -> str:
    """What exists near a table's name."""
    return f"tables: {_listed(name, [t.name for t in schema.tables])}"


def column_hint(name: str, tables: Sequence[Table], schema: Schema) -> str:
    """What exists near a column's name: in these tables first, or in all where there are none."""
    return _columns(name, tables or list(schema.tables), schema)


def find_table(name: str, schema: Schema) -> Table | None:
    """The table that a person means by a name: any case, quoted or with its schema."""
    if as_it_stands := schema.table(name.strip()):
        return as_it_stands
    parts = [(quoted or bare).replace('""', '"') for quoted, bare in _PART.findall(name)]
    for start in range(len(parts)):
        is_whole = start == 0 or parts[start - 1].lower() in DEFAULT_SCHEMAS
        if is_whole and (found := schema.table(".".join(parts[start:]))):
            return found
    return None


def unknown_table(name: str, schema: Schema) -> str:
    """An error's text for a table that is not there."""
    return f"there is no table {name!r}; tables: {_listed(name, [t.name for t in schema.tables])}"


def _said(found: re.Match[str]) -> str:
    """The name in an engine's error, without what stands in front of its last dot."""
    name = next(group for group in found.groups() if group).strip()
    return name.rpartition(".")[2].strip('"') or name


def _columns(asked: str, tables: Sequence[Table], schema: Schema) -> str:
    said = [f"columns of {t.name}: {_listed(asked, [c.name for c in t.columns])}" for t in tables]
    elsewhere = [
        f"{table.name}.{column.name}"
        for table in schema.tables
        if table not in tables
        for column in table.columns
        if column.name.lower() == asked.lower()
    ]
    if elsewhere:
        said.append(f"elsewhere: {', '.join(elsewhere)}")
    return "; ".join(said)


def _listed(asked: str, names: list[str]) -> str:
    lower = {name.lower(): name for name in names}
    near = [
        lower[n] for n in difflib.get_close_matches(asked.lower(), list(lower), n=3, cutoff=0.5)
    ]
    rest = [name for name in names if name not in near]
    shown = near + (rest if len(names) <= MOST else [])
    listed = ", ".join(shown) or "none"
    left = len(names) - len(shown)
    text = f"{listed}, and {left} more" if left and shown else listed
    return f"{text} (nearest first)" if near and len(names) > 1 else text
