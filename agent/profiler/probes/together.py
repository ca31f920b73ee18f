"""What goes together: correlations of measures and the difference or ratio of close ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

from agent.profiler import sentences
from agent.profiler.probe import Finding, Probe, Scene, Theme, filled, is_outcome
from agent.profiler.probes import conditions
from agent.profiler.relation import Join
from agent.profiler.reply import Reply, number, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import apart, together
from agent.profiler.wording import amount

_COLUMNS = 9
_CLOSE = 0.8
"""From this correlation on the difference and the ratio of two measures are looked at."""
_BATCH = 3
_JOINED = 16


def probes(scene: Scene) -> Iterator[Probe]:
    """Pairs of measures and steps, three pairs a turn, measures first."""
    r = scene.relation
    roles = (Role.MEASURE, Role.STEP, Role.YEAR)
    own = [c for c in r.of_role(*roles) if filled(c) and c.key not in scene.echoes]
    own.sort(key=lambda c: (not is_outcome(scene, c), c.role is not Role.MEASURE))
    pairs = [p for p in combinations(own[:_COLUMNS], 2) if p[0].role is Role.MEASURE]
    for start in range(0, len(pairs), _BATCH):
        yield _correlate(scene, pairs[start : start + _BATCH], 3.0)
    outcomes = [c for c in own if is_outcome(scene, c)][:2]
    for join, alias, columns in r.joined:
        usable = [c for c in columns if c.role.averaged and filled(c, 0.1)][:_JOINED]
        if usable and outcomes:
            yield _screen(scene, join, alias, usable, outcomes)


def _correlate(scene: Scene, pairs: Sequence[tuple[Column, Column]], prior: float) -> Probe:
    r = scene.relation
    cells = ", ".join(
        f"corr({a.expr}, {b.expr}) FILTER (WHERE {r.mine}) AS r{i}, "
        f"corr({a.expr}, {b.expr}) FILTER (WHERE NOT {r.mine}) AS rest{i}, "
        f"count({a.expr} + {b.expr}) FILTER (WHERE {r.mine}) AS n{i}"
        for i, (a, b) in enumerate(pairs)
    )
    columns = [c for pair in pairs for c in pair]
    return Probe(
        family="together",
        key=" ".join(f"{a.key}~{b.key}" for a, b in pairs),
        about=tuple(dict.fromkeys(c.key for c in columns)),
        prior=prior,
        why="See what goes together: "
        + "; ".join(f"{a.phrase} with {b.phrase}" for a, b in pairs)
        + ".",
        query=f"SELECT {cells} FROM {r.reach(columns)}",
        read=partial(_read, scene, pairs),
    )


def _read(
    scene: Scene, pairs: Sequence[tuple[Column, Column]], reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    more: list[Probe] = []
    for i, (a, b) in enumerate(pairs):
        r, rest = number(reply.one.get(f"r{i}")), number(reply.one.get(f"rest{i}"))
        n = whole(reply.one.get(f"n{i}"))
        if r is None or n < 10 or abs(r) < 0.05:
            continue
        told = sentences.go_together(scene.voice, a.phrase, b.phrase, r, rest)
        about = (a.key, b.key)
        findings.append(Finding(told, together(r, rest, n), Theme.TOGETHER, about))
        if r >= _CLOSE and a.role is b.role is Role.MEASURE:
            more.append(_difference(scene, a, b))
    return findings, more


def _screen(
    scene: Scene, join: Join, alias: str, columns: Sequence[Column], outcomes: Sequence[Column]
) -> Probe:
    """Which numbers of a joined table go with the outcomes; the closest are looked into next."""
    r = scene.relation
    cells = ", ".join(
        f"corr({a.expr}, {b.expr}) AS r{i}_{j}, count({a.expr} + {b.expr}) AS n{i}_{j}"
        for i, b in enumerate(columns)
        for j, a in enumerate(outcomes)
    )
    return Probe(
        family="together joined",
        key=alias,
        about=(f"{join.target.name}.*",),
        prior=5.0 if join.composite else 3.0,
        why=f"See which numbers of {columns[0].of} go with {' and '.join(c.phrase for c in outcomes)}.",
        query=f"SELECT {cells} FROM {r.reach([*columns, *outcomes])} WHERE {r.where}",
        read=partial(_read_screen, scene, columns, outcomes),
    )


def _read_screen(
    scene: Scene, columns: Sequence[Column], outcomes: Sequence[Column], reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    more: list[Probe] = []
    for i, column in enumerate(columns):
        closest = 0.0
        for j, outcome in enumerate(outcomes):
            r, n = number(reply.one.get(f"r{i}_{j}")), whole(reply.one.get(f"n{i}_{j}"))
            if r is None or n < 10 or abs(r) < 0.05:
                continue
            worth = together(r, None, n)
            closest = max(closest, worth)
            told = sentences.go_together(scene.voice, outcome.phrase, column.phrase, r, None)
            about = (outcome.key, column.key)
            findings.append(Finding(told, 2 * worth, Theme.TOGETHER, about))
        # A rare state, as rain is, moves a mean where a correlation hardly shows it.
        prior = 2.5 + 3 * closest + (2.0 if conditions.is_rare(column) else 0.0)
        more += conditions.split(scene, column, min(6.0, prior))
    return findings, more


def _difference(scene: Scene, a: Column, b: Column) -> Probe:
    r = scene.relation
    x, y = f"CAST({a.expr} AS DOUBLE)", f"CAST({b.expr} AS DOUBLE)"
    cells = ", ".join(
        f"avg({x} - {y}) FILTER (WHERE {side}) AS gap{s}, "
        f"sum({x}) FILTER (WHERE {side} AND {y} IS NOT NULL) "
        f"/ nullif(sum({y}) FILTER (WHERE {side} AND {x} IS NOT NULL), 0) AS ratio{s}, "
        f"avg(CASE WHEN {x} > {y} THEN 1.0 WHEN {x} <= {y} THEN 0.0 END) "
        f"FILTER (WHERE {side}) AS more{s}"
        for side, s in ((r.mine, ""), (f"NOT {r.mine}", "_rest"))
    )
    query = f"SELECT {cells}, stddev_samp({x} - {y}) AS sd, count({x} - {y}) FILTER (WHERE {r.mine}) AS n FROM {r.source}"
    return Probe(
        family="difference",
        key=f"{a.key}-{b.key}",
        about=(a.key, b.key),
        prior=2.5,
        why=f"Look at the difference between {a.phrase} and {b.phrase}.",
        query=query,
        read=partial(_read_difference, scene, a, b),
    )


def _read_difference(
    scene: Scene, a: Column, b: Column, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    row, voice, about = reply.one, scene.voice, (a.key, b.key)
    n, deviation = whole(row.get("n")), number(row.get("sd")) or 0.0
    findings: list[Finding] = []
    if n < 3:
        return findings, []
    same_size = 0.5 < (a.figures.deviation or 0.0) / (b.figures.deviation or math.inf) < 2
    gap, rest = number(row.get("gap")), number(row.get("gap_rest"))
    if same_size and gap is not None and rest is not None:
        worth = 1 + apart(gap, rest, deviation, deviation / math.sqrt(n))
        words = "higher" if gap > 0 else "lower"
        told = (
            f"for {voice.who} {a.phrase} is on average {amount(abs(gap))} {words} than {b.phrase}"
            f" (mean difference {amount(gap)})"
        )
        findings.append(Finding(sentences.sentence(told), worth, Theme.TOGETHER, about))
    ratio, usual = number(row.get("ratio")), number(row.get("ratio_rest"))
    one_sign = min(a.figures.least, b.figures.least) >= 0
    if one_sign and ratio is not None and usual:
        told = (
            f"for {voice.who} the ratio of total {a.phrase} to total {b.phrase} is {amount(ratio)}, "
            f"against {amount(usual)} for the rest"
        )
        worth = 1 + 20 * abs(ratio / usual - 1)
        findings.append(Finding(sentences.sentence(told), min(8.0, worth), Theme.TOGETHER, about))
    return findings, []
