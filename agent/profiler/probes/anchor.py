"""The one row about the entity: its figures and categories among those of the other entities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from agent.profiler import sentences
from agent.profiler.metrics import Metric
from agent.profiler.probe import Finding, Probe, Scene, Theme, batches
from agent.profiler.reply import Reply, number, text, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import among
from agent.profiler.wording import count, share


def probes(scene: Scene) -> Iterator[Probe]:
    """Its numbers, three a turn, then its categories, three a turn."""
    r = scene.relation
    numbers = r.of_role(Role.MEASURE, Role.STEP, Role.YEAR, Role.CODE)
    for batch in batches(numbers, 3):
        yield _probe(scene, batch, [_number_sql(scene, i, c) for i, c in enumerate(batch)])
    for batch in batches(r.of_role(Role.CATEGORY, Role.FLAG), 3):
        yield _probe(scene, batch, [_category_sql(scene, i, c) for i, c in enumerate(batch)])


def _probe(scene: Scene, columns: Sequence[Column], parts: list[str]) -> Probe:
    return Probe(
        family="own row",
        key=" ".join(c.key for c in columns),
        about=tuple(c.key for c in columns),
        prior=4.0,
        why=f"See its own {', '.join(c.words for c in columns)} among the others'.",
        query="\nUNION ALL ".join(parts) + "\nORDER BY i",
        read=partial(_read, scene, columns),
    )


def _number_sql(scene: Scene, i: int, column: Column) -> str:
    r, x = scene.relation, f"CAST({column.expr} AS DOUBLE)"
    own = f"(SELECT {x} FROM {r.source} WHERE {r.where} LIMIT 1)"
    return (
        f"SELECT {i} AS i, left(CAST({own} AS VARCHAR), 100) AS own, count({x}) AS entities, "
        f"count(*) FILTER (WHERE {x} > {own}) AS above, count(*) FILTER (WHERE {x} = {own}) AS tied, "
        f"median({x}) AS centre, mad({x}) AS spread FROM {r.source}"
    )


def _category_sql(scene: Scene, i: int, column: Column) -> str:
    r, x = scene.relation, column.expr
    own = f"(SELECT {x} FROM {r.source} WHERE {r.where} LIMIT 1)"
    return (
        f"SELECT {i} AS i, left(CAST({own} AS VARCHAR), 100) AS own, count(*) AS entities, 0 AS above, "
        f"count(*) FILTER (WHERE {x} = {own}) AS tied, NULL AS centre, NULL AS spread FROM {r.source}"
    )


def _read(
    scene: Scene, columns: Sequence[Column], reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    voice = scene.voice
    for row in reply.rows:
        column = columns[whole(row.get("i"))]
        entities, tied = whole(row.get("entities")), whole(row.get("tied"))
        own, value = text(row.get("own")), number(row.get("own"))
        if own is None:
            continue
        about = (column.key,)
        if column.role in (Role.CATEGORY, Role.FLAG):
            told = f"the {column.words} of {voice.who} is {own}"
            part = tied / max(1, entities)
            findings.append(Finding(sentences.sentence(told), 2.5 - part, Theme.VOLUME, about))
            if 1 < tied < entities:
                told = f"{share(part)} of all {count(entities)} {voice.kin} have the {column.words} of {voice.who}"
                findings.append(Finding(sentences.sentence(told), 1.0, Theme.VOLUME, about))
        elif value is not None:
            told = f"the {column.words} of {voice.who} is {Metric(column).show(value)}"
            worth = among(
                value, number(row.get("centre")) or 0.0, number(row.get("spread")) or 0.0, 0
            )
            worth = worth if entities >= 5 else 1.0
            findings.append(Finding(sentences.sentence(told), worth + 0.5, Theme.VOLUME, about))
            if tied == 1 and entities >= 3:
                told = sentences.ranked(voice, column.words, whole(row.get("above")), entities)
                findings.append(Finding(told, worth, Theme.VOLUME, about))
    return findings, []
