"""What sessions share in the host: workers of the database that stands there now, and only while they are used."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
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
from tools.python import SANDBOXES

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
    # Other tests of this process may have a sandbox at hand.
    before = below(os.getpid())

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
            assert below(os.getpid()) - before
            clocked.now += 1
            await means.sweep()
            until(lambda: not below(os.getpid()) - before, "the end of the workers")
            again = await means.tools(_opening(database))
            assert await _count(again) == 150
        finally:
            await means.close()
        until(lambda: not below(os.getpid()) - before, "the end of the workers")

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


MODULE = "import pathlib\n\ndef touch(*args: object) -> None:\n    pathlib.Path({!r}).touch()\n"


@pytest.fixture
def free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """`module:attribute` of a function that leaves the file `touched` where it is called."""
    name = f"free_module_{os.getpid()}"
    touched = str(tmp_path / "touched")
    (tmp_path / f"{name}.py").write_text(MODULE.format(touched), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return f"{name}:touch"


def test_a_sandbox_or_an_engine_that_is_not_installed_is_neither_imported_nor_called(
    tmp_path: Path, free: str
) -> None:
    async def talk() -> None:
        means = Means()
        opened = _opening(make_visits(tmp_path / "visits.duckdb"))
        python = {"names": ("execute_query", "execute_code"), "sandbox": free}
        engine = {"target": opened.target.model_copy(update={"dialect": free})}
        try:
            for changes, known in ((python, "unsafe-none"), (engine, "sqlite")):
                with pytest.raises(UnknownNameError, match=known):
                    await means.tools(opened.model_copy(update=changes))
        finally:
            await means.close()
        assert free.partition(":")[0] not in sys.modules
        assert not (tmp_path / "touched").exists()

    asyncio.run(talk())


@pytest.mark.parametrize("name", sorted(SANDBOXES))
def test_every_sandbox_of_ours_is_known_by_its_name(name: str) -> None:
    opened = opening(sandbox=name)
    assert Means()._sandbox(opened) is not None


def test_a_sandbox_that_a_plug_in_brings_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "strange-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.0\n")
    place = SANDBOXES["unsafe-none"]
    (info / "entry_points.txt").write_text(f"[ddr.sandboxes]\nstrange = {place}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert Means()._sandbox(opening(sandbox="strange")) is not None
