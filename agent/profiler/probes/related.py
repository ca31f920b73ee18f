"""Joined tables: how far the join reaches, and what the entity's rows find there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from agent.profiler import sentences
from agent.profiler.columns import value_of
from agent.profiler.groupings import by_value
from agent.profiler.metrics import Metric
from agent.profiler.probe import Finding, Probe, Scene, Theme, batches, filled, is_outcome
from agent.profiler.probes import groups, mix
from agent.profiler.probes.market import compare
from agent.profiler.relation import Join
from agent.profiler.reply import Reply, number, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import shares
from agent.profiler.wording import count, share, table_words


def probes(scene: Scene) -> Iterator[Probe]:
    """For each join: its reach, means of numbers, shares of categories, groups by categories."""
    followed = groups.tracked(scene)
    measures = [m for m in followed if m.form == "mean" and is_outcome(scene, m.column)][:2]
    measures += [m for m in followed if m.form == "missing"][:1]
    for join, alias, columns in scene.relation.joined:
        yield _reach(scene, join, alias, columns)
        numbers = [c for c in columns if c.role.averaged and filled(c, 0.1)]
        weight = 0.6 if join.composite else 1.0
        for batch in batches(numbers, 2):
            yield compare(scene, [Metric(c) for c in batch], Theme.RELATED, 3.5 * weight)
        for column in columns:
            if column.role is Role.CATEGORY and filled(column, 0.1):
                yield mix.values(scene, column, 5.0 * weight)
                yield from groups.by(scene, by_value(column), measures)
        if not join.composite:
            for batch in batches([c for c in numbers if c.role is not Role.FLAG], 3):
                yield _distinct_means(scene, join, alias, list(batch))


def _reach(scene: Scene, join: Join, alias: str, columns: tuple[Column, ...]) -> Probe:
    r = scene.relation
    met = f"avg(CASE WHEN {join.found(alias)} THEN 1.0 ELSE 0.0 END)"
    keys = value_of(join.pairs[0][0], "f")
    source = " ".join([r.source, join.clause(alias)])
    return Probe(
        family="reach",
        key=alias,
        about=(f"{join.target.name}.*",),
        prior=3.0,
        why=f"See how many rows find their row in {table_words(join.target.name)}.",
        query=(
            f"SELECT {met} FILTER (WHERE {r.mine}) AS own, {met} FILTER (WHERE NOT {r.mine}) AS rest, "
            f"count(DISTINCT {keys}) FILTER (WHERE {r.mine} AND {join.found(alias)}) AS keys FROM {source}"
        ),
        read=partial(_read_reach, scene, join, alias),
    )


def _read_reach(
    scene: Scene, join: Join, alias: str, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    own, rest = number(reply.one.get("own")), number(reply.one.get("rest"))
    if own is None:
        return [], []
    voice = scene.voice
    words = next((c[0].of for j, a, c in scene.relation.joined if a == alias and c), None)
    table = words or table_words(join.target.name)
    against = "" if rest is None else f", against {share(rest)} for the rest"
    told = f"of {voice.whose} {voice.rows} {share(own)} find a row in {table}{against}"
    worth = 2 * shares(own, rest, scene.relation.own) if rest is not None else 0.5
    about = (f"{join.target.name}.*",)
    if own == rest == 1:
        return [], []
    findings = [Finding(sentences.sentence(told), worth, Theme.RELATED, about)]
    if own < 0.5:
        told = (
            f"only {share(own)} of {voice.whose} {voice.rows} find a row in {table}, "
            f"so that what is said of it through {table} is true of those alone"
        )
        findings = [Finding(sentences.sentence(told), max(worth, 4.0), Theme.RELATED, about)]
    return findings, []


def _distinct_means(scene: Scene, join: Join, alias: str, columns: list[Column]) -> Probe:
    """Means over the different things that are joined, each counted once."""
    r, (here, _) = scene.relation, join.pairs[0]
    key = value_of(here, "f")
    cells = ", ".join(f"avg(v{i}) AS v{i}, count(v{i}) AS n{i}" for i in range(len(columns)))
    each = ", ".join(f"any_value({c.expr}) AS v{i}" for i, c in enumerate(columns))
    query = (
        f"WITH k AS (SELECT {key} AS k, {each} FROM {r.reach(columns)} "
        f"WHERE {r.where} AND {join.found(alias)} GROUP BY 1)\nSELECT count(*) AS n, {cells} FROM k"
    )
    return Probe(
        family="distinct means",
        key=" ".join(f"{alias}.{c.key}" for c in columns),
        about=tuple(c.key for c in columns),
        prior=1.5,
        why=f"Count each row of {table_words(join.target.name)} once.",
        query=query,
        read=partial(_read_distinct, scene, here.name, columns),
    )


def _read_distinct(
    scene: Scene, key: str, columns: list[Column], reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings = []
    n = whole(reply.one.get("n"))
    for i, column in enumerate(columns):
        mean, known = number(reply.one.get(f"v{i}")), whole(reply.one.get(f"n{i}"))
        if mean is None or known < 10 or n < 10:
            continue
        told = (
            f"over the {count(known)} different rows of {column.of} behind {scene.voice.whose} "
            f"{scene.voice.rows} the mean {column.words} is {Metric(column).show(mean)}"
        )
        findings.append(Finding(sentences.sentence(told), 1.2, Theme.RELATED, (column.key,)))
    return findings, []
