"""Look into a dynamic PIVOT, whose parse tree DuckDB itself does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.sql.access import silence_sqlglot

if TYPE_CHECKING:
    from sqlglot import exp


def pivot_names(sql: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """The functions, tables, and functions in FROM, of a SELECT that holds a PIVOT.

    None where it is anything else.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    silence_sqlglot()
    try:
        trees = sqlglot.parse(sql, read="duckdb")
    except (SqlglotError, RecursionError):
        return None
    if len(trees) != 1 or trees[0] is None:
        return None
    tree = trees[0]
    reading = (exp.Select, exp.Pivot, exp.SetOperation, exp.Subquery, exp.Summarize, exp.Describe)
    if not isinstance(tree, reading) or not tree.find(exp.Pivot):
        return None
    if tree.find(exp.DML, exp.DDL, exp.Command):
        return None
    functions = [_function_name(node) for node in tree.find_all(exp.Func)]
    sources = list(tree.find_all(exp.Table))
    tables = [node.name for node in sources if node.name]
    if any(name.lower() == "show" for name in tables):  # sqlglot reads `(SHOW x)` as a table SHOW
        return None
    in_from = [_function_name(n.this) for n in sources if isinstance(n.this, exp.Func)]
    return tuple(functions), tuple(tables), tuple(in_from)


def _function_name(node: exp.Func) -> str:
    from sqlglot import exp

    return node.name if isinstance(node, exp.Anonymous) else node.sql_name()
