"""Conditions: a measure where another number is above or below a bound, against otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from agent.profiler import quoting, sentences
from agent.profiler.metrics import Metric, cuts
from agent.profiler.probe import Finding, Probe, Scene, Theme, filled, is_outcome
from agent.profiler.probes.groups import tracked
from agent.profiler.reply import Reply, number, whole
from agent.profiler.roles import Column, Role
from agent.profiler.wording import exact


def probes(scene: Scene) -> Iterator[Probe]:
    """The relation's own numbers; those of joined tables follow from what goes together."""
    for column in scene.relation.of_role(Role.MEASURE, Role.STEP, Role.FLAG):
        # One outcome under the condition of another says little that a correlation does not.
        if column.key not in scene.echoes and filled(column) and not is_outcome(scene, column):
            yield from split(scene, column, 2.0)


def split(scene: Scene, column: Column, prior: float) -> Iterator[Probe]:
    """The leading outcomes and the leading gap where the column is above or below a bound."""
    metrics = tracked(scene)
    means = [m for m in metrics if m.form == "mean" and is_outcome(scene, m.column)][:2]
    gaps = [m for m in metrics if m.form == "missing"][:1]
    bounds = _bounds(column)
    if bounds and (means or gaps):
        yield _conditions(scene, column, bounds, [*means, *gaps], prior)


def is_rare(column: Column) -> bool:
    """Whether most rows have the same end value, so that the others are a state of their own."""
    quantile = column.figures.quantiles.get
    return quantile(0.5) in (column.figures.least, column.figures.most)


def _bounds(column: Column) -> list[tuple[str, float]]:
    """Conditions that people would state: above 0, above a round number, below one."""
    figures = column.figures
    if column.role is Role.FLAG:
        return [(">", 0.0)]
    if column.role is Role.STEP:
        high = [(">", figures.quantiles.get(q, figures.most)) for q in (0.75, 0.9)]
        low = [("<", figures.quantiles.get(q, figures.least)) for q in (0.25, 0.05)]
        return list(dict.fromkeys(high + low))
    if is_rare(column) and figures.quantiles.get(0.5) == figures.most:
        # Mostly at its highest value, as visibility is: what matters is what lies below.
        return [("<", b) for b in cuts(figures, (0.25, 0.1, 0.05, 0.01)) if b > figures.least]
    if is_rare(column):
        rare = cuts(figures, (0.95, 0.99))
        return [(">", b) for b in dict.fromkeys([figures.least, *rare])]
    high = [(">", b) for b in cuts(figures, (0.75, 0.95))]
    return high + [("<", b) for b in cuts(figures, (0.25, 0.05))]


def _conditions(
    scene: Scene,
    column: Column,
    bounds: Sequence[tuple[str, float]],
    metrics: Sequence[Metric],
    prior: float,
) -> Probe:
    r = scene.relation
    cells = []
    for i, (sign, bound) in enumerate(bounds):
        inside = f"x {sign} {quoting.decimal(bound)}"
        outside = f"x {'<=' if sign == '>' else '>='} {quoting.decimal(bound)}"
        for j in range(len(metrics)):
            for name, side in (("yes", inside), ("no", outside)):
                cells.append(f"avg(m{j}) FILTER (WHERE {side}) AS {name}_{i}_{j}")
                cells.append(f"count(m{j}) FILTER (WHERE {side}) AS n_{name}_{i}_{j}")
    source = r.reach([column, *(m.column for m in metrics)])
    read = ", ".join(f"{m.expr} AS m{j}" for j, m in enumerate(metrics))
    return Probe(
        family="conditions joined" if column.joined else "conditions",
        key=f"{column.alias}.{column.key}",
        about=(column.key,),
        prior=prior,
        why=f"See what {column.phrase} changes in {', '.join(m.subject for m in metrics)}.",
        query=(
            f"WITH w AS (SELECT {column.expr} AS x, {read} FROM {source} WHERE {r.where})\n"
            f"SELECT {', '.join(cells)} FROM w"
        ),
        read=partial(_read, scene, column, bounds, metrics),
    )


def _read(
    scene: Scene,
    column: Column,
    bounds: Sequence[tuple[str, float]],
    metrics: Sequence[Metric],
    reply: Reply,
) -> tuple[list[Finding], list[Probe]]:
    findings = []
    told_of: set[tuple[int, ...]] = set()
    row = reply.one
    for i, (sign, cut) in enumerate(bounds):
        for j, metric in enumerate(metrics):
            yes, no = number(row.get(f"yes_{i}_{j}")), number(row.get(f"no_{i}_{j}"))
            counts = [whole(row.get(f"n_{side}_{i}_{j}")) for side in ("yes", "no")]
            if yes is None or no is None or min(counts) < scene.relation.floor:
                continue
            inside, outside = metric.show(yes), metric.show(no)
            if inside == outside:
                continue
            if (j, *counts) in told_of:
                continue  # another bound that parts the rows in the same way
            told_of.add((j, *counts))
            told = sentences.where_otherwise(
                scene.voice,
                _words(column, sign, cut),
                metric.subject,
                inside,
                outside,
            )
            worth = metric.swing(yes, no, (counts[0], counts[1])) * (1.5 if column.joined else 0.7)
            about = (metric.topic, column.key)
            findings.append(Finding(told, worth, Theme.CONDITIONS, about))
    return findings, []


def _words(column: Column, sign: str, cut: float) -> str:
    if column.role is Role.FLAG:
        return f"{column.phrase} holds"
    return f"{column.phrase} is {'above' if sign == '>' else 'below'} {exact(cut)}"
