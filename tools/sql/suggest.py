"""Name the tables and columns that exist nearest to what a failed statement asked for."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from databases.schema import Schema, Table

MOST = 40
"""Names listed in one hint; beyond it only the nearest."""

_TABLE = re.compile(r'Table with name "?([^\s"!]+)"? does not exist')
_COLUMN = re.compile(r'(?:column "([^"]+)"|column named "([^"]+)"|Column "([^"]+)")')
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
        return f"tables: {_listed(found[1], [t.name for t in schema.tables])}"
    if found := _COLUMN.search(text):
        asked = next(group for group in found.groups() if group)
        tables = [table for name in used if (table := find_table(name, schema))]
        return _columns(asked, tables or list(schema.tables), schema)
    return None


def find_table(name: str, schema: Schema) -> Table | None:
    """The table that a person means by a name: any case, quoted or with its schema."""
    plain = name.replace('"', "").strip()
    return schema.table(plain) or schema.table(plain.removeprefix("main."))


def unknown_table(name: str, schema: Schema) -> str:
    """An error's text for a table that is not there."""
    return f"there is no table {name!r}; tables: {_listed(name, [t.name for t in schema.tables])}"


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
