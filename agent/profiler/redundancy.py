"""Find columns that say little by themselves.

Echoes of another column, an entity's own keys, numbers that count its rows, measures that a category fixes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from agent.profiler.groupings import span_days
from agent.profiler.metrics import Metric
from agent.profiler.relation import Relation
from agent.profiler.reply import Ask, Conversation, number
from agent.profiler.roles import Column, Role
from agent.profiler.schema import Kind

_TESTS = 24
_FEW = 8
_SHORT, _LONG = 10, 40
"""Of fewer different numbers it is not said that they count; with gaps among them, of fewer than so many."""
_FIXED = 0.8
"""Share of a measure's variance between the values of one category from which it counts as fixed."""


def find_fixed(relation: Relation) -> Conversation[frozenset[str]]:
    """Measures of which a category explains nearly all, over the entity's rows."""
    measures = relation.of_role(Role.MEASURE)[:12]
    categories = [
        c
        for c in relation.of_role(Role.CATEGORY)
        if 2 <= c.figures.distinct <= max(2, relation.rows // 100)
    ]
    tests = [(m, c) for m in measures for c in categories[:6]][:_TESTS]
    if not tests:
        return frozenset()
    query = "\nUNION ALL ".join(
        f"SELECT {i} AS i, (SELECT sum(w * n) / nullif(sum(n), 0) FROM (SELECT var_pop({Metric(m).expr}) AS w, "
        f"count({m.expr}) AS n FROM {relation.source} WHERE {relation.where} GROUP BY {c.expr})) AS within, "
        f"(SELECT var_pop({Metric(m).expr}) FROM {relation.source} WHERE {relation.where}) AS total"
        for i, (m, c) in enumerate(tests)
    )
    reply = yield Ask(
        "execute_query",
        {"query": query, "limit": 50},
        f"See which measures of {relation.words} a category all but fixes.",
    )
    fixed = set()
    for row in reply.rows:
        within, total = number(row.get("within")), number(row.get("total"))
        if within is not None and total and within <= (1 - _FIXED) * total:
            fixed.add(tests[int(number(row.get("i")) or 0)][0].key)
    return frozenset(fixed)


@dataclass(frozen=True)
class Redundant:
    """Keys of columns of a relation."""

    echoes: frozenset[str] = frozenset()
    """They repeat another: a second date of the same days, a clock of the same hours."""
    nested: frozenset[str] = frozenset()
    """Names of which each belongs to one entity alone, and most entities have several: its own keys."""
    counters: frozenset[str] = frozenset()
    """Numbers that count up within each entity."""

    def left(self, relation: Relation) -> Relation:
        """The relation in which what only counts names the rows and measures nothing."""
        columns = relation.columns
        changed = [replace(c, role=Role.UNIQUE) if c.key in self.counters else c for c in columns]
        return replace(relation, columns=tuple(changed))


def find_redundant(relation: Relation) -> Conversation[Redundant]:
    """All three in one query, which looks at every row."""
    tests = [("echo", key, f"avg({_share(test)})") for key, test in _echo_tests(relation)][:_TESTS]
    tests += [("nested", c.key, _nested(relation, c)) for c in _names(relation)][:_FEW]
    tests += [("counter", c.key, _counts(relation, c)) for c in _numbers(relation)][:_FEW]
    if not tests:
        return Redundant()
    cells = ", ".join(f"{cell} AS t{i}" for i, (_, _, cell) in enumerate(tests))
    reply = yield Ask(
        "execute_query",
        # The count makes one row of it, also where nothing else is summed up.
        {"query": f"SELECT count(*) AS n, {cells} FROM {relation.source}"},
        f"See which columns of {relation.words} repeat one another, or only name and count its rows.",
    )
    same = [number(reply.one.get(f"t{i}")) or 0.0 for i in range(len(tests))]

    def found(kind: str, least: float) -> frozenset[str]:
        told = zip(tests, same, strict=True)
        return frozenset(key for (each, key, _), part in told if each == kind and part >= least)

    return Redundant(found("echo", 0.9), found("nested", 1.0), found("counter", 0.9))


def _share(test: str) -> str:
    return f"CASE WHEN {test} THEN 1.0 WHEN ({test}) IS NOT NULL THEN 0.0 END"


def _names(relation: Relation) -> Iterator[Column]:
    """Columns that may hold the entity's own keys."""
    if not relation.apart:
        yield from relation.of_role(Role.CATEGORY, Role.CODE)


def _nested(relation: Relation, column: Column) -> str:
    """SQL: the share of the names that one entity alone has; NULL where an entity has less than two of them."""
    return (
        f"(SELECT CASE WHEN count(*) >= 2 * count(DISTINCT a) THEN avg(CASE WHEN a = b THEN 1.0 ELSE 0.0 END) END "
        f"FROM (SELECT min({relation.key}) AS a, max({relation.key}) AS b FROM {relation.source} "
        f"WHERE {column.expr} IS NOT NULL AND {relation.key} IS NOT NULL GROUP BY {column.expr}))"
    )


def _numbers(relation: Relation) -> Iterator[Column]:
    """What may count: whole numbers from 0 or 1 on."""
    for column in relation.of_role(Role.MEASURE, Role.CODE):
        if column.field.kind is Kind.WHOLE and column.figures.least in (0, 1):
            yield column


def _counts(relation: Relation, column: Column) -> str:
    """SQL: the share of rows of entities within which it counts up: each number, a few times at most; or
    where the numbers are those of another table's rows too, each once and without wide gaps."""
    return (
        f"(SELECT sum(CASE WHEN d = s AND d >= 0.3 * n OR d = n AND d >= 0.2 * s AND d >= {_LONG} THEN n ELSE 0 END) "
        f"/ sum(n) FROM (SELECT CAST(max({column.expr}) AS DOUBLE) - min({column.expr}) + 1 AS s, count(DISTINCT {column.expr}) AS d, "
        f"count({column.expr}) AS n FROM {relation.source} GROUP BY {relation.key}) WHERE d >= {_SHORT})"
    )


def _echo_tests(relation: Relation) -> Iterator[tuple[str, str]]:
    times = sorted(relation.of_role(Role.TIME), key=lambda c: c.field.kind is not Kind.DATE)
    for one, other in combinations(times, 2):
        if span_days(one) is not None and span_days(other) is not None:
            # A clock in another zone is a day off at most.
            gap = f"CAST({other.expr} AS DATE) - CAST({one.expr} AS DATE)"
            yield other.key, f"abs({gap}) <= 1"
    for clock in relation.of_role(Role.CLOCK):
        for step in relation.of_role(Role.STEP):
            if _hours(step):
                yield clock.key, f"abs(floor({clock.expr} / 100) - {step.expr}) <= 1"
    for one, other in combinations(relation.of_role(Role.CLOCK), 2):
        yield other.key, f"abs(floor({one.expr} / 100) - floor({other.expr} / 100)) <= 1"


def _hours(column: Column) -> bool:
    return column.figures.least >= 0 and 12 <= column.figures.most <= 24
