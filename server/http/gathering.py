"""Send what one turn of the event loop says in one piece: each piece costs a call of the system, here and there."""

from __future__ import annotations

import asyncio
from typing import Final

MOST: Final = 64 << 10
"""Bytes that are held back."""


class Gathering(asyncio.Transport):
    """A transport, as far as uvicorn uses one, in front of the connection's own."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []
        self._size = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send it before the loop waits for anything else."""
        if not self._parts:
            self._loop.call_soon(self._send)
        self._parts.append(bytes(data))
        self._size += len(data)
        if self._size >= MOST:
            self._send()

    def close(self) -> None:
        """Send what was written, and hang up."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Hang up at once."""
        self._forget()
        self._transport.abort()

    def is_closing(self) -> bool:
        """Whether it is hung up, or about to be."""
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        """Let what comes wait."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take again what comes."""
        self._transport.resume_reading()

    def _send(self) -> None:
        if self._parts:
            data = b"".join(self._parts)
            self._forget()
            self._transport.write(data)

    def _forget(self) -> None:
        self._parts.clear()
        self._size = 0
