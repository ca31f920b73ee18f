"""Levels: means and shares against the rest, and the entity's rank among all entities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from agent.profiler import sentences
from agent.profiler.metrics import Metric, rungs
from agent.profiler.probe import Finding, Probe, Scene, Theme, batches, filled, is_outcome
from agent.profiler.probes import deeper
from agent.profiler.reply import Reply, number, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import STANDS_OUT, apart, level, of_rank
from agent.profiler.wording import exact

_PRIORS = {
    Role.MEASURE: 6.0,
    Role.YEAR: 5.0,
    Role.FLAG: 5.0,
    Role.STEP: 3.0,
    Role.CODE: 1.0,
}


_WIDE = 12
"""A table of more numbers than this is looked at four columns at a time, not two."""


def probes(scene: Scene) -> Iterator[Probe]:
    """Means, medians and shares beyond bounds of the relation's own columns."""
    columns = [c for c in scene.relation.of_role(*_PRIORS) if filled(c)]
    columns.sort(key=lambda c: (-_PRIORS[c.role], not is_outcome(scene, c)))
    for batch in batches(columns, 2 if len(columns) <= _WIDE else 4):
        metrics = [Metric(c) for c in batch]
        yield compare(scene, metrics, Theme.LEVEL, max(_prior(scene, c) for c in batch))
    for column in columns:
        if column.role is Role.MEASURE:
            yield _quantiles(scene, column, 4.0 if is_outcome(scene, column) else 3.0)
        if column.role in (Role.MEASURE, Role.STEP):
            yield from _beyond(scene, column)
    yield from _missing(scene)


def _prior(scene: Scene, column: Column) -> float:
    fixed = column.key in scene.fixed
    return 0.5 * _PRIORS[column.role] if fixed else _PRIORS[column.role]


def _missing(scene: Scene) -> Iterator[Probe]:
    columns = [c for c in scene.relation.columns if c.figures.filled < c.figures.rows]
    # Columns that are missing equally often are mostly missing together: they share a turn.
    columns.sort(key=lambda c: (-c.figures.filled, c.role is not Role.MEASURE))
    for batch in batches(columns, 3):
        yield compare(scene, [Metric(c, "missing") for c in batch], Theme.MISSING, 4.5)


def _beyond(scene: Scene, column: Column) -> Iterator[Probe]:
    if column.role is Role.STEP:
        beyond = [Metric(column, "above", b) for b in _steps(column, (0.75, 0.9))]
        beyond += [Metric(column, "below", b) for b in _steps(column, (0.25, 0.05))]
    else:
        beyond = [Metric(column, "above", b) for b in rungs(column.figures)]
    if beyond:
        prior = 4.5 if is_outcome(scene, column) else 3.0
        yield compare(scene, beyond, Theme.LEVEL, prior, ranks=2)


def _steps(column: Column, quantiles: Sequence[float]) -> list[float]:
    """For hours and grades the quantiles themselves, which are whole numbers."""
    figures = column.figures
    found = dict.fromkeys(figures.quantiles[q] for q in quantiles if q in figures.quantiles)
    return [value for value in found if figures.least < value < figures.most]


def compare(
    scene: Scene, metrics: Sequence[Metric], theme: Theme, prior: float, *, ranks: int = 99
) -> Probe:
    """Each metric's mean for the entity, for the rest, and where it stands among all."""
    forms = {m.form for m in metrics}
    what = "missing values" if forms == {"missing"} else "levels"
    return Probe(
        family=f"compare {sorted(forms)[0]}",
        key=" ".join(m.key for m in metrics),
        about=tuple(dict.fromkeys(m.topic for m in metrics)),
        prior=prior,
        why=f"Compare {what} with the rest: {', '.join(m.subject for m in metrics)}.",
        query=compare_sql(scene, metrics),
        read=partial(_read, scene, metrics, theme, ranks),
    )


def compare_sql(scene: Scene, metrics: Sequence[Metric]) -> str:
    """One row per metric: i, own, n, rest, above, tied, entities, centre, spread."""
    r = scene.relation
    source = r.reach([m.column for m in metrics])
    each = ", ".join(
        f"avg({m.expr}) AS a{i}, count({m.expr}) AS c{i}" for i, m in enumerate(metrics)
    )
    long = " UNION ALL ".join(
        f"SELECT {i} AS i, k, mine, a{i} AS a, c{i} AS c FROM e" for i in range(len(metrics))
    )
    return (
        f"WITH e AS (SELECT {r.key} AS k, {r.mine} AS mine, {each} FROM {source} GROUP BY 1, 2),\n"
        f"l AS ({long}),\n"
        f"o AS (SELECT *, max(a) FILTER (WHERE mine) OVER (PARTITION BY i) AS own FROM l)\n"
        f"SELECT i, any_value(own) AS own, any_value(c) FILTER (WHERE mine) AS n, "
        f"sum(a * c) FILTER (WHERE NOT mine) / nullif(sum(c) FILTER (WHERE NOT mine), 0) AS rest, "
        f"count(k) FILTER (WHERE a > own) AS above, count(k) FILTER (WHERE a = own) AS tied, "
        f"count(k) FILTER (WHERE a IS NOT NULL) AS entities, "
        f"median(a) FILTER (WHERE k IS NOT NULL) AS centre, "
        f"mad(a) FILTER (WHERE k IS NOT NULL) AS spread FROM o GROUP BY i ORDER BY i"
    )


