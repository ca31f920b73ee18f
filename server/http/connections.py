"""A connection whose other end takes its time: nobody holds one without asking something or listening."""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from server.http.gathering import Gathering

HEAD_S: Final = 20.0
"""From the first moment of a connection, or of its next request, to the end of the request's headers."""
TAKE_S: Final = 60.0
"""So long what was sent may wait to be taken."""


class Connection(H11Protocol):
    """Uvicorn's, which by itself waits without end for a request, and for whoever does not read.

    A worker has so many connections and no more: a stranger who opens all of them and says nothing
    would keep every agent out.
    """

    head_s, take_s = HEAD_S, TAKE_S
    _asking: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """It has begun."""
        super().connection_made(transport)
        self.transport = Gathering(transport, self.loop)
        self._asking = self.loop.call_later(self.head_s, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Some of a request has come."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_asking()  # for its body the gate has a time of its own
        elif self._asking is None:
            self._asking = self.loop.call_later(self.head_s, self.transport.abort)

    def pause_writing(self) -> None:
        """More waits to be taken than there should."""
        super().pause_writing()
        self._taking = self.loop.call_later(self.take_s, self.transport.abort)

    def resume_writing(self) -> None:
        """It was taken."""
        super().resume_writing()
        self._stop_taking()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_asking()
        self._stop_taking()
        super().connection_lost(exc)

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _stop_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None
