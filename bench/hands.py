"""The tools as a session holds them, without MCP: opened, called, and their answers insisted on."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bench.lab import Lab
from core.scenario import ToolName

if TYPE_CHECKING:
    from core.protocols import Observation, Tools
    from tools.limits import ToolLimits

T = TypeVar("T")
SANDBOX: str | None = "bubblewrap"
TOOLS: tuple[ToolName, ...] = (
    "get_database_info",
    "describe_table",
    "execute_query",
    "execute_code",
)


class Opener(Protocol):
    """Opens one more session."""

    async def __call__(self, limits: ToolLimits | None = None) -> Tools:
        """With the limits that every session has, where none are given."""
        ...


@asynccontextmanager
async def sessions(lab: Lab, *, python: bool = False) -> AsyncIterator[Opener]:
    """A way to open sessions on the lab, in a tool host of their own; all of it ends with the block.

    With `python` an opener raises SandboxError, with the reason and what to do, where this machine
    cannot hold it.
    """
    from core.errors import SandboxError
    from databases.target import Target
    from server.toolhost import ToolHost
    from tools.host.client import HostTools
    from tools.host.messages import Opening
    from tools.limits import ToolLimits
    from tools.python.sandbox import OFF

    host = ToolHost()
    target = Target(dialect="duckdb", location=str(lab.database))
    async with AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.to_thread, host.close)
        keys = (f"bench-{number}" for number in itertools.count(1))

        async def opener(limits: ToolLimits | None = None) -> Tools:
            opening = Opening(
                key=next(keys),
                target=target,
                names=TOOLS,
                limits=limits or ToolLimits(),
                sandbox=SANDBOX if python else None,
            )
            tools = HostTools(host, opening)
            stack.push_async_callback(tools.close)
            await tools.list()
            if python and (state := tools.sandbox_state).name == OFF:
                raise SandboxError(state.detail or "Python is off")
            return tools

        yield opener


async def printed(tools: Tools, code: str) -> str:
    """What a cell prints. Raises RuntimeError for a cell that failed."""
    seen = await _answer(tools, "execute_code", {"code": code})
    return str(seen["stdout"])


async def rows(tools: Tools, sql: str, limit: int) -> list[list[Any]]:
    """The whole result of a query. Raises RuntimeError where it failed or was cut."""
    seen = await _answer(tools, "execute_query", {"query": sql, "limit": limit})
    if seen["truncated"]:
        raise RuntimeError(f"the answer was cut: {seen['note']}")
    found: list[list[Any]] = seen["rows"]
    return found


async def _answer(tools: Tools, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    seen: Observation = await tools.call(name, arguments)
    if seen.is_error or seen.data is None:
        raise RuntimeError(f"{name} failed: {seen.text[:300]}")
    return seen.data


async def timed(work: Awaitable[T]) -> tuple[T, float]:
    """A result, and the seconds that it took."""
    began = time.perf_counter()
    result = await work
    return result, time.perf_counter() - began


async def timed_in_thread(work: Callable[[], T]) -> tuple[T, float]:
    """The same for work that blocks; the event loop goes on."""
    return await timed(asyncio.to_thread(work))
