"""The driver's own connections, kept at hand: taking one out of the pool costs as much as what it is for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from server.store.engine import driver_of

if TYPE_CHECKING:
    from sqlalchemy import Engine

MOST: Final = 2
"""Kept of each kind while nobody uses them: for the event loop, and for the thread that writes."""


class Held:
    """Connections that wait while somebody else writes, and such as do not. Used from any thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._free: dict[bool, list[sqlite3.Connection]] = {True: [], False: []}
        self._is_closed = False

    @contextmanager
    def lent(self, *, waits: bool) -> Iterator[sqlite3.Connection]:
        """One of them, to one user. What was begun on it and not committed is rolled back."""
        free = self._free[waits]
        try:
            driver = free.pop()
        except IndexError:
            driver = self._open(waits=waits)
        try:
            yield driver
        finally:
            self._take_back(driver, free)

    def close(self) -> None:
        """Close those that nobody uses now; the others follow when they are given back."""
        self._is_closed = True
        for free in self._free.values():
            _shorten(free, 0)

    def _open(self, *, waits: bool) -> sqlite3.Connection:
        held = self._engine.raw_connection()
        driver = driver_of(held)
        held.detach()  # from here on it is ours to close
        if not waits:
            driver.execute("PRAGMA busy_timeout = 0")
        return driver

    def _take_back(self, driver: sqlite3.Connection, free: list[sqlite3.Connection]) -> None:
        try:
            if driver.in_transaction:
                driver.execute("ROLLBACK")
        except sqlite3.Error:
            driver.close()
            return
        free.append(driver)
        _shorten(free, 0 if self._is_closed else MOST)


def _shorten(free: list[sqlite3.Connection], most: int) -> None:
    with suppress(IndexError):  # somebody else took the last one
        while len(free) > most:
            free.pop().close()
