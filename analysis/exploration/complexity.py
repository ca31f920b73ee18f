"""How complex a query is, by its parse tree: joins, subqueries, CTEs, aggregates, windows, nodes."""

from __future__ import annotations

import ast
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from analysis.exploration.fields import PYTHON_TOOL, SQL_TOOL
from core.trajectory import ToolCall

LONGEST: Final = 20_000
"""Characters beyond which a statement is not parsed, as the tools' own record of fields has it."""


@dataclass(frozen=True)
class Complexity:
    """What stands in one statement."""

    joins: int
    """JOINs, and further tables after a comma."""
    subqueries: int
    """SELECTs inside another one, CTEs not counted."""
    ctes: int
    aggregates: int
    """Calls of aggregate functions; one that is a window's is counted there alone."""
    windows: int
    nodes: int
    """Of the whole parse tree: its size, whatever it is made of."""


@dataclass(frozen=True)
class Statement:
    """One statement that an agent wrote."""

    sql: str
    complexity: Complexity | None
    """None where it cannot be parsed."""


def complexity(sql: str, dialect: str) -> Complexity | None:
    """Of one statement, in sqlglot's name of its dialect; None where sqlglot cannot parse it."""
    import sqlglot
    from sqlglot import exp

    if len(sql) > LONGEST:
        return None
    # It says on stderr what it cannot parse; here that is None.
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    try:
        tree = sqlglot.parse_one(sql, read=dialect)
        nodes = list(tree.walk())
    except Exception:  # noqa: BLE001 - a gap in sqlglot costs one measure, not the analysis
        return None
    # A misspelt SELECT is parsed, too: as a name with an alias. And SHOW may be kept as text.
    is_show = isinstance(tree, exp.Command) and tree.name.upper() == "SHOW"
    asks = (exp.Query, exp.Values, exp.Pivot, exp.Summarize, exp.Describe, exp.Show)
    if not is_show and not isinstance(tree, asks):
        return None

    def count(kind: type[exp.Expr] | tuple[type[exp.Expr], ...]) -> int:
        return sum(isinstance(node, kind) for node in nodes)

    windowed = sum(
        isinstance(node, exp.Window) and node.this.find(exp.AggFunc) is not None for node in nodes
    )

    def is_inner(node: exp.Expr) -> bool:
        # An arm of a UNION stands beside the other arms; a CTE is counted as such.
        if isinstance(node.parent, (exp.SetOperation, exp.CTE)):
            return False
        return node.find_ancestor(exp.Query) is not None

    return Complexity(
        joins=count(exp.Join),
        subqueries=sum(
            isinstance(node, (exp.Select, exp.SetOperation)) and is_inner(node) for node in nodes
        ),
        ctes=count(exp.CTE),
        aggregates=max(count(exp.AggFunc) - windowed, 0),
        windows=count(exp.Window),
        nodes=len(nodes),
    )


def statements(call: ToolCall, dialect: str) -> list[Statement]:
    """The SQL of a call: the query itself, or the texts that Python code hands to query().

    Of code, only a text that stands there as such is seen, once, however often a loop runs it; what is
    put together while it runs is not.
    """
    return [Statement(sql, complexity(sql, dialect)) for sql in _texts(call)]


def _texts(call: ToolCall) -> Iterator[str]:
    try:
        said = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return
    if not isinstance(said, dict):
        return
    text = said.get("query") if call.name == SQL_TOOL else said.get("code")
    if not isinstance(text, str) or not text.strip():
        return
    if call.name == SQL_TOOL:
        yield text
    elif call.name == PYTHON_TOOL:
        yield from _in_code(text)


def _in_code(code: str) -> Iterator[str]:
    try:
        tree = ast.parse(code)
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in nodes:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else None
        name = node.func.id if isinstance(node.func, ast.Name) else name
        first = node.args[0]
        if name == "query" and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
