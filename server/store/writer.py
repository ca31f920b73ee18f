"""Keep what open attempts bring: one thread writes, and all that waits for it becomes one transaction."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from core.errors import LockedError
from server.store.repository import Repository
from server.store.tiny import Tiny, TinyWrites

T = TypeVar("T")
Act = Callable[[Repository], Any]
"""Writes something. It may be run a second time, after all that it did was rolled back."""

TOGETHER: Final = 64
"""Writes in one transaction at most."""


@dataclass(frozen=True)
class _Write:
    act: Act
    kept: Future[Any] = field(default_factory=Future)

    def carry_out(self, store: Repository) -> None:
        """Alone, in its own transaction."""
        try:
            self.kept.set_result(self.act(store))
        except BaseException as exc:  # noqa: BLE001 - raised where it is waited for
            self.kept.set_exception(exc)


class Writer:
    """Writes in the order in which they are asked for, off the event loop.

    Whoever awaits one goes on when it is on disk. Of those that wait at the same time each is kept
    by itself: where one cannot be, the others are none the worse for it. Leaving the block waits
    until all is written.
    """

    def __init__(self, store: Repository) -> None:
        self._store, self._hasty = store, store.unwaiting()
        self._tiny = TinyWrites(store, self._keep_driven)
        self._at_work = False
        self._waiting: SimpleQueue[_Write | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="store", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for act in self._tiny.take():
            self._waiting.put(_Write(partial(_driven, act)))
        self._waiting.put(None)
        self._thread.join()

    async def keep(self, act: Callable[[Repository], T]) -> T:
        """What `act` returns, once that is on disk. Raises StoreError as it does.

        Cancelling whoever waits does not take the write back.
        """
        write = _Write(act)
        self._waiting.put(write)
        kept: T = await asyncio.shield(asyncio.wrap_future(write.kept))
        return kept

    async def keep_small(self, act: Callable[[Repository], T]) -> T:
        """The same for what takes a fraction of a millisecond: at once, where nothing else waits.

        To go to the thread and back would take longer than the write itself. A store that waits for
        the disk with each transaction is written to by the thread alone.
        """
        if self._store.waits_for_disk or self._at_work or not self._waiting.empty():
            return await self.keep(act)
        try:
            return act(self._hasty)
        except LockedError:  # by another process; whoever waits for it must not stop the event loop
            return await self.keep(act)

    async def keep_tiny(self, act: Tiny[T]) -> T:
        """The same for what takes microseconds, with the others of its kind; with no order among them.

        A store that waits for the disk is written to by the thread alone, here too.
        """
        if self._store.waits_for_disk:
            return await self._keep_driven(act)
        return await self._tiny.keep(act)

    async def _keep_driven(self, act: Tiny[T]) -> T:
        return await self.keep(partial(_driven, act))

    def _work(self) -> None:
        while batch := self._next():
            self._at_work = True
            self._commit(batch)
            self._at_work = False

    def _next(self) -> list[_Write]:
        """All that waits, waiting for the first; nothing once the block is left."""
        batch: list[_Write] = []
        while not batch or (len(batch) < TOGETHER and not self._waiting.empty()):
            write = self._waiting.get()
            if write is None:
                self._waiting.put(None)  # to be met again after this batch
                break
            batch.append(write)
        return batch

    def _commit(self, batch: list[_Write]) -> None:
        if len(batch) > 1:
            try:
                with self._store.together() as store:
                    done = [write.act(store) for write in batch]
            except Exception:  # noqa: BLE001, S110 - told below, to the one whose fault it is
                pass
            else:
                for write, value in zip(batch, done, strict=True):
                    write.kept.set_result(value)
                return
        for write in batch:
            write.carry_out(self._store)


def _driven(act: Tiny[T], store: Repository) -> T:
    with store.driving() as driver:
        return act(driver)
