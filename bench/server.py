"""The whole server over HTTP against the SDK's empty tool, with as many workers, in the same run."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from bench.empty_server import served
from bench.figures import Bench, Goal, Measured, Probe
from bench.memory import descendants, pss_of
from bench.serving import serving
from bench.sessions import flights

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

    from server.enrolment import Enrolled
    from server.store import Repository

WORKERS: Final = 2
WARM_UP: Final = 50
CALLS: Final = 600
CLIENTS: Final = 50
CALLS_EACH: Final = 20
ROUNDS: Final = 3
RUNS: Final = 64
QUERIES: Final = 10
FIRST, LAST = 2_000, 10_000
NO_RATE: Final = 1_000_000

Call = Callable[[], Awaitable["CallToolResult"]]


@dataclass(frozen=True)
class _Ours:
    url: str
    process: subprocess.Popen[str]
    store: Repository
    bench: Bench

    def enrol(self, entities: str = "all", trials: int = 1) -> Enrolled:
        """A run whose seats are held to no rate of calls."""
        from core.outside import Outside
        from databases.catalog import open_scenario
        from server.enrolment import enrol

        return enrol(
            open_scenario("flights", self.bench.home),
            self.store,
            agent="bench",
            entities=entities,
            trials=trials,
            now=datetime.now(UTC),
            outside=Outside(calls_per_s=NO_RATE),
        )


@contextlib.contextmanager
def _ours(bench: Bench) -> Iterator[_Ours]:
    """Our server on the flights database, as it is deployed."""
    from server.settings import load
    from server.store import open_store

    flights(bench)
    bench.say("the server is started")
    with (
        serving(bench.home, "--workers", str(WORKERS)) as started,
        open_store(load(bench.home).store_path) as store,
    ):
        yield _Ours(started.url, started.process, store, bench)


@asynccontextmanager
async def _client(url: str, token: str | None = None) -> AsyncIterator[Client]:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


def _trivial(client: Client) -> Call:
    return lambda: client.call_tool("execute_query", {"query": "SELECT 1"})


def _empty(client: Client) -> Call:
    return lambda: client.call_tool("empty", {})


async def _warm(client: Client) -> None:
    """Have the sandbox ready, which else starts beside what is measured; it takes seconds of a core."""
    await client.call_tool("execute_code", {"code": "1"})


async def _timed(call: Call) -> float:
    began = time.perf_counter()
    result = await call()
    if result.is_error:
        raise RuntimeError(f"a call failed: {result.content}")
    return time.perf_counter() - began


def trivial_over_empty(bench: Bench) -> Mapping[str, Measured]:
    """SELECT 1 and the empty tool in turn, each over a connection of its own."""

    async def measure(ours: _Ours, empty_url: str) -> Measured:
        issued = ours.enrol(entities="01").seats[0]
        async with (
            _client(issued.url(ours.url), issued.token) as mine,
            _client(empty_url) as theirs,
        ):
            await _warm(mine)
            bench.say(f"{CALLS} trivial queries, and as many calls of nothing")
            took: dict[str, list[float]] = {"ours": [], "empty": []}
            for number in range(WARM_UP + CALLS):
                for name, call in (("ours", _trivial(mine)), ("empty", _empty(theirs))):
                    seconds = await _timed(call)
                    if number >= WARM_UP:
                        took[name].append(seconds)
        ours_s, empty_s = (statistics.median(took[name]) for name in ("ours", "empty"))
        told = f"p50 {1000 * ours_s:.2f} ms against {1000 * empty_s:.2f} ms"
        return Measured(ours_s / empty_s, told)

    with _ours(bench) as ours, served(WORKERS) as empty_url:
        return {"trivial_over_empty_p50": asyncio.run(measure(ours, empty_url))}


def calls_ratio(bench: Bench) -> Mapping[str, Measured]:
    """Calls per second of 50 clients, each at a seat of its own; the better of three rounds each."""

    async def measure(ours: _Ours, empty_url: str) -> Measured:
        seats = ours.enrol(trials=4).seats[:CLIENTS]
        rates: dict[str, list[float]] = {"ours": [], "empty": []}
        for number in range(ROUNDS):
            bench.say(f"{CLIENTS} clients at once, round {number + 1} of {ROUNDS}")
            async with contextlib.AsyncExitStack() as stack:
                mine = [
                    await stack.enter_async_context(_client(seat.url(ours.url), seat.token))
                    for seat in seats
                ]
                await _warm(mine[0])
                rates["ours"].append(await _rate([_trivial(client) for client in mine]))
            async with contextlib.AsyncExitStack() as stack:
                theirs = [
                    await stack.enter_async_context(_client(empty_url)) for _ in range(CLIENTS)
                ]
                rates["empty"].append(await _rate([_empty(client) for client in theirs]))
        ours_rate, empty_rate = max(rates["ours"]), max(rates["empty"])
        told = f"{ours_rate:.0f} calls/s against {empty_rate:.0f}"
        return Measured(ours_rate / empty_rate, told)

    with _ours(bench) as ours, served(WORKERS) as empty_url:
        return {"calls_ratio_50": asyncio.run(measure(ours, empty_url))}


async def _rate(calls: Sequence[Call]) -> float:
    async def each(call: Call, times: int) -> None:
        for _ in range(times):
            await _timed(call)

    await asyncio.gather(*(each(call, 2) for call in calls))
    began = time.perf_counter()
    await asyncio.gather(*(each(call, CALLS_EACH) for call in calls))
    return len(calls) * CALLS_EACH / (time.perf_counter() - began)


def many_runs(bench: Bench) -> Mapping[str, Measured]:
    """64 whole explorations at once on two workers: what failed, and what the store lacks."""

    async def one(ours: _Ours, url: str, token: str) -> int:
        calls: list[tuple[str, dict[str, Any]]] = [("get_task", {})]
        for number in range(QUERIES):
            query = f"SELECT count(*) + {number} FROM flights"
            calls.append(("execute_query", {"query": query}))
        calls.append(("submit_insight", {"text": "There are many flights."}))
        calls.append(("finish", {"report": "There are many flights."}))
        failed = 0
        async with _client(url, token) as client:
            for name, arguments in calls:
                failed += bool((await client.call_tool(name, arguments)).is_error)
        return failed

    async def measure(ours: _Ours) -> Mapping[str, Measured]:
        from server.store.callbook import CallBook

        enrolled = ours.enrol(trials=RUNS // 8)
        seats = enrolled.seats[:RUNS]
        bench.say(f"{len(seats)} explorations at once")
        outcomes = await asyncio.gather(
            *(one(ours, seat.url(ours.url), seat.token) for seat in seats), return_exceptions=True
        )
        errors = sum(1 if isinstance(each, BaseException) else each for each in outcomes)
        lost = 0
        for trajectory in ours.store.trajectories(enrolled.spec.id):
            kept = CallBook(ours.store).calls(trajectory.id)
            lost += QUERIES + 3 - sum(call.result is not None for call in kept)
            lost += 2 - len(trajectory.insights)
        found = len(ours.store.trajectories(enrolled.spec.id))
        lost += (len(seats) - found) * (QUERIES + 5)
        told = f"{len(seats)} runs of {QUERIES + 3} calls on {WORKERS} workers"
        return {"errors": Measured(errors, told), "records_lost": Measured(lost, told)}

    with _ours(bench) as ours:
        return asyncio.run(measure(ours))


def rss_growth(bench: Bench) -> Mapping[str, Measured]:
    """What all processes of the server hold after 10,000 calls, over what they hold after 2,000."""

    async def measure(ours: _Ours) -> Measured:
        seats = ours.enrol(trials=1).seats[:4]
        held: dict[int, int] = {}
        async with contextlib.AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(_client(seat.url(ours.url), seat.token))
                for seat in seats
            ]
            for made in range(0, LAST, len(clients)):
                if made == FIRST:
                    held[made] = _memory(ours.process.pid)
                if made % 500 == 0:
                    bench.say(f"{made} of {LAST} calls")
                await asyncio.gather(*(_trivial(client)() for client in clients))
            held[LAST] = _memory(ours.process.pid)
        told = f"{held[FIRST] / 1e6:.0f} MB, then {held[LAST] / 1e6:.0f} MB"
        return Measured(held[LAST] / held[FIRST] - 1, told)

    with _ours(bench) as ours:
        return {"rss_growth": asyncio.run(measure(ours))}


def _memory(root: int) -> int:
    """Of a process and all below it, in bytes, shared pages in part."""
    total = 0
    for pid in (root, *descendants(root)):
        with contextlib.suppress(OSError, RuntimeError):  # it ended, or hides its memory
            total += pss_of(pid)
    return total


PROBES = (
    Probe((Goal("trivial_over_empty_p50", 2.0, "ratio", "lower"),), trivial_over_empty),
    Probe((Goal("calls_ratio_50", 0.6, "ratio", "higher"),), calls_ratio),
    Probe(
        (
            Goal("errors", 0, "count", "lower"),
            Goal("records_lost", 0, "count", "lower"),
        ),
        many_runs,
    ),
    Probe((Goal("rss_growth", 0.05, "ratio", "lower"),), rss_growth),
)
