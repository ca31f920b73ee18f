"""Admit one reading statement, judged on the engine's own parse, and refuse all else in clear words.

Read-only is a matter of how the database is opened (databases/connection.py). The gate adds what
that leaves open: TEMP objects, CALL, PREPARE, SET, and functions that show the server instead of
the data. It looks at parse trees, never for words in the text, and never changes the text.
"""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import ToolError
from tools.sql.engine import Admitted
from tools.sql.engines.text import EMPTY, refuse_no_text, several
from tools.sql.outline import Recent, outline
from tools.sql.reach import (
    ABOUT_THE_ENGINE,
    AGGREGATES_TOO,
    HINTS,
    LOOKING_ELSEWHERE,
    OUT_OF_REACH,
    TABLE_FUNCTIONS,
    VIEWS_OUT_OF_REACH,
    is_file_name,
)
from tools.sql.tokens import Tokens, is_too_deep

if TYPE_CHECKING:
    import duckdb

REMEMBERED = 128
"""Outlines whose tables are kept: an agent asks the same of one entity after the other."""
NOT_READING = "only one statement that reads runs here"
_READING = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""The parse tree's nodes of a query; any other one (INSERT_QUERY_NODE, ...) writes."""
_MENTIONS = re.compile(
    r'"(function_name|table_name|show_type|type)":"((?:[^"\\]|\\.)*+)"|"(function)":\{'
)
"""What names something in a serialized parse tree. Inside of strings its quotes are escaped, so that
only keys can match. To let the engine take its own JSON apart costs ten times as much, and Python's
parser fails on the depth of a long sum."""
_SHOWN = frozenset({"tables", "all", "databases"})
_NEXT_STATEMENT = ',{"node":'
"""Stands between two statements of a serialized text and nowhere else."""


@dataclass(frozen=True)
class _Names:
    functions: tuple[str, ...]
    tables: tuple[str, ...]
    writes: bool = False
    table_functions: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    """What SHOW names: a table, or else a setting of the server."""


