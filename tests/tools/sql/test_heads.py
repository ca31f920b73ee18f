"""What a worker says stays within the protocol, however long a statement makes its errors and names."""

from __future__ import annotations

import asyncio
import socket
import time
from pathlib import Path

import pytest

from tests.tools.sql.pools import all_ready, fails, patience, rows, started, until
from tests.tools.support import make_visits, needs_sandbox
from tools.sql.channel import MOST_HEAD, BrokenError, Channel
from tools.sql.worker import ERROR_CHARS, MOST_VIOLATIONS, VIOLATION_CHARS

QUOTED = ERROR_CHARS + 1000
"""Characters of an error with the names that are near."""


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT error(repeat('x', 6000000))",
        "SELECT error(repeat(chr(10), 3000000) || 'x')",
        "SELECT error(repeat('Table with name ', 300000))",
        "SELECT repeat('x', 6000000)::INTEGER",
    ],
)
@pytest.mark.real
def test_an_error_of_megabytes_costs_no_worker_and_keeps_nobody_waiting(
    visits: Path, sql: str
) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            hand, other = pool.hand("a", patience(30)), pool.hand("b", patience(30))
            asked = asyncio.create_task(fails(hand.rows(sql, limit=1)))
            began = time.monotonic()
            assert await rows(other, "SELECT 1") == [[1]]
            error = await asked
            assert time.monotonic() - began < 20
            assert error.kind == "sql"
            assert len(str(error)) < QUOTED
            assert pool.state().lost == 0

    asyncio.run(talk())


@pytest.mark.real
def test_a_refusal_is_as_short_as_any_error_and_so_is_what_it_records(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            hand = pool.hand("a", patience(30))
            error = await fails(hand.rows(f"SELECT * FROM '/{'x' * 40_000}'", limit=1))
            assert error.kind == "refused"
            assert len(str(error)) < QUOTED
            (seen,) = error.violations
            assert seen.startswith("sql: file /xxx")
            assert len(seen) < VIOLATION_CHARS + 100
            files = ", ".join(f"'/{n}.csv'" for n in range(2 * MOST_VIOLATIONS))
            error = await fails(hand.rows(f"SELECT 1 FROM {files}", limit=1))
            assert len(error.violations) == MOST_VIOLATIONS

    asyncio.run(talk())


@pytest.mark.real
def test_a_record_that_is_too_long_to_be_told_is_an_error_of_that_query(tmp_path: Path) -> None:
    name = "x" * (MOST_HEAD + 1000)
    file = make_visits(tmp_path / "long.duckdb", f'CREATE TABLE odd AS SELECT 1 AS "{name}"')

    async def talk() -> None:
        async with started(file) as pool:
            hand = pool.hand("a", patience(60))
            error = await fails(hand.rows("SELECT * FROM odd", limit=1))
            assert error.kind == "limit"
            assert "read less" in str(error)
            for _ in range(8):  # more than there are threads
                assert await rows(hand, "SELECT count(*) FROM visits") == [[150]]
            assert pool.state().lost == 0

    asyncio.run(talk())


@pytest.mark.real
def test_a_worker_that_hears_what_it_cannot_follow_makes_room_for_another(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            first = pool._workers[0]
            first.send({"id": 0, "do": "rows", "sql": "x" * (MOST_HEAD + 1)})
            await until(lambda: first not in pool._workers)
            assert "Traceback" not in first.said
            assert await rows(pool.hand("a"), "SELECT 1") == [[1]]

    asyncio.run(talk())


@pytest.mark.real
@needs_sandbox()
def test_the_engines_own_folder_is_no_file_that_an_agent_asked_for(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, dialect="duckdb") as pool:
            error = await fails(pool.hand("a").rows("FROM duckdb_extensions()", limit=1))
            assert (error.kind, error.violations) == ("refused", ())
            assert "/data" not in str(error)

    asyncio.run(talk())


def test_a_head_that_is_too_large_is_not_sent_and_the_next_one_is() -> None:
    ours, theirs = socket.socketpair()
    channel, other = Channel(ours.detach()), Channel(theirs.detach())
    try:
        with pytest.raises(BrokenError):
            channel.send({"error": "x" * (MOST_HEAD + 1)})
        channel.send({"id": 1})
        assert other.receive() == {"id": 1}
    finally:
        channel.close()
        other.close()
