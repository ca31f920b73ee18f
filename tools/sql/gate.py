"""Admit one reading statement, judged on the engine's own parse, and refuse all else in clear words.

Read-only is a matter of how the database is opened (databases/connection.py). The gate adds what
that leaves open: TEMP objects, CALL, PREPARE, SET, and functions that show the server instead of
the data. It looks at parse trees, never for words in the text, and never changes the text.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import ToolError
from tools.sql.engine import Admitted
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

if TYPE_CHECKING:
    import duckdb

EXPLAIN_OPTIONS = 24
"""How many words may stand between EXPLAIN and its statement."""
DEEPEST = 200
"""Levels of brackets, or signs in a row. Where DuckDB's parser fails in the end, it takes time and
memory with the square of them, and cannot be interrupted."""
MOST_DOUBLING = 6
"""PIVOTs, and WITHs and lambdas inside one another: each level multiplies what the parser or the
binder takes (a dozen, or two: all there is)."""
_DOUBLING = frozenset({"with", "lambda", "->"})

_TREE = """
    SELECT t ->> '$.error' = 'true',
           t ->> '$.error_message',
           json_extract_string(t, '$..function_name'),
           json_extract_string(t, '$..table_name'),
           json_extract_string(t, '$..type'),
           json_extract_string(t, '$..function.function_name'),
           list_transform(
               list_filter(
                   json_extract(t, '$..from_table'), lambda r: r ->> '$.show_type' = 'SHOW'
               ),
               lambda r: r ->> '$.table_name'
           )
    FROM (SELECT json_serialize_sql($1) AS t)
"""


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
        rows = self._parser.execute(
            "SELECT DISTINCT lower(function_name) FROM duckdb_functions()"
            " WHERE internal AND function_type IN ('table', 'table_macro')"
        ).fetchall()
        own = ABOUT_THE_ENGINE if confined else frozenset()
        self._refused = (
            OUT_OF_REACH | ({name for (name,) in rows} - TABLE_FUNCTIONS - AGGREGATES_TOO)
        ) - own
        self._views = VIEWS_OUT_OF_REACH - own
        self._settings = {
            name
            for (name,) in self._parser.execute(
                "SELECT lower(name) FROM duckdb_settings()"
            ).fetchall()
        }
        self._confined = confined
        self._tables = {
            name
            for (name,) in self._parser.execute(
                "SELECT lower(table_name) FROM information_schema.tables"
            ).fetchall()
        }

    def close(self) -> None:
        """Give back the cursor."""
        with self._lock:
            self._parser.close()

    def admit(self, sql: str) -> Admitted:
        """The statement, if it may run. Raises ToolError `refused`, or duckdb.Error on bad syntax."""
        deepest, doubling = _nesting(sql)
        if deepest > DEEPEST or doubling > MOST_DOUBLING:
            raise ToolError(HINTS["nested"], kind="sql")
        with self._lock:
            statements = self._parser.extract_statements(sql)
            if not statements:
                raise ToolError("the query is empty: send one SELECT", kind="sql")
            if len(statements) > 1:
                raise ToolError(
                    f"one statement per call: this text holds {len(statements)}, and none was run",
                    kind="refused",
                )
            kind = _kind(statements[0])
            if kind == "SELECT":
                return Admitted(reads=sql, tables=self._check(self._tree(sql)))
            if kind == "EXPLAIN" or (kind == "MULTI" and _words(sql)[:1] == ["explain"]):
                return self._explained(sql)
            if kind == "MULTI":
                return Admitted(reads=sql, tables=self._check(_pivot(sql)))
            raise self._refusal(kind, sql)

    def _explained(self, sql: str) -> Admitted:
        """EXPLAIN is as good as what it wraps: EXPLAIN ANALYZE runs it."""
        import duckdb

        raw = sql.encode()
        starts = [start for start, kind in duckdb.tokenize(sql) if kind.name != "comment"]
        words = _words(sql)
        for place in range(1, min(len(starts), EXPLAIN_OPTIONS)):
            inner = raw[starts[place] :].decode(errors="replace")
            try:
                statements = self._parser.extract_statements(inner)
            except duckdb.Error:
                continue
            kind = _kind(statements[0]) if len(statements) == 1 else "several statements"
            if kind not in {"SELECT", "MULTI"}:
                raise self._refusal(kind, inner)
            names = self._tree(inner) if kind == "SELECT" else _pivot(inner)
            tables = self._check(names)
            runs = "analyze" in words[1:place]
            return Admitted(reads=inner if runs else None, tables=tables)
        raise ToolError("this EXPLAIN cannot be judged: EXPLAIN one SELECT", kind="refused")

    def _tree(self, sql: str) -> _Names:
        """Every function and table of a SELECT, out of the engine's own parse tree."""
        import duckdb

        try:
            row = self._parser.execute(_TREE, [sql]).fetchone()
        except duckdb.Error as exc:  # ours, not the agent's
            raise RuntimeError("the parse tree could not be read") from exc
        assert row is not None
        failed, message, functions, tables, types, table_functions, shown = row
        writes = any(kind.endswith("_QUERY_NODE") for kind in types or ())
        if failed:
            raise ToolError(f"the query cannot be read: {message}", kind="sql")
        return _Names(
            tuple(functions or ()),
            tuple(tables or ()),
            writes,
            tuple(table_functions or ()),
            tuple(shown or ()),
        )

    def _check(self, names: _Names) -> tuple[str, ...]:
        if names.writes:
            raise ToolError(HINTS["write"], kind="refused")
        hidden = sorted({f.lower() for f in names.functions} & self._refused)
        hidden += sorted({f.lower() for f in names.table_functions} & AGGREGATES_TOO)
        hidden += sorted({t.lower() for t in names.tables} & self._views)
        if hidden:
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

    def _refusal(self, kind: str, sql: str) -> ToolError:
        """Why a statement of another kind does not run, and what to do instead."""
        violations: tuple[str, ...] = ()
        called = next(iter(_words(sql)[1:2]), "")
        if kind in LOOKING_ELSEWHERE:
            violations = (f"sql: {kind}",)
        elif kind in {"PRAGMA", "CALL"} and {called, f"pragma_{called}"} & (
            self._refused | self._views
        ):
            violations = (f"sql: {kind} {called}",)
        hint = HINTS.get(kind, HINTS["write"])
        return ToolError(f"{kind} is refused: {hint}", kind="refused", violations=violations)


