"""Connections that are kept at hand: lent to one user at a time, given back as they were, closed at the end."""

from __future__ import annotations

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from core.errors import LockedError
from server.store import Repository, open_store
from server.store.held import MOST

COUNT = "SELECT count(*) FROM runs"
ADD = "INSERT INTO runs (id, created_at, body) VALUES (?, '', '')"


def count(store: Repository) -> int:
    with store.glancing() as driver:
        found: int = driver.execute(COUNT).fetchone()[0]
        return found


def files_open(store: Repository) -> int:
    """Descriptors of this process on the store's file."""
    ours = 0
    for each in Path("/proc/self/fd").iterdir():
        try:
            ours += each.readlink() == store.path.resolve()
        except FileNotFoundError:  # the one that lists the folder
            continue
    return ours


def test_whoever_comes_after_another_is_lent_the_same_connection(store: Repository) -> None:
    with store.driving() as first:
        first.execute(ADD, ("a",))
    with store.driving() as second:
        assert second is first
    with store.glancing() as third:
        assert third is first
    assert count(store) == 1


def test_two_at_once_are_lent_two(store: Repository) -> None:
    with store.glancing() as first, store.glancing() as second, store.driving() as third:
        assert len({id(each) for each in (first, second, third)}) == 3
        third.execute(ADD, ("a",))
        assert second.execute(COUNT).fetchone() == (0,)  # it is not committed
    assert count(store) == 1


def test_what_was_not_committed_is_rolled_back_and_the_connection_is_sound(
    store: Repository,
) -> None:
    with pytest.raises(ZeroDivisionError), store.driving() as driver:
        driver.execute(ADD, ("a",))
        raise ZeroDivisionError
    with store.driving() as again:
        assert again is driver
        again.execute(ADD, ("b",))
    with store.glancing() as third:
        assert third.execute("SELECT id FROM runs").fetchall() == [("b",)]


def test_one_that_is_broken_is_not_lent_again(store: Repository) -> None:
    with pytest.raises(Exception, match="closed database"), store.driving() as driver:
        driver.close()
    with store.driving() as again:
        assert again is not driver
        again.execute(ADD, ("a",))
    assert count(store) == 1


def test_some_wait_while_another_writes_and_some_do_not_whoever_was_first(tmp_path: Path) -> None:
    with (
        open_store(tmp_path / "store.sqlite3", busy_timeout_s=0.3) as store,
        closing(sqlite3.connect(store.path, isolation_level=None)) as other,
    ):
        hasty = store.unwaiting()
        for _ in range(2):  # with new connections, and with those that are kept
            other.execute("BEGIN IMMEDIATE")
            for each, least_s, most_s in ((hasty, 0.0, 0.2), (store, 0.25, 5.0)):
                began = time.monotonic()
                with pytest.raises(LockedError), each.driving():
                    pytest.fail("it writes beside another")
                assert least_s <= time.monotonic() - began < most_s
            other.execute("ROLLBACK")
            for name, each in (("a", hasty), ("b", store)):
                with each.driving() as driver:
                    driver.execute("INSERT OR REPLACE INTO runs VALUES (?, '', '')", (name,))
        assert count(store) == 2


def test_threads_that_write_at_once_lose_nothing_and_few_connections_stay(
    store: Repository,
) -> None:
    together, used = threading.Barrier(8), set[sqlite3.Connection]()

    def write(number: int) -> None:
        with store.glancing() as driver:
            used.add(driver)
            together.wait()
        for each in range(20):
            with store.driving() as driver:
                driver.execute(ADD, (f"{number}.{each}",))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(8)))
    assert count(store) == 160
    assert len(used) == 8
    with ExitStack() as stack:
        lent = {stack.enter_context(store.glancing()) for _ in range(8)}
        assert len(lent) == 8
        assert len(lent & used) == MOST


def test_the_end_closes_what_is_kept_and_what_is_given_back_later(tmp_path: Path) -> None:
    store = open_store(tmp_path / "store.sqlite3")
    with store.glancing() as lent:
        with store.driving() as kept:
            pass
        store.close()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            kept.execute(COUNT)
        assert lent.execute(COUNT).fetchone() == (0,)
    assert files_open(store) == 0
