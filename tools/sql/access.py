"""Say which (table, column)s a statement reads, for the record of where an agent looked."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from databases.schema import Schema
from tools.sql.facts import FactLog
from tools.sql.places import Places

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect
    from sqlglot.optimizer.scope import Scope
    from sqlglot.schema import MappingSchema

UNPARSED = "?"
"""Stands alone for the fields of a statement that ran but that sqlglot could not follow."""
LONGEST = 20_000
"""Characters beyond which a statement is not followed."""
DEEPEST = 1000
"""Levels of a parse tree beyond which it is not followed: sqlglot's time grows with their square, and
DuckDB runs no deeper expression either."""

MOST_JOINS = 50
MOST_SHARED = 200
"""Joins beyond which a statement is not followed, and columns that they match by name (USING, NATURAL):
sqlglot takes seconds for more, and no other thread works meanwhile."""


class AccessLog:
    """Resolves statements against one database's schema. Safe to be asked from several threads."""

    def __init__(
        self,
        schema: Schema,
        dialect: str = "duckdb",
        fact_columns: Mapping[str, str] | None = None,
    ) -> None:
        """`fact_columns`: table to the column whose values name facts (scenario.toml, `[facts]`)."""
        self._named = dialect
        self._places = Places(schema, dialect)
        self._widest = max((len(table.columns) for table in schema.tables), default=0)
        self._facts = FactLog(self._places, fact_columns or {})

    def fields(self, sql: str) -> tuple[str, ...]:
        """Sorted `table.column` names that the statement reads, `SELECT *` expanded; and
        `table.column=value` for the facts that it asks for by name."""
        if len(sql) > LONGEST:
            return (UNPARSED,)
        try:
            return tuple(sorted(set(self._read(sql))))
        except Exception:  # noqa: BLE001 - a gap in sqlglot must never cost the agent its answer
            return (UNPARSED,)

    @cached_property
    def _dialect(self) -> Dialect:
        return dialect_named(self._named)

    @cached_property
    def _mapping(self) -> MappingSchema:
        return self._places.mapping(self._dialect)

    def _read(self, sql: str) -> Iterator[str]:
        import sqlglot
        from sqlglot import exp
        from sqlglot.optimizer.qualify import qualify
        from sqlglot.optimizer.scope import traverse_scope

        tree: exp.Expr = sqlglot.parse_one(sql, read=self._dialect)
        if (len(sql) > DEEPEST and _is_too_deep(tree)) or self._joins_too_much(tree):
            yield UNPARSED
            return
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
            yield from self._of_pivot(pivot)
        if isinstance(tree, exp.Pivot):
            return
        if not isinstance(tree, (exp.Query, exp.Values)):
            yield UNPARSED
            return
        tree = qualify(
            tree,
            schema=self._mapping,
            dialect=self._dialect,
            expand_alias_refs=False,  # an alias stands for columns that are found where it is made
            expand_stars=False,  # a node for each column of each table would take seconds
            validate_qualify_columns=False,
            quote_identifiers=False,
            identify=False,
        )
        for scope in traverse_scope(tree):
            yield from self._of_scope(scope)
            if self._facts:
                yield from self._facts.of_scope(scope)

    def _joins_too_much(self, tree: exp.Expr) -> bool:
        from sqlglot import exp

        joins = shared = 0
        for join in tree.find_all(exp.Join):
            joins += 1
            is_natural = join.method == "NATURAL"
            shared += self._widest if is_natural else len(join.args.get("using") or ())
        return joins > MOST_JOINS or shared > MOST_SHARED

    def _of_scope(self, scope: Scope) -> Iterator[str]:
        from sqlglot import exp

        tables = {
            name.lower(): source
            for name, source in scope.sources.items()
            if isinstance(source, exp.Table)
        }
        if isinstance(scope.expression, exp.Select):
            for selected in scope.expression.expressions:
                yield from self._of_star(selected, scope)
        if scope.expression.find(exp.Columns):  # COLUMNS('a regex') may stand for any of them
            for table in tables.values():
                yield from self._all_of(table)
        for column in scope.columns:
            source = tables.get(column.table.lower())
            if source is not None:
                yield from self._one_of([source], column.name)
            elif not column.table:
                yield from self._one_of(tables.values(), column.name)
        for row in scope.table_columns:  # SELECT t FROM t
            if row.name.lower() in tables:
                yield from self._all_of(tables[row.name.lower()])

    def _of_star(self, selected: exp.Expr, scope: Scope) -> Iterator[str]:
        """What `*` and `a_table.*` stand for. Columns of a subquery are found in the subquery."""
        from sqlglot import exp

        star = selected.find(exp.Star)
        if star is None or star.find_ancestor(exp.Count, exp.Query) is not scope.expression:
            return
        if isinstance(scope.expression.parent, exp.Exists):
            return
        chosen = star.parent.table if isinstance(star.parent, exp.Column) else ""
        left_out = {name.name.lower() for name in star.args.get("except_") or ()}
        for name, (_, source) in scope.selected_sources.items():
            if isinstance(source, exp.Table) and chosen in {"", name}:
                yield from self._places.fields(self._places.of(source), but=left_out)

    def _of_pivot(self, pivot: exp.Pivot) -> Iterator[str]:
        """A simplified PIVOT groups by every column that it does not name."""
        from sqlglot import exp

        tables = list(pivot.find_all(exp.Table))
        if isinstance(pivot.parent, exp.Table):
            tables.append(pivot.parent)
        for table in tables:
            yield from self._all_of(table)
        if self._facts:
            yield from self._facts.of_pivot(pivot, tables)

    def _one_of(self, tables: Iterable[exp.Table], column: str) -> Iterator[str]:
        for place in map(self._places.of, tables):
            if self._places.has(place, column):
                yield self._places.field(place, column)

    def _all_of(self, table: exp.Table) -> Iterator[str]:
        return self._places.fields(self._places.of(table))


def _is_too_deep(tree: exp.Expr) -> bool:
    level, depth = [tree], 0
    while level and depth <= DEEPEST:
        level = [child for node in level for child in node.iter_expressions()]
        depth += 1
    return bool(level)


def dialect_named(name: str) -> Dialect:
    """sqlglot's own of that name."""
    from sqlglot.dialects.dialect import Dialect

    silence_sqlglot()
    return Dialect.get_or_raise(name)


def silence_sqlglot() -> None:
    """sqlglot says on stderr what it cannot parse; here that is a mark in the record."""
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
