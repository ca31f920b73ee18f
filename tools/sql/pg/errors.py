"""Put PostgreSQL's failures into words that help an agent and show nothing of the server."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.errors import DatabaseError, ToolError
from databases.schema import Schema
from tools.sql.engines.text import said as first_of
from tools.sql.pg.reach import HINTS
from tools.sql.suggest import column_hint, table_hint, tables_of

_NAMED = re.compile(r'"([^"]+)"')
_DENIED = re.compile(r"permission denied for \w+(?: \w+)? ([^\s]+)")
_NOT_A_READ = ("data-modifying", "SELECT ... INTO", "FOR UPDATE", "FOR SHARE", "FOR NO KEY")
AWAY = "the database's server does not answer just now; try again later"


def in_words(
    exc: Exception, schema: Callable[[], Schema], tables: tuple[str, ...]
) -> ToolError | None:
    """The failure of a statement; None for what is not PostgreSQL's.

    By the class of its SQLSTATE: only errors in the statement or its data are told in the
    server's own words, since those of the server's own faults name files and addresses.
    """
    import psycopg

    if isinstance(exc, ToolError):
        return exc
    if isinstance(exc, DatabaseError):  # no connection was to be had; its text is for the operator
        return ToolError(AWAY, kind="internal")
    if not isinstance(exc, psycopg.Error):
        return None
    state = exc.sqlstate or ""
    said = first_of(exc.diag.message_primary or "")
    if state == "57014":
        if "statement timeout" in said:
            return ToolError("the server ended the query: it took too long", kind="timeout")
        return ToolError("the query was stopped before its end", kind="cancelled")
    if state == "57P01":
        return ToolError("the query was stopped before its end", kind="cancelled")
    if state == "25006" or any(words in said for words in _NOT_A_READ):
        return ToolError(f"{_first(said)}: {HINTS['write']}", kind="refused")
    if state == "42501":
        named = found[1] if (found := _DENIED.search(said)) else "it"
        return ToolError(
            f"{said}: {HINTS['hidden']}", kind="refused", violations=(f"sql: {named}",)
        )
    if state == "55P03":
        return ToolError("a table is locked by a writer just now; try again later", kind="limit")
    if state[:2] in {"53", "54"}:
        return ToolError(
            "the query needs more than the server gives one query (memory, disk, nesting or"
            " connections); make it smaller, or filter and aggregate earlier",
            kind="limit",
        )
    if not said or state[:2] in {"08", "57", "58", "F0", "XX", ""}:
        return ToolError(AWAY, kind="internal")
    helpful = _nearest(state, said, schema, tables) or first_of(exc.diag.message_hint or "")
    return ToolError(f"{said}\n{helpful}" if helpful else said, kind="sql")


def _first(said: str) -> str:
    return said.removeprefix("DECLARE CURSOR must not contain").strip() or "this is refused"


def _nearest(
    state: str, said: str, schema: Callable[[], Schema], tables: tuple[str, ...]
) -> str | None:
    """What exists near an unknown table (42P01) or column (42703)."""
    if state not in {"42P01", "42703"}:
        return None
    found = _NAMED.search(said)
    asked = found[1] if found else said.split()[1] if len(said.split()) > 1 else ""
    known = schema()
    if state == "42P01":
        return table_hint(asked, known)
    return column_hint(asked.rpartition(".")[2], tables_of(tables, known), known)
