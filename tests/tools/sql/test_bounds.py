"""What a worker may take: memory, its own and what the engine does not count, and disk."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.tools.sql.pools import alive, all_ready, fails, patience, rows, started, until
from tests.tools.support import needs_sandbox
from tools.sql import housing
from tools.sql.engine import EngineLimits

pytestmark = [pytest.mark.real, needs_sandbox()]


def resident_mb(pid: int | None = None) -> float:
    """What a process holds in memory."""
    pages = int(Path(f"/proc/{pid or 'self'}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def test_three_million_wide_rows_leave_server_and_worker_small(visits: Path) -> None:
    async def talk() -> tuple[float, float]:
        async with started(visits, dialect="duckdb") as pool:
            hand = pool.hand("a")
            worker = pool._workers[0].pid
            await hand.rows("SELECT repeat('x', 1000) FROM range(10)", limit=200)
            here, there = resident_mb(), resident_mb(worker)
            sql = "SELECT repeat('x', 1000), range FROM range(3000000)"
            assert (await hand.rows(sql, limit=200, reply_chars=32_000)).truncated
            return resident_mb() - here, resident_mb(worker) - there

    here, there = asyncio.run(talk())
    assert here < 100
    assert there < 100


def peak_mb(pid: int) -> float:
    """The most address space that a process ever had."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmPeak:")[2].split()[0]) / 1024


def test_memory_that_the_engine_does_not_count_ends_with_the_query(
    visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB's parser on deep nesting, with no gate before it: it would take a hundred gigabytes."""
    monkeypatch.setattr(housing, "OWN_MB", 900)

    async def talk() -> None:
        async with started(visits, engine_limits=EngineLimits(memory_mb=128)) as pool:
            worker = pool._workers[0].pid
            hand = pool.hand("a", patience(120))
            error = await fails(hand.rows("SELECT 1 -- nest", limit=1))
            assert error.kind == "limit"
            assert "more memory than there is" in str(error)
            if alive(worker):
                assert peak_mb(worker) <= 1028
            assert await rows(hand, "SELECT 1") == [[1]]

    asyncio.run(talk())


def test_what_outgrows_the_engines_memory_goes_to_disk_and_comes_back(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, engine_limits=EngineLimits(memory_mb=64)) as pool:
            sql = (
                "SELECT sum(n), max(x) FROM (SELECT x, row_number() OVER (ORDER BY hash(x)) AS n"
                " FROM range(3000000) t(x))"
            )
            assert await rows(pool.hand("a", patience(120)), sql) == [
                [3_000_000 * 3_000_001 // 2, 2_999_999]
            ]

    asyncio.run(talk())


def test_what_a_killed_worker_had_written_is_removed(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, engine_limits=EngineLimits(memory_mb=64)) as pool:
            await all_ready(pool, 2)
            spill = pool._housing._spill
            assert spill is not None
            sql = "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY hash(x)) AS n FROM range(90000000) t(x))"
            call = asyncio.create_task(fails(pool.hand("a", patience(120)).rows(sql, limit=1)))
            await until(lambda: bool(list(spill.place.glob("*/duckdb_temp*"))))
            os.kill(pool._workers[0].pid, 9)
            assert (await call).kind == "limit"
            await until(lambda: not list(spill.place.glob("*/duckdb_temp*")))

    asyncio.run(talk())


def test_a_spill_that_outgrows_its_bound_is_an_error_of_that_query(visits: Path) -> None:
    async def talk() -> None:
        limits = EngineLimits(memory_mb=64, spill_mb=16)
        async with started(visits, engine_limits=limits) as pool:
            hand = pool.hand("a", patience(120))
            sql = "SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY hash(x)) AS n FROM range(9000000) t(x))"
            assert (await fails(hand.rows(sql, limit=1))).kind == "limit"
            assert await rows(hand, "SELECT 1") == [[1]]

    asyncio.run(talk())
