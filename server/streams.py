"""Server-sent events read from the store: look again and again, until it is over or nobody may look."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import anyio.to_thread
from starlette.responses import StreamingResponse

from core.errors import StoreError

HEARTBEAT_S: Final = 15.0
MOST: Final = 64
"""Streams of one worker at a time."""
MOST_OWN: Final = 8
"""Of them, those of one token, unless somebody needs more: nobody is to hold every place."""

Place = TypeVar("Place")
"""How much somebody has been told."""


@dataclass
class Streams:
    """The streams that one worker has open."""

    most: int = MOST
    most_own: int = MOST_OWN
    is_closing: bool = False
    """Whether the server stops: what has no end of its own ends."""
    _open: Counter[str] = field(default_factory=Counter)
    """By the id of the token that each was opened with."""

    @property
    def open(self) -> int:
        """How many there are."""
        return self._open.total()

    def why_full(self, whose: str) -> str | None:
        """Why there is no place for one more of somebody's; None = there is one."""
        if self._open[whose] >= self.most_own:
            return f"{self.most_own} streams of yours are open here: try again when you have closed one"
        if self.open >= self.most:
            return f"{self.most} streams are open here: try again when another has ended"
        return None

    @contextmanager
    def counted(self, whose: str) -> Iterator[None]:
        """While one of somebody's is open."""
        self._open[whose] += 1
        try:
            yield
        finally:
            self._open[whose] -= 1
            if not self._open[whose]:
                del self._open[whose]


@dataclass(frozen=True)
class Look(Generic[Place]):
    """What one look at the store found."""

    events: Sequence[tuple[str, Place]]
    """Each as it is sent, and the place behind it."""
    is_over: bool
    may_go_on: bool
    """False once whoever listens may not any more."""
    place: Place
    """Behind all of them."""


async def stream(
    streams: Streams,
    look: Callable[[Place], Look[Place]],
    place: Place,
    *,
    whose: str,
    over: str,
    look_s: float,
    heartbeat_s: float = HEARTBEAT_S,
) -> AsyncIterator[str]:
    """The stream's text. `look` blocks, and is called in a thread; `over` is its last event; `whose` is
    the id of a token.

    It ends without that where the store does not answer, the server stops, or whoever listens may not any
    more: the client comes again, and is told how it is.
    """
    if streams.why_full(whose):
        return  # many were let in at the same moment
    with streams.counted(whose):
        spoken = time.monotonic()
        yield ": watching\n\n"
        while not streams.is_closing:
            try:
                found = await anyio.to_thread.run_sync(look, place)
            except StoreError:
                return
            for text, behind in found.events:
                place = behind
                yield text
            place = found.place
            if found.events:
                spoken = time.monotonic()
                continue
            if found.is_over:
                yield over
                return
            if not found.may_go_on:
                return
            if time.monotonic() - spoken >= heartbeat_s:
                spoken = time.monotonic()
                yield ": still watching\n\n"
            await asyncio.sleep(look_s)


def event(kind: str, data: dict[str, Any], place: str | None = None) -> str:
    """One event as it is sent; `place` is what a client comes back with."""
    # ASCII: no character that ends a line can stand in the data.
    said = json.dumps(data, separators=(",", ":"))
    named = f"id: {place}\n" if place is not None else ""
    return f"{named}event: {kind}\ndata: {said}\n\n"


def answer(text: AsyncIterator[str]) -> StreamingResponse:
    """The response that nobody on the way keeps or waits to fill."""
    return StreamingResponse(
        text,
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
