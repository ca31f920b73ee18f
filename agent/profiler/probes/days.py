"""The period: its first and last day, its halves, weekends, and the course from month to month."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from agent.profiler import sentences
from agent.profiler.metrics import Metric
from agent.profiler.probe import Finding, Probe, Scene, Theme, batches, filled, is_outcome
from agent.profiler.probes.groups import tracked
from agent.profiler.reply import Reply, number, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import shares
from agent.profiler.wording import amount, count, month, share


def probes(scene: Scene) -> Iterator[Probe]:
    """For the leading date of the relation."""
    times = [c for c in scene.relation.of_role(Role.TIME) if c.key not in scene.echoes]
    for time in [t for t in times if filled(t)][:1]:
        yield _period(scene, time)
        followed = [
            m
            for m in tracked(scene)
            if m.form == "missing" or (m.form == "mean" and is_outcome(scene, m.column))
        ]
        for batch in batches(followed, 2):
            yield _halves(scene, time, batch)
            yield _weekend(scene, time, batch)


def _period(scene: Scene, time: Column) -> Probe:
    r, day = scene.relation, f"CAST({time.expr} AS DATE)"
    weekend = f"avg(CASE WHEN isodow({time.expr}) >= 6 THEN 1.0 ELSE 0.0 END)"
    query = (
        f"WITH m AS (SELECT strftime({day}, '%Y-%m') AS m, count(*) AS n FROM {r.source} "
        f"WHERE {r.where} AND {time.expr} IS NOT NULL GROUP BY 1)\n"
        f"SELECT CAST(min({day}) FILTER (WHERE {r.mine}) AS VARCHAR) AS first, "
        f"CAST(max({day}) FILTER (WHERE {r.mine}) AS VARCHAR) AS last, "
        f"count(DISTINCT {day}) FILTER (WHERE {r.mine}) AS days, count(DISTINCT {day}) AS all_days, "
        f"count({day}) FILTER (WHERE {r.mine}) AS dated, "
        f"{weekend} FILTER (WHERE {r.mine} AND {time.expr} IS NOT NULL) AS weekend, "
        f"{weekend} FILTER (WHERE NOT {r.mine} AND {time.expr} IS NOT NULL) AS weekend_rest, "
        f"(SELECT arg_min(n, m) FROM m) AS first_n, (SELECT arg_max(n, m) FROM m) AS last_n, "
        f"(SELECT min(m) FROM m) AS first_m, (SELECT max(m) FROM m) AS last_m FROM {r.source}"
    )
    return Probe(
        family="period",
        key=time.key,
        about=(time.key,),
        prior=6.5,
        why=f"See which period its {time.phrase} covers.",
        query=query,
        read=partial(_read_period, scene, time),
    )


def _read_period(scene: Scene, time: Column, reply: Reply) -> tuple[list[Finding], list[Probe]]:
    row, voice = reply.one, scene.voice
    days, all_days = whole(row.get("days")), whole(row.get("all_days"))
    if not days:
        return [], []
    first, last = str(row.get("first"))[:10], str(row.get("last"))[:10]
    about = (time.key,)
    part, dated = days / max(1, all_days), whole(row.get("dated"))

    def told(words: str, worth: float) -> Finding:
        return Finding(sentences.sentence(words), worth, Theme.TIME, about)

    findings = [
        told(
            f"{voice.who} has {voice.rows} on {count(days)} different days, "
            f"of {count(all_days)} on which anybody has any",
            1 + 6 * (1 - part),
        ),
        told(f"{voice.whose} {voice.rows} run from {first} to {last}", 1.5),
    ]  # fmt: skip
    if dated > days:
        words = f"on average {voice.who} has {amount(dated / days)} {voice.rows} a day"
        findings.append(told(f"{words} that has any", 1.5))
    own, rest = number(row.get("weekend")), number(row.get("weekend_rest"))
    if own is not None:
        against = "" if rest is None else f", against {share(rest)} for the rest"
        worth = shares(own, rest, scene.relation.own) if rest is not None else 1.0
        words = f"on Saturdays and Sundays fall {share(own)} of {voice.whose} {voice.rows}{against}"
        findings.append(told(words, 2 * worth))
    start, end = number(row.get("first_n")), number(row.get("last_n"))
    if start and end and row.get("first_m") != row.get("last_m"):
        names = month(str(row.get("first_m"))), month(str(row.get("last_m")))
        words = (
            f"{voice.whose} {voice.rows} go from {count(start)} in {names[0]}, the first month, "
            f"to {count(end)} in {names[1]}, the last"
        )
        findings.append(told(words, abs(math.log2(end / start))))
    return findings, []


def _halves(scene: Scene, time: Column, metrics: Sequence[Metric]) -> Probe:
    r = scene.relation
    day = f"CAST({time.expr} AS DATE)"
    cells = ", ".join(
        f"avg({m.expr}) FILTER (WHERE {side}) AS {name}{i}, "
        f"count({m.expr}) FILTER (WHERE {side}) AS {name}_n{i}"
        for i, m in enumerate(metrics)
        for side, name in ((f"{day} <= middle", "first"), (f"{day} > middle", "second"))
    )
    query = (
        f"WITH p AS (SELECT min({day}) + CAST(floor((max({day}) - min({day})) / 2) AS INTEGER) AS middle "
        f"FROM {r.source} WHERE {r.where})\n"
        f"SELECT {cells}, CAST(any_value(middle) AS VARCHAR) AS middle FROM {r.source} "
        f"CROSS JOIN p WHERE {r.where} AND {day} IS NOT NULL"
    )
    return Probe(
        family="halves",
        key=" ".join(m.key for m in metrics),
        about=(f"{time.key} halves", *(m.topic for m in metrics)),
        prior=1.5,
        why=f"Compare {' and '.join(m.subject for m in metrics)} in the halves of its period.",
        query=query,
        read=partial(_read_two, scene, metrics, ("first", "second"), _halves_words),
    )


def _weekend(scene: Scene, time: Column, metrics: Sequence[Metric]) -> Probe:
    r = scene.relation
    cells = ", ".join(
        f"avg({m.expr}) FILTER (WHERE isodow({time.expr}) {sign} 6) AS {name}{i}, "
        f"count({m.expr}) FILTER (WHERE isodow({time.expr}) {sign} 6) AS {name}_n{i}"
        for i, m in enumerate(metrics)
        for sign, name in ((">=", "end"), ("<", "week"))
    )
    return Probe(
        family="weekend",
        key=" ".join(m.key for m in metrics),
        about=(f"{time.key} weekday", *(m.topic for m in metrics)),
        prior=1.5,
        why=f"Compare {' and '.join(m.subject for m in metrics)} at weekends with other days.",
        query=f"SELECT {cells} FROM {r.source} WHERE {r.where}",
        read=partial(_read_two, scene, metrics, ("end", "week"), _weekend_words),
    )


def _halves_words(whose: str, subject: str, one: str, other: str) -> str:
    return (
        f"{whose} {subject} is {one} in the first half of its period and {other} in the second half"
    )


def _weekend_words(whose: str, subject: str, one: str, other: str) -> str:
    return f"{whose} {subject} is {one} at weekends, against {other} on other days"


def _read_two(
    scene: Scene,
    metrics: Sequence[Metric],
    names: tuple[str, str],
    words: Callable[[str, str, str, str], str],
    reply: Reply,
) -> tuple[list[Finding], list[Probe]]:
    findings = []
    for i, metric in enumerate(metrics):
        one, other = (number(reply.one.get(f"{name}{i}")) for name in names)
        counts = [whole(reply.one.get(f"{name}_n{i}")) for name in names]
        if one is None or other is None or one == other or min(counts) < scene.relation.floor:
            continue
        told = words(scene.voice.whose, metric.subject, metric.show(one), metric.show(other))
        worth = 1.5 * metric.swing(one, other, (counts[0], counts[1]))
        about = (metric.topic,)
        findings.append(Finding(sentences.sentence(told), worth, Theme.TIME, about))
    return findings, []
