"""Outliers: the highest and lowest value of each measure, with their when and where."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from agent.profiler import quoting, sentences
from agent.profiler.metrics import Metric
from agent.profiler.probe import Finding, Probe, Scene, Theme, filled, is_outcome
from agent.profiler.reply import Reply, number, text, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import extreme


def probes(scene: Scene) -> Iterator[Probe]:
    """One probe for each measure."""
    for column in scene.relation.of_role(Role.MEASURE, Role.YEAR):
        if filled(column):
            yield _extremes(scene, column)


def _context(scene: Scene) -> tuple[Column | None, Column | None]:
    """The leading date and the leading category: when and where."""
    times = [c for c in scene.relation.of_role(Role.TIME) if c.key not in scene.echoes]
    places = [c for c in scene.relation.of_role(Role.CATEGORY) if filled(c, 0.9)]
    # The category of most values that still repeat says most about where.
    places = [c for c in places if c.figures.distinct <= max(200, c.figures.rows // 300)]
    place = max(places, key=lambda c: c.figures.distinct) if places else None
    return (times[0] if times else None), place


def _extremes(scene: Scene, column: Column) -> Probe:
    r, x = scene.relation, column.expr
    time, place = _context(scene)
    when = f"strftime({time.expr}, '%Y-%m-%d')" if time else "NULL"
    where = quoting.shown(place.expr) if place else "NULL"
    low, high = f"min({x})", f"max({x})"

    def one(end: str, sign: str) -> str:
        return (
            f"(SELECT CAST({x} AS DOUBLE) AS v, {when} AS day, {where} AS place, '{end}' AS edge, "
            f"count(*) OVER (PARTITION BY {x}) AS same, "
            f"(SELECT count(*) FROM {r.source} WHERE NOT {r.mine} AND {x} {sign} "
            f"(SELECT {high if end == 'highest' else low} FROM {r.source} WHERE {r.where})) AS beyond, "
            f"(SELECT median({x}) FROM {r.source} WHERE {r.where}) AS middle "
            f"FROM {r.source} WHERE {r.where} AND {x} = "
            f"(SELECT {high if end == 'highest' else low} FROM {r.source} WHERE {r.where}) LIMIT 1)"
        )

    return Probe(
        family="extremes",
        key=column.key,
        about=(column.key,),
        prior=3.0 if is_outcome(scene, column) else 1.5,
        why=f"Find the highest and lowest {column.phrase}.",
        query=f"{one('highest', '>=')}\nUNION ALL {one('lowest', '<=')}",
        read=partial(_read, scene, column, place),
    )


def _read(
    scene: Scene, column: Column, place: Column | None, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    voice, about, show = scene.voice, (column.key,), Metric(column).show
    for row in reply.rows:
        value, end = number(row.get("v")), str(row.get("edge"))
        if value is None:
            continue
        quantiles = column.figures.quantiles
        edge = quantiles.get(0.99 if end == "highest" else 0.01, value)
        middle = quantiles.get(0.5, value)
        beyond = whole(row.get("beyond"))
        worth = extreme(value, middle, edge) + (2.0 if beyond == 0 else 0.0)
        if (value <= edge) == (end == "highest") and value != edge:
            worth = 0.5
        told = f"the {end} {column.phrase} of {voice.who} is {show(value)}"
        findings.append(Finding(sentences.sentence(told), worth, Theme.EXTREMES, about))
        if beyond == 0:
            told = f"the {end} {column.phrase} of all {voice.kin} is {voice.whose}"
            findings.append(Finding(sentences.sentence(told), worth - 0.5, Theme.EXTREMES, about))
        day, spot = text(row.get("day")), text(row.get("place"))
        if whole(row.get("same")) == 1 and (day or spot):
            when = f" on {day}" if day else ""
            there = f" at {place.phrase} {spot}" if place and spot else ""
            told = f"the {end} {column.phrase} of {voice.who} occurs{when}{there}"
            findings.append(Finding(sentences.sentence(told), worth - 0.2, Theme.EXTREMES, about))
    return findings, []