class Gate:
    """Judges statements for one database. Safe to be asked from several threads."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, *, confined: bool = False) -> None:
        """`confined`: what the engine says of itself shows nothing of the host."""
        self._lock = threading.Lock()
        self._parser = connection.cursor()
        own = ABOUT_THE_ENGINE if confined else frozenset()
        callable_in_from = self._column(
            "SELECT DISTINCT lower(function_name) FROM duckdb_functions()"
            " WHERE internal AND function_type IN ('table', 'table_macro')"
        )
        unlisted = callable_in_from - TABLE_FUNCTIONS - AGGREGATES_TOO
        self._refused = (OUT_OF_REACH | unlisted) - own
        self._views = VIEWS_OUT_OF_REACH - own
        self._not_in_from = frozenset() if confined else AGGREGATES_TOO
        self._settings = self._column("SELECT lower(name) FROM duckdb_settings()")
        self._tables = self._column("SELECT lower(table_name) FROM information_schema.tables")
        self._confined = confined
        self._known: Recent[str, tuple[str, ...]] = Recent(REMEMBERED)
        # Prepared, it is not planned anew for each text: a third of the time.
        self._parser.execute("PREPARE tree AS SELECT json_serialize_sql($1)")

    def close(self) -> None:
        """Give back the cursor."""
        with self._lock:
            self._parser.close()

    def admit(self, sql: str) -> Admitted:
        """The statement, if it may run. Raises ToolError `refused`, or duckdb.Error on bad syntax."""
        refuse_no_text(sql)
        if is_too_deep(sql):
            raise ToolError(HINTS["nested"], kind="sql")
        form = outline(sql)
        if form is not None and (tables := self._known.get(form)) is not None:
            return Admitted(reads=sql, tables=tables)
        with self._lock:
            names = self._select(sql)
            if names is None:
                return self._judge(sql)
        tables = self._check(names)
        if form is not None:
            self._known.keep(form, tables)
        return Admitted(reads=sql, tables=tables)

    def _judge(self, sql: str) -> Admitted:
        """For what is no SELECT in the engine's own tree."""
        import duckdb

        kinds = duckdb.StatementType
        statements = self._parser.extract_statements(sql)
        if len(statements) > 1:
            raise several(len(statements))
        kind = _kind(statements[0])
        tokens = Tokens(sql)
        if kind is kinds.EXPLAIN or (kind is kinds.MULTI and tokens.words[0] == "explain"):
            return self._explained(tokens)
        if kind is kinds.SELECT:
            raise ToolError("this SELECT cannot be judged: write it in another way", kind="sql")
        if kind is kinds.MULTI:
            return Admitted(reads=sql, tables=self._check(self._pivot(tokens)))
        raise self._refusal(kind, tokens)

    def _explained(self, tokens: Tokens) -> Admitted:
        """EXPLAIN is as good as what it wraps: EXPLAIN ANALYZE runs it."""
        import duckdb

        for inner, runs in tokens.explained():
            names = self._select(inner)
            if names is None:
                try:
                    kind = _kind(self._parser.extract_statements(inner)[0])
                except duckdb.Error:
                    continue
                if kind is not duckdb.StatementType.MULTI:
                    raise self._refusal(kind, Tokens(inner))
                names = self._pivot(Tokens(inner))
            return Admitted(reads=inner if runs else None, tables=self._check(names))
        raise ToolError("this EXPLAIN cannot be judged: EXPLAIN one SELECT", kind="refused")

    def _select(self, sql: str) -> _Names | None:
        """Every function and table of one SELECT, out of the engine's own parse tree.

        None where the text is anything else, or no SQL. Raises ToolError for several SELECTs.
        """
        quoted = sql.replace("'", "''")
        row = self._parser.execute(f"EXECUTE tree('{quoted}')").fetchone()
        assert row is not None
        tree: str = row[0]
        if tree.startswith('{"error":true'):
            return None
        if '"statements":[]' in tree:
            raise ToolError(EMPTY, kind="sql")
        if more := tree.count(_NEXT_STATEMENT):
            raise several(more + 1)
        return _named(tree)

    def _pivot(self, tokens: Tokens) -> _Names:
        """What a dynamic PIVOT mentions, if a query is built of it.

        The engine makes several statements of it and shows no parse tree. In the brackets of EXISTS
        its grammar takes a query and nothing else; every name before a bracket may be a function.
        """
        import duckdb

        try:
            judged = self._parser.extract_statements(f"SELECT EXISTS ({tokens.body()}\n)")
        except duckdb.Error:
            judged = []
        if [_kind(one) for one in judged] != [duckdb.StatementType.MULTI]:
            raise ToolError(HINTS["write"], kind="refused")
        calls = list(tokens.calls())
        return _Names(
            functions=tuple(name for name, _ in calls),
            tables=tuple(name for name in tokens.names if name in self._tables | self._views),
            # Of the two functions called histogram, the one in FROM takes a table and a column.
            table_functions=tuple(name for name, has_several in calls if has_several),
            shown=tuple(name for name in tokens.shown() if name not in _SHOWN),
        )

    def _column(self, sql: str) -> frozenset[str]:
        return frozenset(name for (name,) in self._parser.execute(sql).fetchall())

    def _check(self, names: _Names) -> tuple[str, ...]:
        if names.writes:
            raise ToolError(HINTS["write"], kind="refused")
        functions = {name.lower() for name in names.functions} & self._refused
        functions |= {name.lower() for name in names.table_functions} & self._not_in_from
        views = {name.lower() for name in names.tables} & self._views
        if hidden := [*sorted(functions), *sorted(views - functions)]:
            raise ToolError(
                f"{hidden[0]} is out of reach: {HINTS['hidden']}",
                kind="refused",
                violations=tuple(f"sql: {name}" for name in hidden),
            )
        if not self._confined and (
            settings := [name for name in names.shown if name.lower() not in self._tables]
        ):
            known = [name for name in settings if name.lower() in self._settings]
            raise ToolError(
                HINTS["show"].format(name=settings[0]),
                kind="refused",
                violations=tuple(f"sql: SHOW {name}" for name in known),
            )
        absent = [name for name in names.tables if name.lower() not in self._tables]
        if files := [name for name in absent if is_file_name(name)]:
            raise ToolError(
                f"'{files[0]}' is out of reach: {HINTS['file']}",
                kind="refused",
                violations=tuple(f"sql: file {name}" for name in files),
            )
        return tuple(dict.fromkeys(names.tables))

    def _refusal(self, statement: duckdb.StatementType | None, tokens: Tokens) -> ToolError:
        """Why a statement of another kind does not run, and what to do instead."""
        violations: tuple[str, ...] = ()
        kind = "a statement of this kind" if statement is None else statement.name
        called = next(iter(tokens.words[1:2]), "")
        if kind in LOOKING_ELSEWHERE:
            violations = (f"sql: {kind}",)
        elif kind in {"PRAGMA", "CALL"} and {called, f"pragma_{called}"} & (
            self._refused | self._views
        ):
            violations = (f"sql: {kind} {called}",)
        hint = HINTS.get(kind, HINTS["write"])
        return ToolError(f"{kind} is refused: {hint}", kind="refused", violations=violations)


def only_reading(statements: list[duckdb.Statement]) -> duckdb.Statement:
    """The one statement of a text that was admitted. Raises duckdb.Error where it is something else.

    A second look that costs nothing, for what was parsed for it is what runs: it holds whatever the
    first one made of the text.
    """
    import duckdb

    kinds = duckdb.StatementType
    if len(statements) != 1 or _kind(statements[0]) not in (
        kinds.SELECT,
        kinds.MULTI,
        kinds.EXPLAIN,
    ):
        raise duckdb.InvalidInputException(NOT_READING)
    return statements[0]


def _kind(statement: duckdb.Statement) -> duckdb.StatementType | None:
    """What the statement is. None for a kind that the client knows by number only."""
    try:
        return statement.type
    except ValueError:
        return None


def _named(tree: str) -> _Names:
    """The names in a serialized parse tree."""
    functions: list[str] = []
    tables: list[str] = []
    table_functions: list[str] = []
    shown: list[str] = []
    writes = is_table_function = False
    for key, value, opens_function in _MENTIONS.findall(tree):
        if opens_function:
            is_table_function = True
            continue
        name = json.loads(f'"{value}"') if "\\" in value else value
        if key == "function_name":
            functions.append(name)
            if is_table_function:
                table_functions.append(name)
                is_table_function = False
        elif key == "table_name":
            tables.append(name)
        elif key == "show_type":
            if name == "SHOW":
                shown.append(tables[-1])
        elif name.endswith("_NODE") and name not in _READING:
            writes = True
    return _Names(tuple(functions), tuple(tables), writes, tuple(table_functions), tuple(shown))
