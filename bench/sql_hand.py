"""execute_query against a connection per query on unindexed SQLite, and many sessions at once."""

from __future__ import annotations

import asyncio
import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bench import old_ways
from bench.figures import Bench, Measured
from bench.hands import rows, sessions, timed
from bench.lab import Lab, prepare
from bench.side_by_side import Pair, ratio

if TYPE_CHECKING:
    from core.protocols import Tools

OURS_PER_ROUND = 8
MANY = 64
ALONE = 300
EACH = 20


TOUCH = "SELECT max(COLUMNS(*)) FROM events"
"""Has the engine hold all rows in memory, as it does in a server that has been at work, and as the system
does with SQLite's file."""


@dataclass(frozen=True)
class Question:
    """One query, in words that both databases read; another text for each entity and number."""

    name: str
    sql: str
    limit: int = 200

    def about(self, lab: Lab, number: int) -> str:
        """The query on one entity. No two numbers give the same text, so none is answered twice."""
        return self.sql.format(entity=lab.entity(number), number=number)


LOOKUP = Question(
    "sql_lookup_ratio",
    "SELECT * FROM events WHERE entity_id = '{entity}'"
    " ORDER BY recorded_at DESC, item_id, value LIMIT 20",
)
AGGREGATE = Question(
    "sql_aggregate_ratio",
    "SELECT items.label, count(*) AS readings, avg(value) AS mean, min(value) AS least,"
    " max(value) AS most FROM events JOIN items ON items.item_id = events.item_id"
    " WHERE entity_id = '{entity}' GROUP BY items.label ORDER BY items.label",
)
# Rounded, so that the order in which a mean is summed does not change its place.
PERCENTILE = Question(
    "sql_percentile_ratio",
    "WITH means AS (SELECT entity_id, round(avg(value), 6) AS mean FROM events GROUP BY entity_id)"
    " SELECT 100.0 * sum(CASE WHEN mean <= (SELECT mean FROM means WHERE entity_id = '{entity}')"
    " THEN 1 ELSE 0 END) / count(*) AS percentile FROM means",
)
DISTINCT = Question(
    "sql_distinct_ratio", "SELECT count(DISTINCT entity_id) AS entities_{number} FROM events"
)
QUESTIONS = (LOOKUP, AGGREGATE, PERCENTILE, DISTINCT)


def sql_ratios(bench: Bench) -> Mapping[str, Measured]:
    """Old way by ours, the medians of queries that alternate."""
    lab = prepare(bench.home, bench.say)

    async def measured() -> Mapping[str, Measured]:
        async with sessions(lab) as opener:
            tools = await opener()
            bench.say("all rows into memory")
            await rows(tools, TOUCH, 1)
            return {asked.name: await _ratio(bench, lab, tools, asked) for asked in QUESTIONS}

    return asyncio.run(measured())


async def _ratio(bench: Bench, lab: Lab, tools: Tools, asked: Question) -> Measured:
    pair = Pair(
        asked.name,
        lambda number: old_ways.query(lab.old_database, asked.about(lab, number)),
        lambda number: rows(tools, asked.about(lab, number), asked.limit),
        alike,
    )
    return await ratio(pair, OURS_PER_ROUND, bench.say, f", {lab.size}")


def alike(old: Sequence[Sequence[Any]], ours: Sequence[Sequence[Any]]) -> bool:
    """Whether two results say the same, up to the last digits of a mean and the dress of a time."""
    return len(old) == len(ours) and all(
        len(left) == len(right) and all(map(_same, left, right))
        for left, right in zip(old, ours, strict=True)
    )


def _same(old: Any, ours: Any) -> bool:
    if isinstance(old, float) and isinstance(ours, (int, float)):
        return math.isclose(old, ours, rel_tol=1e-9)
    if isinstance(old, str) and isinstance(ours, str) and old != ours:
        try:
            return datetime.fromisoformat(old) == datetime.fromisoformat(ours)
        except ValueError:
            return False
    return bool(old == ours)


def many_sessions(bench: Bench) -> Mapping[str, Measured]:
    """64 sessions that never rest, against one: queries a second, and the slow ones of them."""
    lab = prepare(bench.home, bench.say)

    async def measured() -> Mapping[str, Measured]:
        async with sessions(lab) as opener:
            opened = [await opener() for _ in range(MANY)]
            bench.say(f"{MANY} sessions, before they are timed")
            await _at_once(lab, opened, 0)  # so that every worker has the rows in memory
            start = MANY * EACH
            bench.say("one session")
            alone, wall = await timed(_mixed(lab, opened[0], range(start, start + ALONE)))
            bench.say(f"{MANY} sessions")
            each, took = await timed(_at_once(lab, opened, start + ALONE))
            rate = MANY * EACH / took
        single = statistics.median(alone)
        late = statistics.quantiles(itertools.chain(*each), n=100)[94]
        return {
            "sql_64_throughput_ratio": Measured(
                rate * wall / ALONE,
                f"{rate:.4g} by {ALONE / wall:.4g} queries a second, {lab.size}",
            ),
            "sql_64_p95_over_p50": Measured(
                late / single, f"{1000 * late:.4g} ms by {1000 * single:.4g} ms, {lab.size}"
            ),
        }

    return asyncio.run(measured())


async def _at_once(lab: Lab, opened: Sequence[Tools], start: int) -> list[list[float]]:
    """Every session asks without rest, all at the same time; seconds of each query, by session."""
    shares = (
        _mixed(lab, tools, range(start + EACH * place, start + EACH * (place + 1)))
        for place, tools in enumerate(opened)
    )
    return await asyncio.gather(*shares)


async def _mixed(lab: Lab, tools: Tools, numbers: range) -> list[float]:
    """Lookups and aggregates in turn, as an agent asks about its entity; seconds of each."""
    times = []
    for number in numbers:
        asked = (LOOKUP, AGGREGATE)[number % 2]
        times.append((await timed(rows(tools, asked.about(lab, number), asked.limit)))[1])
    return times


def file_ratio(bench: Bench) -> Mapping[str, Measured]:
    """Bytes of the SQLite file by those of ours, the same rows in both."""
    lab = prepare(bench.home, bench.say)
    old, ours = (path.stat().st_size for path in (lab.old_database, lab.database))
    detail = f"{old / 1e6:.4g} MB by {ours / 1e6:.4g} MB, {lab.size}"
    return {"file_ratio": Measured(old / ours, detail)}
