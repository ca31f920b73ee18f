"""Keep what takes microseconds on the event loop itself: all that one of its turns brings is one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, NamedTuple, TypeVar

from core.errors import LockedError
from server.store.repository import Repository

T = TypeVar("T")
Tiny = Callable[[sqlite3.Connection], T]
"""Writes a few rows through the driver alone. It may be run again, after what it did was rolled back."""

AGAIN_S: Final = 0.001
"""Until the next try, where another process writes just now."""
TRIES: Final = 20


class _Write(NamedTuple):
    act: Tiny[Any]
    kept: asyncio.Future[Any]


class TinyWrites:
    """To go to a thread and back would take longer than such a write itself."""

    def __init__(
        self, store: Repository, patiently: Callable[[Tiny[Any]], Coroutine[Any, Any, Any]]
    ) -> None:
        """`patiently`: how to write what another process keeps out for long; the loop must not wait."""
        self._store, self._patiently = store.unwaiting(), patiently
        self._waiting: list[_Write] = []
        self._tries = 0
        self._handed_over: set[asyncio.Task[Any]] = set()

    async def keep(self, act: Tiny[T]) -> T:
        """What `act` returns, once that is on disk. Raises StoreError as it does."""
        loop = asyncio.get_running_loop()
        kept: asyncio.Future[T] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._write)
        self._waiting.append(_Write(act, kept))
        return await kept

    def take(self) -> list[Tiny[Any]]:
        """What was not carried out yet, for whoever does it now."""
        waiting, self._waiting = self._waiting, []
        return [write.act for write in waiting]

    def _write(self) -> None:
        if not self._waiting:
            return  # they were taken
        try:
            done = self._together(self._waiting)
        except LockedError:
            self._tries += 1
            if self._tries < TRIES:  # whatever is asked for until then waits, too
                asyncio.get_running_loop().call_later(AGAIN_S, self._write)
                return
            for write in self._waiting:
                self._hand_over(write)
        except Exception:  # noqa: BLE001 - told below, to the one whose fault it is
            for write in self._waiting:
                self._alone(write)
        else:
            for write, value in zip(self._waiting, done, strict=True):
                _settle(write.kept, value)
        self._waiting, self._tries = [], 0

    def _together(self, writes: list[_Write]) -> list[Any]:
        with self._store.driving() as driver:
            return [write.act(driver) for write in writes]

    def _alone(self, write: _Write) -> None:
        try:
            (value,) = self._together([write])
        except LockedError:
            self._hand_over(write)
        except Exception as exc:  # noqa: BLE001 - raised where it is waited for
            _settle(write.kept, exc)
        else:
            _settle(write.kept, value)

    def _hand_over(self, write: _Write) -> None:
        task = asyncio.get_running_loop().create_task(self._patiently(write.act))
        self._handed_over.add(task)
        task.add_done_callback(self._handed_over.discard)
        task.add_done_callback(partial(_pass_on, write.kept))


def _pass_on(kept: asyncio.Future[Any], task: asyncio.Task[Any]) -> None:
    if task.cancelled():
        kept.cancel()
    else:
        _settle(kept, task.exception() or task.result())


def _settle(kept: asyncio.Future[Any], outcome: Any) -> None:
    if kept.done():  # whoever waited was cancelled
        return
    if isinstance(outcome, BaseException):
        kept.set_exception(outcome)
    else:
        kept.set_result(outcome)
