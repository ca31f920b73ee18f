"""Pools for tests: started and closed around a test's talk, with a way to wait for what must come."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.errors import ToolError
from tests.tools.sql.odd_engine import PLACE
from tools.limits import ToolLimits
from tools.sql.engine import Target
from tools.sql.hand import SqlHand
from tools.sql.pool import SqlPool

ENDLESS = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range = 7"
"""Days of work in little memory, and open to interruption."""
STUBBORN = "SELECT regexp_matches(repeat('a', 1000000), '(a?){400}(a?){400}b')"
"""One function call that takes most of a minute, and never listens."""
LONG = "SELECT count(*) FROM range(40000000) t(x) WHERE (x * 7) % 11 = 3"
"""Some tenths of a second or more."""
LONG_ANSWER = [[3636364]]
LONGER = LONG.replace("40000000", "160000000")
LONGER_ANSWER = [[14545455]]
WAIT_S = 60.0


@asynccontextmanager
async def started(
    database: Path, *, workers: int = 1, dialect: str = PLACE, **options: Any
) -> AsyncIterator[SqlPool]:
    """A pool on the odd engine."""
    pool = SqlPool(Target(dialect=dialect, location=str(database)), workers=workers, **options)
    await pool.start()
    try:
        yield pool
    finally:
        await pool.close()


def patience(seconds: float, **more: Any) -> ToolLimits:
    """Limits with another deadline."""
    return ToolLimits(sql_seconds=seconds, **more)


async def rows(hand: SqlHand, sql: str, limit: int = 20) -> Any:
    """The rows of a query that must succeed."""
    import json

    return json.loads((await hand.rows(sql, limit=limit)).text)["rows"]


async def fails(asked: Awaitable[Any]) -> ToolError:
    """The error of what must fail."""
    try:
        answer = await asked
    except ToolError as exc:
        return exc
    raise AssertionError(f"it answered {answer!r}")


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something is so, but not for ever."""
    async with asyncio.timeout(WAIT_S):
        while not holds():
            await asyncio.sleep(0.01)


async def all_ready(pool: SqlPool, count: int) -> None:
    """Wait until so many workers are ready, the spare among them."""
    await until(lambda: pool.state().workers == count)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
