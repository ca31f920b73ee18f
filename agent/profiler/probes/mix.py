"""Volume, and what the entity's rows are made of: categories, keys and their pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from agent.profiler import quoting, sentences
from agent.profiler.probe import Finding, Probe, Scene, Theme, batches, filled
from agent.profiler.relation import Relation
from agent.profiler.reply import Reply, number, text, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import among, shares
from agent.profiler.wording import count, share


def probes(scene: Scene) -> Iterator[Probe]:
    """Each category's values, what only the entity has, and pairs of categories."""
    named = [c for c in scene.relation.of_role(Role.CATEGORY, Role.CODE) if filled(c)]
    stepped = [c for c in scene.relation.of_role(Role.STEP) if c.key not in scene.echoes]
    for column in named:
        yield values(scene, column, 1.5 if column.role is Role.CODE else 5.0)
        if column.role is Role.CATEGORY:
            if not scene.relation.apart and column.key not in scene.nested:
                yield _own_only(scene, column, 4.5)
            yield _different(scene, column, 2.5)
    for column in stepped:
        if filled(column):
            yield values(scene, column, 3.0)
    most = max(200, scene.relation.rows // 1000)
    few = [c for c in named if c.role is Role.CATEGORY and c.figures.distinct <= most]
    few = [c for c in few if c.key not in scene.nested][:4]
    for one, other in combinations(few, 2):
        yield _pairs(scene, one, other)


def volumes(scenes: Sequence[Scene]) -> Iterator[Probe]:
    """Rows and rank in each table, three tables at a time, those with most rows first."""
    for batch in batches(scenes, 3):
        tables = [scene.relation.words for scene in batch]
        yield Probe(
            family="volume",
            key=" ".join(scene.relation.table.name for scene in batch),
            about=tuple(f"{scene.relation.table.name}.*" for scene in batch),
            prior=9.0,
            why=f"Count the rows of {', '.join(tables)} and see where it ranks.",
            query="\nUNION ALL ".join(
                _volume_sql(i, scene.relation) for i, scene in enumerate(batch)
            ),
            read=partial(_read_volumes, batch),
        )


def _volume_sql(place: int, r: Relation) -> str:
    return (
        f"SELECT {place} AS i, any_value(own) AS own, sum(n) AS n, "
        f"count(*) FILTER (WHERE k IS NOT NULL) AS entities, "
        f"count(*) FILTER (WHERE k IS NOT NULL AND n > own) AS above, "
        f"count(*) FILTER (WHERE k IS NOT NULL AND n = own) AS tied, "
        f"median(n) FILTER (WHERE k IS NOT NULL) AS centre "
        f"FROM (SELECT *, max(n) FILTER (WHERE mine) OVER () AS own FROM "
        f"(SELECT {r.key} AS k, {r.mine} AS mine, count(*) AS n FROM {r.source} GROUP BY 1, 2))"
    )


def _read_volumes(scenes: Sequence[Scene], reply: Reply) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    for row in reply.rows:
        place = whole(row.get("i"))
        if 0 <= place < len(scenes):
            findings += _of_volume(scenes[place], row)
    return findings, []


def _of_volume(scene: Scene, row: Mapping[str, Any]) -> list[Finding]:
    own, rows = number(row.get("own")), number(row.get("n"))
    if not own or not rows:
        return []
    about = (f"{scene.relation.table.name}.*",)
    words = scene.relation.words
    centre, entities = number(row.get("centre")) or own, whole(row.get("entities"))
    worth = 3.0 + min(5.0, abs(math.log2(own / centre)))
    findings = [
        Finding(sentences.volume(scene.voice, words, own, rows), worth, Theme.VOLUME, about)
    ]
    if entities >= 3 and whole(row.get("tied")) == 1:
        told = sentences.most_of(scene.voice, f"rows in {words}", whole(row.get("above")), entities)
        # The rank is told after the counts of all tables of the turn.
        findings.append(Finding(told, 0.9 * worth, Theme.VOLUME, about))
    return findings


def values(scene: Scene, column: Column, prior: float) -> Probe:
    r, x = scene.relation, column.expr
    query = (
        f"WITH g AS (SELECT {x} AS g, count(*) FILTER (WHERE {r.mine}) AS n, "
        f"count(*) FILTER (WHERE NOT {r.mine}) AS n_rest FROM {r.reach([column])} GROUP BY 1),\n"
        f"t AS (SELECT *, sum(n) OVER () AS total, sum(n_rest) OVER () AS total_rest, "
        f"count(*) FILTER (WHERE n > 0 AND g IS NOT NULL) OVER () AS different FROM g),\n"
        f"s AS (SELECT *, row_number() OVER (ORDER BY n DESC, g) AS place, "
        f"row_number() OVER (ORDER BY abs(n / total - n_rest / nullif(total_rest, 0)) DESC NULLS LAST, g) AS odd "
        f"FROM t WHERE g IS NOT NULL)\n"
        f"SELECT {quoting.shown('g')} AS g, n, n_rest, total, total_rest, different, place, odd FROM s "
        f"WHERE place <= 4 OR odd <= 2 ORDER BY place"
    )
    return Probe(
        family="values" if column.figures.distinct <= 200 else "many values",
        key=f"{column.alias}.{column.key}",
        about=(column.key,),
        prior=prior,
        why=f"See which values of {column.phrase} its rows have.",
        query=query,
        read=partial(_read_values, scene, column),
    )


def _read_values(scene: Scene, column: Column, reply: Reply) -> tuple[list[Finding], list[Probe]]:
    findings: list[Finding] = []
    voice, about = scene.voice, (column.key,)
    rows = [row for row in reply.rows if whole(row.get("n")) or whole(row.get("odd")) <= 2]
    counts = [whole(row.get("n")) for row in rows]
    names = [text(row.get("g")) for row in rows]
    for row in rows:
        value, n, place = text(row.get("g")), whole(row.get("n")), whole(row.get("place"))
        total, rest_rows = number(row.get("total")), number(row.get("total_rest"))
        if not value or not total or names.count(value) > 1:
            continue  # two values that would be called the same
        own = n / total
        what = f"{column.words} {value} in {column.of}"
        rest = whole(row.get("n_rest")) / rest_rows if rest_rows else None
        worth = shares(own, rest, total) if rest is not None else 10 * own
        worth *= 0.3 if column.role is Role.CODE else 1.0
        if column.key in scene.nested:
            # No other entity has it: it is told as far as it is not an even part.
            rest, worth = None, shares(own, 1 / max(1, whole(row.get("different"))), total)
        if place == 1 and n and counts.count(n) == 1:
            told = sentences.most_frequent(voice, column.phrase, value, own, n)
            if column.joined and rest is None:
                told = sentences.have_in(voice, own, None, what)
            if not column.joined or rest is None:
                findings.append(Finding(told, max(worth, own), Theme.MIX, about))
        if rest is not None and own != rest and (place <= 3 or whole(row.get("odd")) <= 2):
            told = sentences.made_up_of(voice, column.phrase, value, own, rest)
            if column.joined:
                told = sentences.have_in(voice, own, rest, what)
            findings.append(Finding(told, worth * (0.95 if place <= 2 else 0.8), Theme.MIX, about))
    different = whole(reply.one.get("different"))
    if different and not column.joined:
        told = sentences.different(voice, column.phrase, different)
        findings.append(Finding(told, 2.5, Theme.MIX, about))
    return findings, []


def _different(scene: Scene, column: Column, prior: float) -> Probe:
    r = scene.relation
    query = (
        f"WITH e AS (SELECT {r.key} AS k, {r.mine} AS mine, count(DISTINCT {column.expr}) AS d, "
        f"count({column.expr}) AS n FROM {r.source} WHERE {r.key} IS NOT NULL GROUP BY 1, 2)\n"
        f"SELECT (SELECT d FROM e WHERE mine) AS own, (SELECT n FROM e WHERE mine) AS n, "
        f"count(*) AS entities, count(*) FILTER (WHERE d > (SELECT d FROM e WHERE mine)) AS above, "
        f"count(*) FILTER (WHERE d = (SELECT d FROM e WHERE mine)) AS tied, "
        f"median(ln(d + 1)) AS centre, mad(ln(d + 1)) AS spread FROM e"
    )
    return Probe(
        family="different",
        key=column.key,
        about=(column.key,),
        prior=prior,
        why=f"Compare how many values of {column.phrase} it has with the others.",
        query=query,
        read=partial(_read_different, scene, column),
    )


def _read_different(
    scene: Scene, column: Column, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    row, voice = reply.one, scene.voice
    own, entities = whole(row.get("own")), whole(row.get("entities"))
    if not own:
        return [], []
    centre, spread = number(row.get("centre")), number(row.get("spread"))
    worth = among(math.log(own + 1), centre or 0.0, spread or 0.0, 0.1) if entities >= 5 else 1.0
    about = (column.key,)
    findings = [
        Finding(sentences.different(voice, column.phrase, own), worth + 1, Theme.MIX, about)
    ]
    if entities >= 3 and whole(row.get("tied")) == 1:
        told = sentences.most_of(
            voice, f"different values of {column.phrase}", whole(row.get("above")), entities
        )
        findings.append(Finding(told, worth, Theme.MIX, about))
    each = whole(row.get("n")) / own
    if each > 1:
        told = sentences.sentence(
            f"on average each {column.phrase} of {voice.who} has {each:,.1f} of its {voice.rows}"
        )
        findings.append(Finding(told, 0.5 * worth, Theme.MIX, about))
    return findings, []


def _own_only(scene: Scene, column: Column, prior: float) -> Probe:
    r = scene.relation
    query = (
        f"WITH g AS (SELECT {column.expr} AS g, count(*) FILTER (WHERE {r.mine}) AS n, count(*) AS total, "
        f"count({r.key}) FILTER (WHERE NOT {r.mine}) AS others "
        f"FROM {r.source} WHERE {column.expr} IS NOT NULL GROUP BY 1)\n"
        f"SELECT {quoting.shown('g')} AS g, n, total, n / total AS part, "
        f"(SELECT count(*) FROM g WHERE n > 0 AND others = 0) AS alone, "
        f"(SELECT count(*) FROM g WHERE n > 0) AS different FROM g WHERE n > 0 "
        f"ORDER BY (n < {r.floor}), part DESC, n DESC, 1 LIMIT 3"
    )
    return Probe(
        family="own only",
        key=column.key,
        about=(column.key,),
        prior=prior,
        why=f"See in which {column.phrase} it has the largest part of all rows.",
        query=query,
        read=partial(_read_own_only, scene, column),
    )


def _read_own_only(scene: Scene, column: Column, reply: Reply) -> tuple[list[Finding], list[Probe]]:
    findings = []
    voice, about = scene.voice, (column.key,)
    alone, different = whole(reply.one.get("alone")), whole(reply.one.get("different"))
    if alone and different:
        noun, verb = "value" if different == 1 else "values", "occurs" if alone == 1 else "occur"
        told = sentences.sentence(
            f"of {voice.whose} {count(different)} different {noun} of {column.phrase} "
            f"{count(alone)} {verb} with no other {voice.noun}"
        )
        findings.append(Finding(told, 2 + 6 * alone / different, Theme.MIX, about))
    names = [text(row.get("g")) for row in reply.rows]
    for place, row in enumerate(reply.rows):
        part, n, value = number(row.get("part")), whole(row.get("n")), text(row.get("g"))
        if part is None or not value or names.count(value) > 1:
            continue
        if part >= 1 or n < scene.relation.floor:
            continue
        usual = scene.relation.own / max(1, scene.relation.rows)
        told = sentences.sentence(
            f"at {column.phrase} {value} {voice.who} has {share(part)} of all {voice.rows}"
        )
        worth = shares(part, usual, n) / (1 + place)
        findings.append(Finding(told, worth, Theme.MIX, about))
    return findings, []


def _pairs(scene: Scene, one: Column, other: Column) -> Probe:
    r = scene.relation
    query = (
        f"WITH g AS (SELECT {one.expr} AS a, {other.expr} AS b, count(*) AS n FROM {r.source} "
        f"WHERE {r.where} AND {one.expr} IS NOT NULL AND {other.expr} IS NOT NULL GROUP BY 1, 2)\n"
        f"SELECT {quoting.shown('a')} AS a, {quoting.shown('b')} AS b, n, sum(n) OVER () AS total, "
        f"count(*) OVER () AS different FROM g ORDER BY n DESC, 1, 2 LIMIT 2"
    )
    return Probe(
        family="pairs",
        key=f"{one.key} {other.key}",
        about=(one.key, other.key),
        prior=2.5,
        why=f"See which pairs of {one.phrase} and {other.phrase} are frequent.",
        query=query,
        read=partial(_read_pairs, scene, one, other),
    )


def _read_pairs(
    scene: Scene, one: Column, other: Column, reply: Reply
) -> tuple[list[Finding], list[Probe]]:
    row, voice = reply.one, scene.voice
    n, different = whole(row.get("n")), whole(row.get("different"))
    a, b = text(row.get("a")), text(row.get("b"))
    if not n or different < 2 or not a or not b:
        return [], []
    about = (one.key, other.key)
    pair = f"{one.phrase} and {other.phrase}"
    told = f"{voice.who} has {count(different)} different pairs of {pair}"
    findings = [Finding(sentences.sentence(told), 2.0, Theme.MIX, about)]
    if not any(whole(row.get("n")) == n for row in reply.rows[1:]):
        part = n / scene.relation.own
        told = f"the most frequent pair of {pair} of {voice.who} is {a} and {b}"
        told += f", with {share(part)} of its {voice.rows} ({count(n)})"
        findings.append(Finding(sentences.sentence(told), 8 * part, Theme.MIX, about))
    return findings, []
