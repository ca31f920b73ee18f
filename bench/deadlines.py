"""How late the answer comes to a query that outlives its time limit, alone and among busy sessions."""

from __future__ import annotations

import asyncio
import itertools
import statistics
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.figures import Bench, Measured
from bench.hands import Opener, rows, sessions, timed
from bench.lab import Lab, prepare
from bench.sql_hand import AGGREGATE

if TYPE_CHECKING:
    from core.protocols import Tools

LIMIT_S = 1.0
ALONE = 20
BUSY = 12
BUSY_SESSIONS = 32
# The first two listen to interruption between two vectors of rows. The others take seconds within
# one: a function's single call, or 2048 calls of a dear one, are not interrupted.
ENDLESS = (
    "SELECT count(*) FROM events AS a, events AS b, events AS c"
    " WHERE hash(a.value, b.value, c.value) = {number}",
    "WITH RECURSIVE steps(n) AS (SELECT {number} UNION ALL SELECT n + 1 FROM steps)"
    " SELECT count(*) FROM steps",
    "SELECT sum(length(regexp_replace(repeat(value::VARCHAR, 10000 + {number}), '[0-4]+', 'x', 'g')))"
    " FROM events",
    "SELECT sum(length(repeat(chr(65 + item_id), 1000000 + {number}))) FROM events",
)


def overshoot_alone(bench: Bench) -> Mapping[str, Measured]:
    """Milliseconds from the limit to the answer, as the caller sees it, where nobody else asks."""
    lab = prepare(bench.home, bench.say)
    bench.say(f"{ALONE} queries past their limit")

    async def measured() -> list[float]:
        async with sessions(lab) as opener:
            return await _late(opener, ALONE)

    return {"deadline_overshoot_p95_ms": _p95(asyncio.run(measured()))}


def overshoot_busy(bench: Bench) -> Mapping[str, Measured]:
    """The same among sessions that ask honest queries without rest, within limits of their own."""
    lab = prepare(bench.home, bench.say)
    bench.say(f"{BUSY} queries past their limit, {BUSY_SESSIONS} sessions busy")

    async def measured() -> list[float]:
        async with sessions(lab) as opener:
            others = [await opener() for _ in range(BUSY_SESSIONS)]
            enough = asyncio.Event()
            honest = asyncio.gather(
                *(_keep_busy(lab, other, place, enough) for place, other in enumerate(others))
            )
            try:
                return await _late(opener, BUSY)
            finally:
                enough.set()
                await honest

    return {"deadline_overshoot_busy_ms": _p95(asyncio.run(measured()))}


async def _late(opener: Opener, count: int) -> list[float]:
    """So many queries past their limit, one after another; how late each is answered, in ms."""
    from tools.limits import ToolLimits

    tools = await opener(ToolLimits(sql_seconds=LIMIT_S))
    return [await _late_ms(tools, number) for number in range(count)]


def _p95(late_ms: list[float]) -> Measured:
    value = statistics.quantiles(late_ms, n=20, method="inclusive")[18]
    middle, most = statistics.median(late_ms), max(late_ms)
    return Measured(value, f"p95 of {len(late_ms)}, median {middle:.3g}, at most {most:.3g} ms")


async def _late_ms(tools: Tools, number: int) -> float:
    """How much later than its limit a query was answered. Any answer but `timeout` is no answer."""
    sql = ENDLESS[number % len(ENDLESS)].format(number=number)
    seen, took = await timed(tools.call("execute_query", {"query": sql}))
    if seen.error_kind != "timeout":
        raise RuntimeError(f"{sql[:60]}... gave {seen.text[:200]}")
    return 1000 * (took - LIMIT_S)


async def _keep_busy(lab: Lab, tools: Tools, place: int, enough: asyncio.Event) -> None:
    """Honest queries without rest. None of them may notice that another one's worker was ended."""
    for number in itertools.count(place, BUSY_SESSIONS):
        if enough.is_set():
            return
        await rows(tools, AGGREGATE.about(lab, number), AGGREGATE.limit)