def _kind(statement: duckdb.Statement) -> str:
    """What the statement is. The client knows some kinds by number only."""
    try:
        return statement.type.name
    except ValueError:
        return "a statement of this kind"


def _nesting(sql: str) -> tuple[int, int]:
    """How deep brackets are nested, or how many signs stand in a row where that is more; and
    how many PIVOTs there are, with the WITHs and lambdas that stand inside one another."""
    opened: list[bool] = []  # per open bracket, whether such a word stands in it
    row = deepest = pivots = doubled = most_doubled = 0
    for word in _words(sql):
        row = 0 if word[:1].isalnum() or word[:1] in {"_", "'", '"', "$"} else row + 1
        if word in {"(", "[", "{"}:
            opened.append(False)
        elif word in {")", "]", "}"} and opened:
            doubled -= opened.pop()
        elif word in _DOUBLING and opened and not opened[-1]:
            opened[-1] = True
            doubled += 1
        pivots += word in {"pivot", "pivot_wider"}
        deepest = max(deepest, len(opened), row)
        most_doubled = max(most_doubled, doubled)
    return deepest, pivots + most_doubled


def _words(sql: str) -> list[str]:
    """The statement's words without its comments, in lower case."""
    import duckdb

    raw = sql.encode()
    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(raw)]
    return [
        raw[start:end].decode(errors="replace").strip().lower()
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind.name != "comment"
    ]


def _pivot(sql: str) -> _Names:
    """A dynamic PIVOT, which DuckDB's own tree cannot show (it becomes several statements)."""
    from tools.sql.access import pivot_names

    found = pivot_names(sql)
    if found is None:
        raise ToolError(HINTS["pivot"], kind="refused")
    functions, tables, table_functions = found
    return _Names(functions, tables, table_functions=table_functions)
