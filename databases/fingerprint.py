"""Hash a database's content: schema, comments and rows in canonical order, whatever the file's layout.

The algorithm, version 1. One sha-256 takes in the line `ddr-content-1`, then table by table in order of
name (views too): one line of JSON with name, comment, number of rows, view definition, declared keys and
columns (name, type, nullable, comment), then the digests of its rows, sorted, so that neither
insertion order nor threads matter and duplicates count. A row's digest is the sha-256 of its cells one
after another, each as `length in bytes:text`, a NULL as `-`. Types stand in the line of JSON, so that 1
and '1' differ though their texts are equal. What is no table or view (a macro) is left out: the
fingerprint itself is kept in one (databases/seal.py).
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from core.errors import ScenarioError
from core.sql import quote
from databases.schema import Column, Table, read_schema

if TYPE_CHECKING:
    import duckdb

ALGORITHM = "ddr-content-1"
_CHUNK_ROWS = 20_000


def fingerprint(connection: duckdb.DuckDBPyConnection) -> str:
    """sha-256 (64 hex digits) over all that an agent can read in the connection's database."""
    whole = hashlib.sha256(f"{ALGORITHM}\n".encode())
    for table in read_schema(connection).tables:
        whole.update(head(table).encode() + b"\n")
        rows = connection.execute(_digests(table))
        while chunk := rows.fetchmany(_CHUNK_ROWS):
            whole.update(b"".join(digest for (digest,) in chunk))
    return whole.hexdigest()


def head(table: Table) -> str:
    """What a fingerprint takes in of a table beside its rows, as one line of JSON."""
    # Written out, not the record's own dump: a new field of Table must not change old hashes.
    said = {
        "name": table.name,
        "comment": table.comment,
        "rows": table.row_count,
        "view": table.view_sql,
        "keys": [[key.kind, key.columns, key.references] for key in table.keys],
        "columns": [[c.name, c.type, c.nullable, c.comment] for c in table.columns],
    }
    return json.dumps(said, sort_keys=True, ensure_ascii=True)


def _digests(table: Table) -> str:
    # One call: a chain of || would copy what it has so far with every column.
    cells = ", ".join(_cell(column) for column in table.columns)
    return f"SELECT unhex(sha256(concat({cells}))) AS digest FROM {table.quoted} ORDER BY digest"


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
