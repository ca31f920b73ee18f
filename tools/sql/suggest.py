"""Name the tables and columns that exist nearest to what a failed statement asked for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from itertools import islice

from databases.schema import Schema, Table

MOST = 40
"""Names listed in one hint; beyond it only the nearest."""

_TABLES = (
    ("Table with name ", " does not exist"),
    ('Referenced table "', '" not found!'),
    ("no such table: ", "\n"),
)
_COLUMNS = (('olumn named "', '"'), ('olumn "', '"'), ("no such column: ", "\n"))
"""What engines say in front of a name, and behind it."""
_PART = re.compile(r'\s*+(?:"((?:[^"]|"")*+)"\s*+|([^".]++))(?:\.|\Z)')
"""One part of a name with its dot. Nothing in it can be read in two ways: names are of the agent's own
making, and no other thread works while a pattern is looked for."""
LONGEST = 1000
"""Characters beyond which nothing names a table."""
DEFAULT_SCHEMAS = frozenset({"main", "public"})
"""Whose name may be left out in front of a table."""
_GUESS = re.compile(r"(?:Did you mean|Candidate bindings:)[^\n]*")


def engine_message(text: str) -> str:
    """The engine's own words, without its guesses (it proposes catalogue tables and half the
    columns; `hint` knows better)."""
    *before, last = _GUESS.split(text)
    return "".join([*(part.rstrip("\n") for part in before), last]).strip()


def hint(text: str, schema: Schema, used: Iterable[str] = ()) -> str | None:
    """What exists near the table or column that an engine's error names.

    `used` are the names in the statement's FROM: columns of those tables come first.
    """
    if name := _named(text, _TABLES):
        return table_hint(name, schema)
    if name := _named(text, _COLUMNS):
        return column_hint(name, tables_of(used, schema), schema)
    return None


def tables_of(names: Iterable[str], schema: Schema) -> list[Table]:
    """Those of the names that are tables, of the first few: a statement may name thousands."""
    return [table for name in islice(names, MOST) if (table := find_table(name, schema))]


def table_hint(name: str, schema: Schema) -> str:
    """What exists near a table's name."""
    return f"tables: {_listed(name, [t.name for t in schema.tables])}"


def column_hint(name: str, tables: Sequence[Table], schema: Schema) -> str:
    """What exists near a column's name: in these tables first, or in all where there are none."""
    return _columns(name, tables or list(schema.tables), schema)


def find_table(name: str, schema: Schema) -> Table | None:
    """The table that a person means by a name: any case, quoted or with its schema."""
    if len(name) > LONGEST:
        return None
    if as_it_stands := schema.table(name.strip()):
        return as_it_stands
    parts = _parts(name)
    for start in range(len(parts)):
        is_whole = start == 0 or parts[start - 1].lower() in DEFAULT_SCHEMAS
        if is_whole and (found := schema.table(".".join(parts[start:]))):
            return found
    return None


def unknown_table(name: str, schema: Schema) -> str:
    """An error's text for a table that is not there."""
    return f"there is no table {name!r}; tables: {_listed(name, [t.name for t in schema.tables])}"


def _parts(name: str) -> list[str]:
    """A name's parts between its dots, without their quotes; none where it is no name."""
    parts, at = [], 0
    while at < len(name):
        if (part := _PART.match(name, at)) is None:
            return []
        quoted, bare = part.groups()
        parts.append(bare.strip() if quoted is None else quoted.replace('""', '"'))
        at = part.end()
    return parts


def _named(text: str, places: Iterable[tuple[str, str]]) -> str | None:
    """The name in an engine's error, without what stands in front of its last dot."""
    for before, after in places:
        start = text.find(before) + len(before)
        if start < len(before):
            continue
        end = text.find(after, start)
        while after == '"' and end >= 0 and text.startswith('""', end):  # a quote in the name
            end = text.find(after, end + 2)
        if end < 0 and after != "\n":
            continue
        name = text[start : None if end < 0 else end].strip()
        if last := name.rpartition(".")[2].strip('"') or name:
            return last
    return None


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
