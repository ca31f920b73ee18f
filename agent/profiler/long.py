"""Find tables in long form: one column holds numbers of many kinds, and another tells which kind each is.

A laboratory's results and the facts of annual reports are kept so. A mean over such a column means
nothing; a mean of one kind does. Where a number stands for the whole in some rows and for parts in others
(a year and its quarters, a company and its segments) the two must not be mixed either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agent.profiler import quoting
from agent.profiler.metrics import Metric
from agent.profiler.relation import Relation
from agent.profiler.reply import Ask, Conversation, number, text, whole
from agent.profiler.roles import Column, Role
from agent.profiler.schema import Kind

LEAST_KINDS = 6
_TESTS = 24
_TOLD_APART = 0.8
"""Share of the variance of the logarithms that lies between the kinds, at least."""
_SCALES = math.log(100)
"""The largest kind's values are so much larger than the smallest one's, as logarithms."""
_FEW = 24
"""Values of a column that may part a whole, at most."""
_LARGER = 1.5
"""A whole is so many times its parts, at least, ..."""
_OFTEN, _SELDOM = 0.5, 0.1
"""... in at least this share of the kinds, and smaller in at most that one."""


@dataclass(frozen=True)
class Whole:
    """A column's value in the rows that stand for a whole."""

    column: Column
    value: str

    @property
    def test(self) -> str:
        """SQL that is true in these rows."""
        return f"CAST({self.column.expr} AS VARCHAR) = {quoting.literal(self.value)}"

    @property
    def words(self) -> str:
        """fiscal period is FY"""
        if self.column.role is Role.FLAG:
            return f"{self.column.words} {'holds' if self.value == '1' else 'does not hold'}"
        return f"{self.column.words} is {text(self.value)}"


@dataclass(frozen=True)
class Long:
    """Numbers of many kinds in one column."""

    value: Column
    kind: Column
    kinds: int
    """How many of them the entity has."""
    wholes: tuple[Whole, ...] = ()

    def where(self, more: str) -> str:
        """SQL for the rows that count, beside another condition."""
        filled = [f"{column.expr} IS NOT NULL" for column in (self.value, self.kind)]
        return " AND ".join([more, *filled, *(each.test for each in self.wholes)])

    def source(self, relation: Relation, *others: Column) -> str:
        """What stands after FROM."""
        return relation.reach([self.value, self.kind, *(w.column for w in self.wholes), *others])

    def name(self, kind: str) -> str:
        """What a sentence calls one kind: "Creatinine (value of lab events)"."""
        only = " and ".join(each.words for each in self.wholes)
        return f"{kind} ({self.value.phrase}{f' where {only}' if only else ''})"


def find_long(relation: Relation) -> Conversation[tuple[Relation, tuple[Long, ...]]]:
    """The columns in long form, and the relation with their role set to MIXED."""
    tests = list(_tests(relation))[:_TESTS]
    if not tests:
        return relation, ()
    reply = yield Ask(
        "execute_query",
        {"query": _kinds_sql(relation, tests), "limit": 50},
        f"See whether numbers of {relation.words} are of many kinds.",
    )
    found = _told_apart(tests, reply.rows)
    if not found:
        return relation, ()
    longs = []
    for long in found:
        full = yield from _with_wholes(relation, long)
        longs.append(full)
    mixed = {long.value.key for long in longs}
    columns = tuple(replace(c, role=Role.MIXED) if c.key in mixed else c for c in relation.columns)
    return replace(relation, columns=columns), tuple(longs)


def _tests(relation: Relation) -> Iterator[tuple[Column, Column]]:
    """Pairs of a measure and what may tell its kinds apart: a category, or the name of what it refers to."""
    kinds = [c for c in relation.of_role(Role.CATEGORY) if _may_tell(relation, c)]
    for join, _, columns in relation.joined:
        if not join.composite:
            named = [c for c in columns if c.field.kind is Kind.TEXT and _may_tell(relation, c)]
            kinds += [c for c in named if c.role in (Role.CATEGORY, Role.UNIQUE)]
    for value in relation.of_role(Role.MEASURE)[:4]:
        for kind in kinds[:8]:
            yield value, kind


