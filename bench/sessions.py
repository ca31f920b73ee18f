"""What an agent waits for: a tool call, and a whole exploration, over a real MCP session."""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from bench.figures import Bench

if TYPE_CHECKING:
    from mcp import StdioServerParameters

    from core.protocols import Tools
    from databases.catalog import InstalledScenario

T = TypeVar("T")

WARM_UP_CALLS = 20
TOOL_CALLS = 400
TIME_LIMIT_S = 120.0
"""For one probe; past it its figures are missing, and the others are still taken."""

AGGREGATE = """
SELECT count(*) AS flights, avg(departure_delay_min) AS departure_delay_min,
       median(arrival_delay_min) AS arrival_delay_min, count(DISTINCT destination_id) AS airports
FROM flights WHERE carrier_id = '{entity_id}'
"""


def flights(bench: Bench) -> InstalledScenario:
    """The flights database, built below the benchmarks' home once."""
    from databases.build import build

    bench.say("the flights database (built once)")
    return build("flights", bench.home)


def serve_command(bench: Bench, entity_id: str) -> StdioServerParameters:
    """How an outside agent would start the server for one entity."""
    from mcp import StdioServerParameters

    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "server.cli.main", "serve", "--scenario", "flights", "--entity", entity_id],
        env={**os.environ, "DDR_HOME": str(bench.home)},
        cwd=str(bench.home),
    )


def queries(scenario: InstalledScenario) -> Iterator[str]:
    """Without end: a trivial query and an entity's aggregate in turn, no two aggregates alike."""
    entities = [entity.id for entity in scenario.entities()]
    for number in itertools.count():
        yield f"SELECT {number}"
        aggregate = AGGREGATE.format(entity_id=entities[number % len(entities)])
        yield f"{aggregate} AND flight_number <> {number}"


def mcp_latency(bench: Bench) -> Mapping[str, float]:
    """Time of one execute_query as a client sees it, the server over stdio; milliseconds."""
    from agent.session import connect

    scenario = flights(bench)
    server = serve_command(bench, scenario.entities()[0].id)
    bench.say(f"{TOOL_CALLS} tool calls over MCP")

    async def measured() -> list[float]:
        async with connect(server) as tools:
            asked = queries(scenario)
            for sql in itertools.islice(asked, WARM_UP_CALLS):
                await timed_query(tools, sql)
            return [await timed_query(tools, sql) for sql in itertools.islice(asked, TOOL_CALLS)]

    times = in_time(measured)
    return {
        "mcp_p50_ms": 1000 * statistics.median(times),
        "mcp_p95_ms": 1000 * statistics.quantiles(times, n=100)[94],
    }


def in_time(work: Callable[[], Awaitable[T]]) -> T:
    """Run it to its end, or raise TimeoutError past the limit."""
    import anyio

    async def limited() -> T:
        with anyio.fail_after(TIME_LIMIT_S):
            return await work()

    return anyio.run(limited)


async def timed_query(tools: Tools, sql: str) -> float:
    """Seconds that a query took. An answer that is an error is no answer."""
    began = time.perf_counter()
    seen = await tools.call("execute_query", {"query": sql})
    took = time.perf_counter() - began
    if seen.is_error:
        raise RuntimeError(f"execute_query failed: {seen.text[:200]}")
    return took


def largest_entity(scenario: InstalledScenario) -> str:
    """The entity with the most rows: the one that takes longest."""
    from databases.connection import open_readonly

    with open_readonly(scenario.database_path) as connection:
        row = connection.execute(
            "SELECT carrier_id FROM flights GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
        ).fetchone()
    if row is None:
        raise RuntimeError("the flights database is empty")
    return str(row[0])


def entity_seconds(bench: Bench) -> Mapping[str, float]:
    """The profiler on the largest entity over MCP, first call to report; seconds."""
    from agent.profiler.agent import ProfilerAgent
    from agent.session import connect
    from core.protocols import Finish
    from core.run import Limits

    scenario = flights(bench)
    task = scenario.task(largest_entity(scenario))
    bench.say(f"the profiler on {task.entity_noun} {task.entity_id}")

    async def measured() -> float:
        async with connect(serve_command(bench, task.entity_id)) as tools:
            began = time.perf_counter()
            steps = [s async for s in ProfilerAgent().explore(task, tools, None, Limits())]
            if not isinstance(steps[-1], Finish) or not steps[-1].report:
                raise RuntimeError("the profiler ended without a report")
            return time.perf_counter() - began

    return {"entity_s": in_time(measured)}
