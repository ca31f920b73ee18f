"""Tiny writes on the event loop: on disk before anybody goes on, few transactions, nobody harmed by another."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from core.errors import LockedError, StoreError
from server.store import Repository, Writer, open_store

MANY = 20


def adds(name: str) -> Callable[[sqlite3.Connection], str]:
    """The writing of one row; what it returns is the thread that wrote."""

    def act(driver: sqlite3.Connection) -> str:
        driver.execute("INSERT INTO runs (id, created_at, body) VALUES (?, '', '')", (name,))
        return threading.current_thread().name

    return act


def names(path: Path) -> list[str]:
    """What somebody else finds in the file."""
    with closing(sqlite3.connect(path)) as another:
        return [name for (name,) in another.execute("SELECT id FROM runs ORDER BY id")]


@contextmanager
def locked(store: Repository) -> Iterator[sqlite3.Connection]:
    """Somebody else writes."""
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def test_whoever_goes_on_finds_it_in_the_file_written_by_the_loop_itself(
    store: Repository,
) -> None:
    async def work() -> None:
        with Writer(store) as writer:
            for number in range(3):
                assert await writer.keep_tiny(adds(f"{number}")) == threading.current_thread().name
                assert len(names(store.path)) == number + 1

    asyncio.run(work())


def test_what_is_asked_for_at_the_same_time_is_one_transaction(store: Repository) -> None:
    async def work() -> None:
        with closing(sqlite3.connect(store.path)) as watching, Writer(store) as writer:
            seen = [watching.execute("PRAGMA data_version").fetchone()]
            found = list[int]()

            async def one(number: int) -> None:
                await writer.keep_tiny(adds(f"{number:02}"))
                found.append(len(names(store.path)))
                seen.append(watching.execute("PRAGMA data_version").fetchone())

            await asyncio.gather(*map(one, range(MANY)))
        assert found == [MANY] * MANY
        assert len(set(seen)) == 2

    asyncio.run(work())


def test_one_that_fails_leaves_those_beside_it_alone(store: Repository) -> None:
    async def work() -> None:
        def breaks(driver: sqlite3.Connection) -> str:
            adds("half")(driver)
            raise ZeroDivisionError

        with Writer(store) as writer:
            acts = [adds("a"), breaks, adds("a"), adds("b")]
            done = await asyncio.gather(*map(writer.keep_tiny, acts), return_exceptions=True)
        assert [type(each) for each in done] == [str, ZeroDivisionError, StoreError, str]
        assert "refused a record" in str(done[2])
        assert names(store.path) == ["a", "b"]

    asyncio.run(work())


def test_while_another_writes_the_loop_goes_on_and_all_that_waited_is_kept(
    store: Repository,
) -> None:
    async def work() -> None:
        with Writer(store) as writer:
            with locked(store) as other:
                early = asyncio.create_task(writer.keep_tiny(adds("early")))
                longest, looked = 0.0, time.monotonic()
                for number in range(10):
                    late = asyncio.create_task(writer.keep_tiny(adds(f"late {number}")))
                    await asyncio.sleep(0)
                    longest = max(longest, time.monotonic() - looked)
                    looked = time.monotonic()
                assert not (early.done() or late.done())
                other.execute("ROLLBACK")
            await asyncio.gather(early, late)
            assert longest < 1.0  # less than the five seconds for which others wait
        assert len(names(store.path)) == 11

    asyncio.run(work())


def test_who_is_kept_out_for_long_waits_in_the_thread(store: Repository) -> None:
    async def work() -> None:
        with Writer(store) as writer, locked(store) as other:
            waiting = [asyncio.create_task(writer.keep_tiny(adds(name))) for name in "abc"]
            await asyncio.sleep(0.3)
            assert not any(each.done() for each in waiting)
            other.execute("ROLLBACK")
            assert await asyncio.gather(*waiting) == ["store"] * 3
            assert await writer.keep_tiny(adds("d")) == threading.current_thread().name
        assert names(store.path) == ["a", "b", "c", "d"]

    asyncio.run(work())


def test_a_store_that_stays_locked_says_so_to_each(tmp_path: Path) -> None:
    async def work() -> None:
        with (
            open_store(tmp_path / "store.sqlite3", busy_timeout_s=0.05) as store,
            Writer(store) as writer,
            locked(store),
        ):
            done = await asyncio.gather(
                *(writer.keep_tiny(adds(name)) for name in "ab"), return_exceptions=True
            )
        assert [type(each) for each in done] == [LockedError] * 2

    asyncio.run(work())


def test_who_is_cancelled_while_it_waits_has_it_kept_all_the_same(store: Repository) -> None:
    async def work() -> None:
        with Writer(store) as writer:
            for long in (False, True):
                with locked(store) as other:
                    waiting = asyncio.create_task(writer.keep_tiny(adds(f"{long}")))
                    await asyncio.sleep(0.3 if long else 0)
                    waiting.cancel()
                    await asyncio.sleep(0)
                    assert waiting.cancelled()
                    other.execute("ROLLBACK")
                await writer.keep_tiny(adds(f"after {long}"))
                while f"{long}" not in names(store.path):
                    await asyncio.sleep(0.01)

    asyncio.run(work())


def test_leaving_waits_for_what_nobody_awaited(store: Repository) -> None:
    async def work() -> None:
        with Writer(store) as writer:
            waiting = asyncio.create_task(writer.keep_tiny(adds("a")))
            await asyncio.sleep(0)
        assert names(store.path) == ["a"]
        waiting.cancel()
        await asyncio.sleep(0.01)

    asyncio.run(work())
    assert names(store.path) == ["a"]


def test_a_store_that_waits_for_the_disk_is_written_to_by_the_thread(tmp_path: Path) -> None:
    async def work() -> None:
        with open_store(tmp_path / "store.sqlite3", fsync=True) as store, Writer(store) as writer:
            assert await writer.keep_tiny(adds("a")) == "store"
        assert names(tmp_path / "store.sqlite3") == ["a"]

    asyncio.run(work())
