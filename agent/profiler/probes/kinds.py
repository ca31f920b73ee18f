"""Tables in long form, kind by kind: levels against the rest, the last value, shares of the largest."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from agent.profiler import quoting, sentences
from agent.profiler.long import Long
from agent.profiler.metrics import Metric
from agent.profiler.probe import Finding, Probe, Scene, Theme
from agent.profiler.reply import Reply, number, text, whole
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import CAP, level, of_rank
from agent.profiler.wording import amount

Read = Callable[[Reply], tuple[list[Finding], list[Probe]]]
_WHAT = {"levels": "means", "course": "first and last values", "shares": "shares"}
_BATCH = 4
"""Kinds that share a turn."""
_MOST = 24
"""Kinds that are looked at one by one."""
_LEVEL = 1.5
"""What the level of a kind tells at least: without it nothing is known of that kind."""
_SHARES = 8
"""Kinds of which it is told which share of another one they are."""


def probes(scene: Scene) -> Iterator[Probe]:
    """The most frequent kinds first."""
    for long in scene.longs:
        for start in range(0, min(long.kinds, _MOST), _BATCH):
            yield _levels(scene, long, start)
        if time := _time(scene):
            for start in range(0, min(long.kinds, _MOST), _BATCH):
                yield _course(scene, long, time, start)
            if long.wholes:
                for order in ("abs(last) DESC", "n DESC"):
                    yield _shares(scene, long, time, order)


def _time(scene: Scene) -> Column | None:
    """The date that is most often there; the earlier column of two."""
    times = [c for c in scene.relation.of_role(Role.TIME) if c.key not in scene.echoes]
    return max(times, key=lambda c: c.figures.filled, default=None)


def _top(scene: Scene, long: Long, start: int) -> str:
    """SQL for a batch of the entity's kinds, those of most rows (parts too) first: g, n, own, every, name,
    and how many of its kinds are called so."""
    whole_rows = long.where(scene.relation.where)
    kinds = (
        f"SELECT {long.kind.expr} AS g, count(*) FILTER (WHERE {whole_rows}) AS n, "
        f"avg({Metric(long.value).expr}) FILTER (WHERE {whole_rows}) AS own, count(*) AS every "
        f"FROM {long.source(scene.relation)} WHERE {scene.relation.where} GROUP BY 1"
    )
    return (
        f"SELECT * FROM ({_called(f'({kinds}) WHERE n > 0')}) "
        f"ORDER BY every DESC, abs(own) DESC, g LIMIT {_BATCH} OFFSET {start}"
    )


def _called(kinds: str) -> str:
    """SQL: beside each kind `g` its name in a sentence, and how many are called so."""
    return f"SELECT *, count(*) OVER (PARTITION BY name) AS alike FROM (SELECT *, {quoting.shown('g')} AS name FROM {kinds})"


def _levels(scene: Scene, long: Long, start: int) -> Probe:
    r = scene.relation
    query = (
        f"WITH t AS ({_top(scene, long, start)}),\n"
        f"e AS (SELECT {long.kind.expr} AS g, {r.key} AS k, {r.mine} AS mine, avg({Metric(long.value).expr}) AS a, "
        f"count(*) AS c, var_pop({Metric(long.value).expr}) AS w FROM {long.source(r)} "
        f"WHERE {long.where(f'{long.kind.expr} IN (SELECT g FROM t)')} GROUP BY 1, 2, 3)\n"
        f"SELECT any_value(t.name) AS g, any_value(t.alike) AS alike, any_value(t.n) AS n, any_value(t.own) AS own, any_value(every) AS every, "
        f"sum(a * c) FILTER (WHERE NOT mine) / nullif(sum(c) FILTER (WHERE NOT mine), 0) AS rest, "
        f"count(k) FILTER (WHERE a > own) AS above, count(k) FILTER (WHERE a = own) AS tied, "
        f"count(k) AS entities, median(a) FILTER (WHERE k IS NOT NULL) AS centre, "
        f"mad(a) FILTER (WHERE k IS NOT NULL) AS spread, sqrt(greatest(0, sum(w * c) / sum(c) + "
        f"sum(c * a * a) / sum(c) - power(sum(c * a) / sum(c), 2))) AS deviation "
        f"FROM t JOIN e ON e.g = t.g GROUP BY t.g ORDER BY every DESC, abs(any_value(t.own)) DESC, t.g"
    )
    return _probe(long, f"levels {start}", 8.0, query, partial(_read_levels, scene, long))


def _read_levels(scene: Scene, long: Long, reply: Reply) -> tuple[list[Finding], list[Probe]]:
    findings = []
    for row, name in _named(long, reply):
        own, rest, n = number(row.get("own")), number(row.get("rest")), whole(row.get("n"))
        if own is None or not n:
            continue
        told = None if rest is None else amount(rest)
        deviation = number(row.get("deviation")) or 0.0
        worth = max(_LEVEL, level(own, rest, n, deviation, row) if rest is not None else 0.0)
        words = sentences.mean_of_kind(scene.voice, name, amount(own), told)
        findings.append(Finding(words, worth, Theme.KINDS, _about(long)))
        entities, above = whole(row.get("entities")), whole(row.get("above"))
        if entities >= 3 and whole(row.get("tied")) == 1:
            words = sentences.ranked(scene.voice, f"mean {name}", above, entities)
            rank = of_rank(worth, above, entities)
            findings.append(Finding(words, rank, Theme.KINDS, _about(long)))
    return findings, []


def _course(scene: Scene, long: Long, time: Column, start: int) -> Probe:
    r, v = scene.relation, Metric(long.value).expr
    query = (
        f"WITH t AS ({_top(scene, long, start)}),\n"
        f"v AS (SELECT {long.kind.expr} AS g, {time.expr} AS d, avg({v}) AS v, count(*) AS n "
        f"FROM {long.source(r, time)} WHERE {long.where(r.where)} AND {time.expr} IS NOT NULL GROUP BY 1, 2)\n"
        f"SELECT any_value(t.name) AS g, any_value(t.alike) AS alike, arg_min(v.v, d) AS first, arg_max(v.v, d) AS last, "
        f"arg_min(v.n, d) AS first_n, arg_max(v.n, d) AS last_n, count(*) AS times "
        f"FROM t JOIN v ON v.g = t.g GROUP BY t.g, every, own ORDER BY every DESC, abs(own) DESC, t.g"
    )
    return _probe(long, f"course {start}", 7.0, query, partial(_read_course, scene, long))


def _read_course(scene: Scene, long: Long, reply: Reply) -> tuple[list[Finding], list[Probe]]:
    findings = []
    for row, name in _named(long, reply):
        first, last = number(row.get("first")), number(row.get("last"))
        # Of several values at one time none is the first or the last.
        if (
            first is None
            or last is None
            or whole(row.get("last_n")) != 1
            or whole(row.get("times")) < 2
        ):
            continue
        words = sentences.last_of_kind(scene.voice, name, amount(last))
        findings.append(Finding(words, 1.0, Theme.KINDS, _about(long)))
        if whole(row.get("first_n")) == 1 and first > 0 < last and first != last:
            words = sentences.change_of_kind(scene.voice, name, last / first - 1)
            worth = min(CAP, 1.0 + 2 * abs(math.log2(last / first)))
            findings.append(Finding(words, worth, Theme.KINDS, _about(long)))
    return findings, []


def _shares(scene: Scene, long: Long, time: Column, order: str) -> Probe:
    """Of the kind that comes first in that order; `n` counts the parts as well as the whole."""
    r, v = scene.relation, Metric(long.value).expr
    kinds = f"SELECT {long.kind.expr} AS g, count(*) AS n FROM {long.source(r)} WHERE {r.where} GROUP BY 1"
    query = (
        f"WITH p AS ({_called(f'({kinds})')}),\n"
        f"v AS (SELECT {long.kind.expr} AS g, {time.expr} AS d, avg({v}) AS v "
        f"FROM {long.source(r, time)} WHERE {long.where(r.where)} AND {time.expr} IS NOT NULL GROUP BY 1, 2 "
        f"HAVING count(*) = 1),\n"
        f"l AS (SELECT v.g AS g, any_value(p.n) AS n, any_value(p.name) AS name, "
        f"any_value(p.alike) AS alike, arg_max(v.v, d) AS last, max(d) AS at, count(*) AS times "
        f"FROM v JOIN p ON p.g = v.g GROUP BY 1),\n"
        f"b AS (SELECT * FROM l WHERE last > 0 ORDER BY {order}, g LIMIT 1),\n"
        f"s AS (SELECT v.g AS g, arg_max(v.v / w.v, v.d) AS last, avg(v.v / w.v) AS mean, count(*) AS times, "
        f"max(v.d) AS at FROM v JOIN v AS w ON w.g = (SELECT g FROM b) AND w.d = v.d AND w.v > 0 "
        f"WHERE v.v > 0 AND v.v < w.v GROUP BY 1)\n"
        f"SELECT l.name AS g, b.name AS base, greatest(l.alike, b.alike) AS alike, s.last AS last, s.mean AS mean, "
        f"s.at = b.at AS is_last, s.times = b.times AS is_whole FROM s CROSS JOIN b "
        f"JOIN l ON l.g = s.g WHERE s.g <> b.g ORDER BY l.n DESC, s.last DESC, s.g LIMIT {_SHARES}"
    )
    return _probe(long, f"shares {order}", 4.0, query, partial(_read_shares, scene, long))


def _read_shares(scene: Scene, long: Long, reply: Reply) -> tuple[list[Finding], list[Probe]]:
    findings = []
    for row, name in _named(long, reply):
        base = text(row.get("base"))
        last, mean = number(row.get("last")), number(row.get("mean"))
        if base is None or last is None or mean is None:
            continue
        if row.get("is_last"):
            words = sentences.share_of_kind(scene.voice, name, base, last, average=False)
            findings.append(Finding(words, 1.5, Theme.KINDS, _about(long)))
        if row.get("is_whole"):
            words = sentences.share_of_kind(scene.voice, name, base, mean, average=True)
            findings.append(Finding(words, 1.0, Theme.KINDS, _about(long)))
    return findings, []


def _named(long: Long, reply: Reply) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Rows with what a sentence calls their kind; of two kinds that would be called the same none is told."""
    for row in reply.rows:
        if (kind := text(row.get("g"))) and whole(row.get("alike")) == 1:
            yield row, long.name(kind)


def _about(long: Long) -> tuple[str, ...]:
    return (f"{long.value.key} kinds",)


def _probe(long: Long, part: str, prior: float, query: str, read: Read) -> Probe:
    """One turn; `part` is "levels 4": a family and its batch."""
    family, _, _ = part.partition(" ")
    return Probe(
        family=f"kinds {family}",
        key=f"{long.value.key} {part}",
        about=_about(long),
        prior=prior,
        why=f"See {_WHAT[family]} of {long.value.phrase} by {long.kind.phrase}.",
        query=query,
        read=read,
    )
