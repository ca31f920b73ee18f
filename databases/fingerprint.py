"""Hash a database's content: schema, comments and rows in canonical order, whatever the file's layout.

The algorithm, version 1. Tables and views in order of name; of each one line of JSON with name,
comment, view text, declared keys and columns (name, type, nullable, comment); then its rows. A row
is the text of its cells, each as `length:text`, a NULL as `-`; the sha-256 of that text is the
row's digest; the digests are sorted, so that insertion order and threads do not matter, and
duplicates count. All of it goes through one sha-256. Types are part of the line of JSON, so that 1 and
'1' differ though their texts are equal. What is no table or view (a macro) is left out: the
fingerprint itself is kept in one.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from core.errors import ScenarioError
from databases.schema import Column, Table, quote, read_schema

if TYPE_CHECKING:
    import duckdb

ALGORITHM = "ddr-content-1"
_CHUNK_ROWS = 20_000


def fingerprint(connection: duckdb.DuckDBPyConnection) -> str:
    """sha-256 (64 hex digits) over all that an agent can read in the connection's database."""
    whole = hashlib.sha256(f"{ALGORITHM}\n".encode())
    for table in read_schema(connection).tables:
        whole.update(_head(table).encode() + b"\n")
        rows = connection.execute(_digests(table))
        while chunk := rows.fetchmany(_CHUNK_ROWS):
            whole.update(b"".join(digest for (digest,) in chunk))
    return whole.hexdigest()


def _head(table: Table) -> str:
    return json.dumps(table.model_dump(mode="json"), sort_keys=True, ensure_ascii=True)


def _digests(table: Table) -> str:
    cells = " || ".join(_cell(column) for column in table.columns)
    return f"SELECT unhex(sha256({cells})) AS digest FROM {table.quoted} ORDER BY digest"


def _cell(column: Column) -> str:
    text = _text(column)
    return f"coalesce(strlen({text})::VARCHAR || ':' || {text}, '-')"


def _text(column: Column) -> str:
    name, kind = quote(column.name), column.type
    if "UNION(" in kind or ("WITH TIME ZONE" in kind and kind.endswith((")", "]"))):
        raise ScenarioError(f"column {column.name}: type {kind} has no text to take a hash of")
    if kind == "VARCHAR":
        return name
    if kind == "BLOB":
        return f"hex({name})"
    if kind == "TIMESTAMP WITH TIME ZONE":
        # As text it would hang on the session's time zone.
        return f"epoch_us({name})::VARCHAR"
    return f"{name}::VARCHAR"
