"""Say which facts a statement asks for by name, in tables whose rows are facts of many kinds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from tools.sql.places import Place, Places

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.optimizer.scope import Scope

MOST = 500
"""Facts of one comparison that are recorded."""
DEEPEST = 20
"""Subqueries through which a column's alias is followed; a recursive one has no end."""


class FactLog:
    """Finds literals that are compared, with = or IN, with a column that names facts."""

    def __init__(self, places: Places, fact_columns: Mapping[str, str]) -> None:
        """`fact_columns`: table to the column whose values name facts."""
        self._places = places
        self._facts = {
            place: column.lower()
            for table, column in fact_columns.items()
            for place in places.named(table)
        }

    def __bool__(self) -> bool:
        return bool(self._facts)

    def of_scope(self, scope: Scope) -> Iterator[str]:
        """`table.column=value` for each fact of a scope whose columns are qualified."""
        from sqlglot import exp

        for node in scope.find_all(exp.EQ, exp.In):
            if isinstance(node.parent, exp.Not):
                continue
            if isinstance(node, exp.In):
                sides = [(node.this.unnest(), node.expressions)]
            else:
                left, right = node.this.unnest(), node.args["expression"].unnest()
                sides = [(left, [right]), (right, [left])]
            for column, values in sides:
                if isinstance(column, exp.Column):
                    for place, name in self._origins(scope, column.table, column.name, DEEPEST):
                        if self._facts.get(place) == name:
                            yield from self._named(place, values)

    def of_pivot(self, pivot: exp.Pivot, tables: Iterable[exp.Table]) -> Iterator[str]:
        """The same for PIVOT ... ON a_column IN (...)."""
        from sqlglot import exp

        asked = list(pivot.find_all(exp.In))
        for place in map(self._places.of, tables):
            for one in asked:
                if one.this.name.lower() == self._facts.get(place):
                    yield from self._named(place, one.expressions)

    def _named(self, place: Place, values: Iterable[exp.Expr]) -> Iterator[str]:
        from sqlglot import exp

        field = self._places.field(place, self._facts[place])
        for value in list(values)[:MOST]:
            plain = value.unnest()
            while isinstance(plain, exp.Cast):
                plain = plain.this
            if isinstance(plain, exp.Literal):
                yield f"{field}={plain.name}"

    def _origins(
        self, scope: Scope, table: str, column: str, depth: int
    ) -> Iterator[tuple[Place, str]]:
        """The tables' columns that a column stands for, through aliases of subqueries and CTEs."""
        from sqlglot import exp

        around: Scope | None = scope
        while table and around is not None and table not in around.sources:
            around = around.parent
        if around is None or not depth:
            return
        for name in [table] if table else list(around.selected_sources):
            source = around.sources[name]
            if isinstance(source, exp.Table):
                yield self._places.of(source), column.lower()
                continue
            for part in source.set_operation_scopes or [source]:
                for selected in _selects(part.expression):
                    plain = selected.unalias()
                    if selected.is_star:
                        yield from self._origins(part, "", column, depth - 1)
                    elif selected.alias_or_name == column and isinstance(plain, exp.Column):
                        yield from self._origins(part, plain.table, plain.name, depth - 1)


def _selects(query: exp.Expr) -> list[exp.Expr]:
    from sqlglot import exp

    return query.selects if isinstance(query, exp.Query) else []
