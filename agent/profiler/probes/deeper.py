"""A second look at what stood out: where inside the entity it differs most from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from agent.profiler import quoting, sentences
from agent.profiler.groupings import Grouping, groupings
from agent.profiler.metrics import Metric
from agent.profiler.probe import Finding, Probe, Scene, Theme
from agent.profiler.reply import Reply, number, whole


def probes(scene: Scene, metric: Metric, surprise: float) -> list[Probe]:
    """The metric that stood out against the rest, group by group."""
    wanted = [g for g in groupings(scene) if g.few][:4]
    return [_gap(scene, metric, g, min(5.0, 0.5 * surprise) * g.weight) for g in wanted]


def _gap(scene: Scene, metric: Metric, grouping: Grouping, prior: float) -> Probe:
    r = scene.relation
    source = r.reach([metric.column, *grouping.columns])
    query = (
        f"WITH g AS (SELECT {grouping.expr} AS g, "
        f"avg({metric.expr}) FILTER (WHERE {r.mine}) AS own, "
        f"avg({metric.expr}) FILTER (WHERE NOT {r.mine}) AS rest, "
        f"count({metric.expr}) FILTER (WHERE {r.mine}) AS n, "
        f"count({metric.expr}) FILTER (WHERE NOT {r.mine}) AS n_rest "
        f"FROM {source} WHERE {grouping.expr} IS NOT NULL GROUP BY 1)\n"
        f"SELECT {quoting.shown('g')} AS g, own, rest, n, n_rest FROM g "
        f"WHERE n >= {r.floor} AND n_rest >= {r.floor} AND own IS NOT NULL AND rest IS NOT NULL "
        f"ORDER BY abs(own - rest) DESC, 1 LIMIT 3"
    )
    return Probe(
        family="gap",
        key=f"{metric.key} by {grouping.key}",
        about=(metric.topic, grouping.key),
        prior=prior,
        why=f"See where {metric.subject} is furthest from the rest, by {grouping.words}.",
        query=query,
        read=partial(_read, scene, metric, grouping),
    )


def _read(
    scene: Scene, metric: Metric, grouping: Grouping, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings = []
    for place, row in enumerate(_numbered(reply)):
        own, rest = number(row.get("own")), number(row.get("rest"))
        where = grouping.where(row.get("g"))
        if own is None or rest is None or where is None:
            continue
        told = sentences.in_group_against(
            scene.voice, where, metric.subject, metric.show(own), metric.show(rest)
        )
        rows = (whole(row.get("n")), whole(row.get("n_rest")))
        size = metric.swing(own, rest, rows)
        about = (metric.topic, grouping.key)
        findings.append(Finding(told, size / (1 + place), Theme.GROUPS, about))
    return findings, []


def _numbered(reply: Reply) -> Sequence[dict[str, object]]:
    return [dict(row) for row in reply.rows]
