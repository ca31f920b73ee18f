"""Find columns that say little by themselves: echoes of another column, and measures a category fixes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from agent.profiler.groupings import span_days
from agent.profiler.metrics import Metric
from agent.profiler.relation import Relation
from agent.profiler.reply import Ask, Conversation, number
from agent.profiler.roles import Column, Role
from agent.profiler.schema import Kind

_TESTS = 24
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


def find_echoes(relation: Relation) -> Conversation[frozenset[str]]:
    """Columns that repeat another: a second date of the same days, a clock of the same hours."""
    tests = list(_echo_tests(relation))[:_TESTS]
    if not tests:
        return frozenset()
    cells = ", ".join(
        f"avg(CASE WHEN {test} THEN 1.0 WHEN ({test}) IS NOT NULL THEN 0.0 END) AS t{i}"
        for i, (_, test) in enumerate(tests)
    )
    reply = yield Ask(
        "execute_query",
        {"query": f"SELECT {cells} FROM {relation.source}"},
        f"See which columns of {relation.words} repeat one another.",
    )
    same = [number(reply.one.get(f"t{i}")) or 0.0 for i in range(len(tests))]
    return frozenset(test[0] for test, part in zip(tests, same, strict=True) if part >= 0.9)


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