def _read(
    scene: Scene, metrics: Sequence[Metric], theme: Theme, ranks: int, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    more: list[Probe] = []
    for row in reply.rows:
        metric = metrics[whole(row.get("i"))]
        own, rest, n = number(row.get("own")), number(row.get("rest")), whole(row.get("n"))
        if own is None or not n or own == rest:
            continue
        entities, tied = whole(row.get("entities")), whole(row.get("tied"))
        surprise = _surprise(metric, own, rest, n, row)
        about = (metric.topic,)
        findings.append(Finding(_against(scene, metric, own, rest), surprise, theme, about))
        above = whole(row.get("above"))
        if entities >= 3 and tied == 1 and ranks > 0:
            ranks -= 1
            words = sentences.ranked(scene.voice, metric.subject, above, entities)
            worth = of_rank(surprise, above, entities)
            findings.append(Finding(words, worth, theme, about))
        worth_a_look = metric.form == "missing" or (
            metric.form == "mean" and is_outcome(scene, metric.column)
        )
        if (
            rest is not None
            and surprise >= STANDS_OUT
            and worth_a_look
            and not metric.column.joined
        ):
            more += deeper.probes(scene, metric, surprise)
    return findings, more


def _surprise(
    metric: Metric, own: float, rest: float | None, n: int, row: Mapping[str, Any]
) -> float:
    if rest is None or metric.column.role is Role.CODE:
        return 0.5
    return level(own, rest, n, metric.deviation, row, is_share=metric.is_share)


def _against(scene: Scene, metric: Metric, own: float, rest: float | None) -> str:
    voice, phrase, show = scene.voice, metric.column.phrase, metric.show
    if metric.form == "missing":
        return sentences.missing_in(voice, phrase, own, rest)
    if metric.bounded:
        gaps = metric.column.figures.filled < metric.column.figures.rows
        of = "values" if gaps else voice.rows
        bound = f"{phrase} is {metric.form} {exact(metric.bound)}"
        return sentences.beyond(voice, bound, own, rest, of=of)
    if metric.column.role is Role.FLAG:
        return sentences.holds_in(voice, phrase, own, rest)
    told = None if rest is None else show(rest)
    if metric.column.joined:
        return sentences.joined_mean(voice, phrase, show(own), told)
    return sentences.mean_against(voice, phrase, show(own), told)


def _quantiles(scene: Scene, column: Column, prior: float) -> Probe:
    r, x = scene.relation, f"CAST({column.expr} AS DOUBLE)"
    parts = ", ".join(
        f"{figure} FILTER (WHERE {side}) AS {name}"
        for side, suffix in ((r.mine, ""), (f"NOT {r.mine}", "_rest"))
        for figure, name in (
            (f"median({x})", f"median{suffix}"),
            (f"quantile_cont({x}, 0.9)", f"top{suffix}"),
            (f"stddev_samp({x})", f"sd{suffix}"),
        )
    )
    return Probe(
        family="quantiles",
        key=column.key,
        about=(column.key,),
        prior=prior,
        why=f"Compare the median and the spread of {column.phrase} with the rest.",
        query=f"SELECT {parts} FROM {r.source}",
        read=partial(_read_quantiles, scene, column),
    )


def _read_quantiles(
    scene: Scene, column: Column, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings = []
    show = Metric(column).show
    for name, figure in (
        ("median", "median"),
        ("top", "90th percentile"),
        ("sd", "standard deviation"),
    ):
        own, rest = number(reply.one.get(name)), number(reply.one.get(f"{name}_rest"))
        if own is None or scene.relation.own < 3:
            continue
        gap = apart(own, rest, column.figures.deviation or 0.0, 0.0) if rest is not None else 1.0
        told = None if rest is None else show(rest)
        words = sentences.figure_against(scene.voice, figure, column.phrase, show(own), told)
        findings.append(Finding(words, gap, Theme.LEVEL, (column.key,)))
    return findings, []
