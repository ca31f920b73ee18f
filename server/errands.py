"""What the desks of one process share: the store, the calls under way, and answers that wait for room on the disk."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeVar

import anyio

from core.errors import StoreError
from core.outside import CANCELLED
from core.protocols import Observation
from core.trajectory import ToolResult
from server.store import Repository, Writer
from server.store.callbook import Begun, CallBook
from server.store.tiny import Tiny

if TYPE_CHECKING:
    from server.store.presence import Presence

_T = TypeVar("_T")

END_S: Final = 10.0
"""How long the calls under way are waited for when the process ends."""


class Stop(Enum):
    """Why a call does not go on: its error kind and text."""

    TAKEN_BACK = (CANCELLED, "the client took this call back; nothing came of it")
    SHUTDOWN = ("shutdown", "the server stops; this call gave nothing and can be repeated")


@dataclass(eq=False)
class Errand:
    """One call under way."""

    path: str
    request_id: str | None
    since: datetime
    serving: asyncio.Task[Observation] | None = None
    """All of it, to the end of its record."""
    stopped: Stop | None = None
    _exploring: asyncio.Task[Any] | None = None

    async def explore(self, work: Coroutine[Any, Any, Observation]) -> Observation | None:
        """Do the part of a call that can be stopped; the rest is short. None where it was stopped."""
        if self.stopped is not None:
            work.close()
            return None
        self._exploring = asyncio.current_task()
        try:
            return await work
        except asyncio.CancelledError:
            if self.stopped is None or self._exploring is None:
                raise  # the end of the event loop
            self._exploring.uncancel()
            return None
        finally:
            self._exploring = None

    async def outcome(self) -> Observation:
        """What it comes to. To be cancelled while waiting for it is to take it back, to its end."""
        assert self.serving is not None
        try:
            return await asyncio.shield(self.serving)
        except asyncio.CancelledError:
            await self.taken_back()
            raise

    async def taken_back(self) -> None:
        """Nobody waits for it any more; returns once that is written down."""
        assert self.serving is not None
        self.stop(Stop.TAKEN_BACK)
        with anyio.CancelScope(shield=True):
            await asyncio.wait([self.serving])

    def stop(self, why: Stop) -> None:
        """Nobody waits for it any more: end what can be ended."""
        self.stopped = self.stopped or why
        if self._exploring is not None:
            self._exploring.cancel()


@dataclass
class Bench:
    """What the desks of one process share."""

    writer: Writer
    store: Repository
    presence: Presence
    now: Callable[[], datetime]
    under_way: set[Errand] = field(default_factory=set)
    """Every call of this process: a cancel notice finds it here."""
    unwritten: list[tuple[Begun, ToolResult]] = field(default_factory=list)
    """What was answered while the store took nothing; such a call counts as under way until then."""

    async def keep(self, act: Callable[[Repository], _T]) -> _T:
        """What `act` returns, once that is on disk. Raises StoreError."""
        return await self.writer.keep(act)

    async def keep_tiny(self, act: Tiny[_T]) -> _T:
        """The same for what is written with every call. Raises StoreError."""
        return await self.writer.keep_tiny(act)

    async def catch_up(self) -> None:
        """Write down what could not be. Raises StoreError where that still is so."""
        if not self.unwritten:
            return
        waiting = tuple(self.unwritten)

        def act(store: Repository) -> None:
            with store.together() as kept:
                for begun, result in waiting:
                    CallBook(kept).complete(begun, result)

        await self.keep(act)
        self.unwritten = [each for each in self.unwritten if each not in waiting]

    async def end(self) -> None:
        """Stop the calls that still are under way, and see them written down."""
        for errand in self.under_way:
            errand.stop(Stop.SHUTDOWN)
        if serving := [each.serving for each in self.under_way if each.serving is not None]:
            await asyncio.wait(serving, timeout=END_S)
        with contextlib.suppress(StoreError):  # it was said where it was met
            await self.catch_up()
