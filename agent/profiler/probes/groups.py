"""Trends and differences inside the entity: highest and lowest month, weekday, hour, category."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from agent.profiler import quoting, sentences
from agent.profiler.groupings import Grouping, groupings
from agent.profiler.metrics import Metric, rungs
from agent.profiler.probe import Finding, Probe, Scene, Theme, batches, filled, is_outcome
from agent.profiler.reply import Reply, number, whole
from agent.profiler.roles import Role
from agent.profiler.sentences import Group
from agent.profiler.wording import count, share

LEAST_ROWS = 30
"""Groups of fewer rows are small, unless the average group itself is not twice as large."""
_MEASURES = 24
"""Measures of one relation that are looked at group by group."""


def probes(scene: Scene) -> Iterator[Probe]:
    """Rows, means and shares by each grouping."""
    metrics = tracked(scene)
    for grouping in groupings(scene):
        role, distinct = grouping.columns[0].role, grouping.columns[0].figures.distinct
        if grouping.timed or role is Role.CLOCK or (role is Role.STEP and distinct <= 31):
            yield _rows(scene, grouping)
        yield from by(scene, grouping, metrics)


def by(scene: Scene, grouping: Grouping, metrics: Sequence[Metric]) -> Iterator[Probe]:
    """The metrics by one grouping, two at a time so that a turn stays a few sentences."""
    apart = [m for m in metrics if m.column not in grouping.columns]
    for batch in by_form(apart):
        yield _tails(scene, grouping, batch, 5.0 * grouping.weight * weight_of(scene, batch[0]))


def by_form(metrics: Sequence[Metric]) -> Iterator[Sequence[Metric]]:
    """Pairs of metrics of one form."""
    for form in ("mean", "missing", "above"):
        yield from batches([m for m in metrics if m.form == form], 2)


def tracked(scene: Scene) -> list[Metric]:
    """What is worth following through groups: means, gaps in the data, one bound per measure."""
    columns = [c for c in scene.relation.columns if c.key not in scene.echoes and filled(c)]
    averaged = [c for c in columns if c.role.averaged]
    averaged.sort(key=lambda c: (c.role is Role.STEP, not is_outcome(scene, c)))
    found = [Metric(c) for c in averaged[:_MEASURES]]
    told: list[int] = []
    for column in sorted(columns, key=lambda c: not is_outcome(scene, c)):
        figures = column.figures
        gap = figures.rows - figures.filled
        # Columns that are missing about equally often tell one story: one of them is followed.
        other = all(abs(gap - known) > 0.2 * known for known in told)
        if other and 0.002 * figures.rows < gap < 0.98 * figures.rows and len(told) < 3:
            told.append(gap)
            found.append(Metric(column, "missing"))
    for column in averaged[:4]:
        if is_outcome(scene, column) and column.figures.least < 0 < column.figures.most:
            found += [Metric(column, "above", b) for b in rungs(column.figures) if b > 0][:1]
    return found


def _tails(scene: Scene, grouping: Grouping, metrics: Sequence[Metric], prior: float) -> Probe:
    return Probe(
        family="groups missing" if metrics[0].form == "missing" else f"groups {grouping.few}",
        key=f"{grouping.key} {' '.join(m.key for m in metrics)}",
        about=(grouping.key, *dict.fromkeys(m.topic for m in metrics)),
        prior=prior,
        why=f"Look at {' and '.join(m.subject for m in metrics)} by {grouping.words}.",
        query=tails_sql(scene, grouping, metrics),
        read=partial(_read_tails, scene, grouping, metrics),
    )


def tails_sql(scene: Scene, grouping: Grouping, metrics: Sequence[Metric]) -> str:
    """Up to eight rows per metric: i, g, v, n, big, within, between, hi, lo.

    Two of each end, among the groups that are big enough and among the small ones; the variance
    within and between all groups.
    """
    r = scene.relation
    source = r.reach([*grouping.columns, *(m.column for m in metrics)])
    each = ", ".join(
        f"avg({m.expr}) AS a{i}, count({m.expr}) AS c{i}, var_pop({m.expr}) AS w{i}"
        for i, m in enumerate(metrics)
    )
    long = " UNION ALL ".join(
        f"SELECT {i} AS i, g, a{i} AS v, c{i} AS n, w{i} AS w FROM g WHERE c{i} > 0"
        for i in range(len(metrics))
    )
    own = "OVER (PARTITION BY i)"
    return (
        f"WITH g AS (SELECT {grouping.expr} AS g, {each} FROM {source} "
        f"WHERE {r.where} AND {grouping.expr} IS NOT NULL GROUP BY 1),\n"
        f"l AS ({long}),\n"
        f"b AS (SELECT *, n >= least({LEAST_ROWS}, avg(n) {own} / 2) AS big, "
        f"sum(n * w) {own} / sum(n) {own} AS within, "
        f"sum(n * v * v) {own} / sum(n) {own} - power(sum(n * v) {own} / sum(n) {own}, 2) AS between_groups FROM l),\n"
        f"s AS (SELECT *, row_number() OVER (PARTITION BY i, big ORDER BY v DESC, g) AS hi, "
        f"row_number() OVER (PARTITION BY i, big ORDER BY v, g) AS lo FROM b)\n"
        f"SELECT i, {quoting.shown('g')} AS g, v, n, big, within, between_groups, hi, lo FROM s "
        f"WHERE hi <= 2 OR lo <= 2 ORDER BY i, big DESC, hi"
    )


def _read_tails(
    scene: Scene, grouping: Grouping, metrics: Sequence[Metric], reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    for i, metric in enumerate(metrics):
        rows = [row for row in reply.rows if whole(row.get("i")) == i]
        findings += _of_metric(scene, grouping, metric, rows)
    return findings, []


def _of_metric(
    scene: Scene, grouping: Grouping, metric: Metric, rows: Sequence[Mapping[str, Any]]
) -> list[Finding]:
    big = [row for row in rows if row.get("big")]
    high, low = _first(big, "hi"), _first(big, "lo")
    top, bottom = number(high.get("v")), number(low.get("v"))
    if top is None or bottom is None or metric.show(top) == metric.show(bottom):
        return []
    sizes = (number(high.get("n")) or 1.0, number(low.get("n")) or 1.0)
    worth = metric.swing(top, bottom, sizes) * _open(high) * weight_of(scene, metric)
    ends = []
    for row, value, end in ((high, top, "hi"), (low, bottom, "lo")):
        where = grouping.where(row.get("g"))
        # Of two groups with the same figure neither is the highest.
        if where and _alone(big, end):
            ends.append((end, Group(where, metric.show(value))))
    small = [number(row.get("v")) or 0.0 for row in rows if not row.get("big")]
    small_out = any(v >= top or v <= bottom for v in small)
    voice, subject = scene.voice, metric.subject
    theme = Theme.TIME if grouping.timed else Theme.GROUPS
    about = (metric.topic, grouping.key)
    # With a bound in it, one sentence about both ends would be a heap of numbers.
    if len(ends) == 2 and not grouping.daily and not metric.bounded:
        (_, one), (_, other) = ends
        told = sentences.highest_lowest(voice, subject, one, other, small_out=small_out)
        return [Finding(told, worth, theme, about)]
    found = []
    for end, group in ends:
        way = "highest" if end == "hi" else "lowest"
        say = sentences.day_of if grouping.daily else sentences.one_end
        told = say(voice, subject, group, way, small_out=small_out)
        found.append(Finding(told, worth * (1.0 if end == "hi" else 0.5), theme, about))
    return found


def _open(row: Mapping[str, Any]) -> float:
    """Little, where the group all but fixes the value, as a route fixes its length."""
    within, between = number(row.get("within")) or 0.0, number(row.get("between_groups")) or 0.0
    return 0.3 if between > 4 * within else 1.0


def weight_of(scene: Scene, metric: Metric) -> float:
    """Means of hours and grades, and of what a category fixes, tell less than means of outcomes."""
    if metric.form == "missing":
        return 0.7
    return 1.0 if is_outcome(scene, metric.column) else 0.5


def _first(rows: Sequence[Mapping[str, Any]], end: str) -> Mapping[str, Any]:
    """The row at an end; empty where there is none."""
    return next((row for row in rows if whole(row.get(end)) == 1), {})


def _alone(rows: Sequence[Mapping[str, Any]], end: str) -> bool:
    """Whether the end is reached by one group only, of two or more."""
    second = next((row for row in rows if whole(row.get(end)) == 2), None)
    return second is not None and second.get("v") != _first(rows, end).get("v")


def _rows(scene: Scene, grouping: Grouping) -> Probe:
    r = scene.relation
    query = (
        f"WITH g AS (SELECT {grouping.expr} AS g, count(*) AS n FROM {r.reach(grouping.columns)} "
        f"WHERE {r.where} AND {grouping.expr} IS NOT NULL GROUP BY 1),\n"
        f"s AS (SELECT *, count(*) OVER () AS groups, sum(n) OVER () AS total, "
        f"row_number() OVER (ORDER BY n DESC, g) AS hi, row_number() OVER (ORDER BY n, g) AS lo FROM g)\n"
        f"SELECT {quoting.shown('g')} AS g, n AS v, groups, total, hi, lo FROM s "
        f"WHERE hi <= 2 OR lo <= 2 ORDER BY hi"
    )
    return Probe(
        family="rows by group",
        key=grouping.key,
        about=(grouping.key,),
        prior=3.5 * grouping.weight,
        why=f"Look at the number of rows by {grouping.words}.",
        query=query,
        read=partial(_read_rows, scene, grouping),
    )


def _read_rows(scene: Scene, grouping: Grouping, reply: Reply) -> tuple[list[Finding], list[Probe]]:
    high, low = _first(reply.rows, "hi"), _first(reply.rows, "lo")
    groups, total = whole(high.get("groups")), number(high.get("total")) or 0.0
    where, there = grouping.where(high.get("g")), grouping.where(low.get("g"))
    if groups < 2 or not total or not where or not _alone(reply.rows, "hi"):
        return [], []
    even, top, least = total / groups, whole(high.get("v")), whole(low.get("v"))
    theme = Theme.TIME if grouping.timed else Theme.MIX
    voice, about = scene.voice, (grouping.key,)
    most = Group(where, count(top))
    worth = min(6.0, 2 * _beyond_chance(top - least, even))
    if there and _alone(reply.rows, "lo"):
        told = sentences.most_fewest(voice, most, Group(there, count(least)))
    else:
        told = sentences.sentence(f"{voice.who} has the most {voice.rows} {where} ({most.value})")
    findings = [Finding(told, worth, theme, about)]
    if grouping.few:
        told = f"{voice.whose} share of {voice.rows} is highest {where} ({share(top / total)})"
        worth = min(5.0, 1.5 * _beyond_chance(top - even, even))
        findings.append(Finding(sentences.sentence(told), worth, theme, about))
    return findings, []


def _beyond_chance(gap: float, even: float) -> float:
    """A gap of counts per even count, less the three square roots by which equals may differ."""
    return max(0.0, gap - 3 * math.sqrt(even)) / even
