"""What sessions share in the host: workers of the database that stands there now, and only while they are used."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import pytest

from core.errors import DatabaseError, UnknownNameError
from databases.target import Target
from tests.support.processes import below, until
from tests.tools.host.support import opening
from tests.tools.support import make_visits
from tools.host.means import UNUSED_S, Means
from tools.host.messages import Opening
from tools.host.sessions import HeldTools

pytestmark = pytest.mark.real


class Clocked:
    """Means, and their clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.means = Means(now=lambda: self.now)


def _opening(database: Path, key: str = "a") -> Opening:
    target = Target(dialect="duckdb", location=str(database))
    return opening(key, target=target, names=("execute_query",), sandbox=None)


async def _count(tools: HeldTools) -> int:
    seen = await tools.call("execute_query", {"query": "SELECT count(*) FROM visits"})
    assert seen.data is not None, seen.text
    found: int = seen.data["rows"][0][0]
    return found


def test_sessions_of_one_database_share_its_workers(tmp_path: Path) -> None:
    async def talk() -> None:
        means, database = Means(), make_visits(tmp_path / "visits.duckdb")
        try:
            one, two = await asyncio.gather(
                means.tools(_opening(database, "a")), means.tools(_opening(database, "b"))
            )
            assert [await _count(one), await _count(two)] == [150, 150]
            await one.close()
            assert await _count(two) == 150
            assert len(means._pools) == 1
        finally:
            await means.close()

    asyncio.run(talk())


def test_a_database_that_was_built_anew_is_read_by_new_sessions_and_not_by_old_ones(
    tmp_path: Path,
) -> None:
    async def talk() -> None:
        means, database = Means(), make_visits(tmp_path / "visits.duckdb")
        try:
            old = await means.tools(_opening(database, "old"))
            assert await _count(old) == 150
            anew = make_visits(tmp_path / "anew.duckdb", "DELETE FROM visits WHERE id > 100")
            anew.replace(database)
            new = await means.tools(_opening(database, "new"))
            assert [await _count(old), await _count(new)] == [150, 100]
        finally:
            await means.close()

    asyncio.run(talk())


def test_workers_that_nobody_uses_end_after_their_time_and_never_before(tmp_path: Path) -> None:
    async def talk() -> None:
        clocked, database = Clocked(), make_visits(tmp_path / "visits.duckdb")
        means = clocked.means
        try:
            tools = await means.tools(_opening(database))
            assert await _count(tools) == 150
            clocked.now = 5 * UNUSED_S
            await means.sweep()
            assert await _count(tools) == 150
            await tools.close()
            del tools
            gc.collect()
            clocked.now += UNUSED_S - 1
            await means.sweep()
            assert below(os.getpid())
            clocked.now += 1
            await means.sweep()
            until(lambda: not below(os.getpid()), "the end of the workers")
            again = await means.tools(_opening(database))
            assert await _count(again) == 150
        finally:
            await means.close()
        until(lambda: not below(os.getpid()), "the end of the workers")

    asyncio.run(talk())


def test_a_database_that_is_not_there_is_refused_until_it_is(tmp_path: Path) -> None:
    async def talk() -> None:
        means, database = Means(), tmp_path / "visits.duckdb"
        try:
            for _ in range(2):
                with pytest.raises(DatabaseError):
                    await means.tools(_opening(database))
            make_visits(database)
            assert await _count(await means.tools(_opening(database))) == 150
        finally:
            await means.close()

    asyncio.run(talk())


def test_a_sandbox_that_nobody_knows_is_refused_with_those_that_there_are(tmp_path: Path) -> None:
    async def talk() -> None:
        means = Means()
        opened = _opening(make_visits(tmp_path / "visits.duckdb"))
        names = ("execute_query", "execute_code")
        odd = opened.model_copy(update={"sandbox": "chroot", "names": names})
        try:
            with pytest.raises(UnknownNameError, match="bubblewrap"):
                await means.tools(odd)
        finally:
            await means.close()

    asyncio.run(talk())