def _may_tell(relation: Relation, column: Column) -> bool:
    return LEAST_KINDS <= column.figures.distinct <= max(LEAST_KINDS, relation.rows // 4)


def _kinds_sql(relation: Relation, tests: Sequence[tuple[Column, Column]]) -> str:
    """One row per test: i, kinds, within, total, scales, fixed, letters, rows."""
    return "\nUNION ALL ".join(
        f"SELECT {i} AS i, count(*) AS kinds, sum(w * n) / nullif(sum(n), 0) AS within, "
        f"sum(w * n) / nullif(sum(n), 0) + sum(n * a * a) / nullif(sum(n), 0) "
        f"- power(sum(n * a) / nullif(sum(n), 0), 2) AS total, max(a) - min(a) AS scales, "
        f"avg(CASE WHEN w = 0 THEN 1.0 ELSE 0.0 END) AS fixed, avg(letters) AS letters, sum(n) AS rows "
        f"FROM (SELECT avg(x) AS a, var_pop(x) AS w, count(*) AS n, any_value(length(CAST(g AS VARCHAR))) AS letters "
        f"FROM (SELECT ln(abs({Metric(value).expr})) AS x, {kind.expr} AS g "
        f"FROM {relation.reach([value, kind])} WHERE {relation.where} AND {value.expr} <> 0 "
        f"AND {kind.expr} IS NOT NULL) GROUP BY g)"
        for i, (value, kind) in enumerate(tests)
    )


def _told_apart(
    tests: Sequence[tuple[Column, Column]], rows: Sequence[Mapping[str, Any]]
) -> list[Long]:
    """For each measure of many kinds the column that names them: in text, and in the fewest letters."""
    best: dict[str, tuple[tuple[bool, float], Long]] = {}
    for row in rows:
        value, kind = tests[whole(row.get("i"))]
        kinds, n = whole(row.get("kinds")), whole(row.get("rows"))
        within, total = number(row.get("within")), number(row.get("total"))
        scales, fixed = number(row.get("scales")), number(row.get("fixed"))
        if within is None or not total or scales is None or fixed is None:
            continue
        if kinds < LEAST_KINDS or n < 2 * kinds or scales < _SCALES or fixed > _OFTEN:
            continue
        if within <= (1 - _TOLD_APART) * total:
            order = (kind.field.kind is not Kind.TEXT, number(row.get("letters")) or 0.0)
            if value.key not in best or order < best[value.key][0]:
                best[value.key] = (order, Long(value, kind, kinds))
    return [long for _, long in best.values()]


def _with_wholes(relation: Relation, long: Long) -> Conversation[Long]:
    """Look for columns whose one value marks the rows that stand for a whole."""
    columns = [
        c
        for c in relation.of_role(Role.CATEGORY, Role.FLAG, Role.STEP)
        if c.key != long.kind.key and 2 <= c.figures.distinct <= _FEW
    ]
    if not columns:
        return long
    x = f"abs({Metric(long.value).expr})"
    query = "\nUNION ALL ".join(
        f"SELECT {i} AS i, d, count(*) FILTER (WHERE n < all_n) AS both, "
        f"count(*) FILTER (WHERE n < all_n AND s / n >= {_LARGER} * (all_s - s) / (all_n - n)) AS larger, "
        f"count(*) FILTER (WHERE n < all_n AND {_LARGER} * s / n <= (all_s - s) / (all_n - n)) AS smaller "
        f"FROM (SELECT *, sum(s) OVER (PARTITION BY g) AS all_s, sum(n) OVER (PARTITION BY g) AS all_n "
        f"FROM (SELECT {long.kind.expr} AS g, CAST({c.expr} AS VARCHAR) AS d, sum({x}) AS s, count(*) AS n "
        f"FROM {long.source(relation, c)} WHERE {long.where(relation.where)} AND {c.expr} IS NOT NULL "
        f"GROUP BY 1, 2)) GROUP BY d"
        for i, c in enumerate(columns[:_TESTS])
    )
    reply = yield Ask(
        "execute_query",
        {"query": query, "limit": 200},
        f"See in which rows {long.value.phrase} stands for a whole, and in which for parts.",
    )
    best: dict[int, tuple[int, Whole]] = {}
    for row in reply.rows:
        both, larger, smaller = (whole(row.get(k)) for k in ("both", "larger", "smaller"))
        place, value = whole(row.get("i")), row.get("d")
        if value is None or both < 3 or larger < _OFTEN * both or smaller > _SELDOM * both:
            continue
        if larger > best.get(place, (0, None))[0]:
            best[place] = (larger, Whole(columns[place], str(value)))
    return replace(long, wholes=tuple(part for _, part in best.values()))
