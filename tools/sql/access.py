"""Say which (table, column)s a statement reads, for the record of where an agent looked."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from databases.schema import Schema

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope

UNPARSED = "?"
"""Stands alone for the fields of a statement that ran but that sqlglot could not follow."""
LONGEST = 20_000
"""Characters beyond which a statement is not followed: sqlglot's time grows with their square."""


class AccessLog:
    """Resolves statements against one database's schema."""

    def __init__(self, schema: Schema) -> None:
        self._columns: dict[str, dict[str, str]] = {}
        """Lower-case table name to its columns, lower-case name to true name."""
        self._names: dict[str, str] = {}
        for table in schema.tables:
            bare = table.name.rpartition(".")[2].lower()
            self._names[bare] = table.name
            self._columns.setdefault(bare, {}).update(
                {c.name.lower(): c.name for c in table.columns}
            )

    def fields(self, sql: str) -> tuple[str, ...]:
        """Sorted `table.column` names that the statement reads, `SELECT *` expanded."""
        if len(sql) > LONGEST:
            return (UNPARSED,)
        _quiet()
        try:
            return tuple(sorted(set(self._read(sql))))
        except Exception:  # noqa: BLE001 - a gap in sqlglot must never cost the agent its answer
            return (UNPARSED,)

    def _read(self, sql: str) -> Iterator[str]:
        import sqlglot
        from sqlglot import exp
        from sqlglot.optimizer.qualify import qualify
        from sqlglot.optimizer.scope import traverse_scope

        tree: exp.Expr = sqlglot.parse_one(sql, read="duckdb")
        if isinstance(tree, (exp.Describe, exp.Show)):
            return
        if isinstance(tree, exp.Summarize):
            tree = tree.this
        if isinstance(tree, exp.Table):
            yield from self._all_of(tree)
            return
        if isinstance(tree, exp.Command):
            if tree.name.upper() != "SHOW":  # SHOW a_table tells of columns, not of values
                yield UNPARSED
            return
        for pivot in tree.find_all(exp.Pivot):
            # A simplified PIVOT groups by every column that it does not name.
            for table in pivot.find_all(exp.Table):
                yield from self._all_of(table)
        if isinstance(tree, exp.Pivot):
            return
        if not isinstance(tree, (exp.Query, exp.Values)):
            yield UNPARSED
            return
        known: dict[str, object] = {
            table: dict.fromkeys(columns, "text") for table, columns in self._columns.items()
        }
        tree = qualify(
            tree,
            schema=known,
            dialect="duckdb",
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )
        for scope in traverse_scope(tree):
            yield from self._of_scope(scope)

    def _of_scope(self, scope: Scope) -> Iterator[str]:
        from sqlglot import exp

        tables = {
            name.lower(): source
            for name, source in scope.sources.items()
            if isinstance(source, exp.Table)
        }
        if scope.expression.find(exp.Columns):  # COLUMNS('a regex') may stand for any of them
            for table in tables.values():
                yield from self._all_of(table)
        for column in scope.columns:
            source = tables.get(column.table.lower())
            if source is not None:
                yield from self._one_of([source], column.name)
            elif not column.table:
                yield from self._one_of(tables.values(), column.name)

    def _one_of(self, tables: Iterable[exp.Table], column: str) -> Iterator[str]:
        for table in tables:
            bare = table.name.lower()
            if true := self._columns.get(bare, {}).get(column.lower()):
                yield f"{self._names[bare]}.{true}"

    def _all_of(self, table: exp.Table) -> Iterator[str]:
        bare = table.name.lower()
        for column in self._columns.get(bare, {}).values():
            yield f"{self._names[bare]}.{column}"


def pivot_names(sql: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """The functions, tables, and functions in FROM, of a SELECT that holds a PIVOT.

    None where it is anything else.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    _quiet()
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


def _quiet() -> None:
    """sqlglot says on stderr what it cannot parse; here that is a mark in the record."""
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
