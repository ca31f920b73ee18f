"""Messages between a pool and its workers: a JSON head and bytes behind it, both of bounded size."""

from __future__ import annotations

import asyncio
import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from typing import Any, cast

SIZES = struct.Struct(">II")
MOST_HEAD = 4 << 20
"""Bytes. A query has 50,000 characters at most, an error or the fields of a reply far less."""
PIECE = 1 << 16


def pack(head: Mapping[str, Any], body: bytes = b"") -> bytes:
    """A message but for its body, which is sent behind it."""
    raw = json.dumps(head).encode()
    return SIZES.pack(len(raw), len(body)) + raw


class BrokenError(Exception):
    """The other end does not keep to the protocol; it must not be listened to further."""


class Inbox:
    """Puts messages together out of whatever pieces they come in."""

    def __init__(self, most_body: int) -> None:
        self._most_body = most_body
        self._buffer = bytearray()
        self._needed = SIZES.size

    def add(self, piece: bytes) -> None:
        """What has come in."""
        self._buffer += piece

    def take(self) -> tuple[dict[str, Any], bytes] | None:
        """The next whole message; None as long as there is none. Raises BrokenError."""
        if len(self._buffer) < self._needed:
            return None
        head_bytes, body_bytes = SIZES.unpack_from(self._buffer)
        if head_bytes > MOST_HEAD or body_bytes > self._most_body:
            raise BrokenError(f"a message of {head_bytes} + {body_bytes} bytes")
        start, end = SIZES.size + head_bytes, SIZES.size + head_bytes + body_bytes
        if len(self._buffer) < end:
            self._needed = end
            return None
        try:
            # As text: from bytes json would first guess at the encoding.
            head = json.loads(self._buffer[SIZES.size : start].decode())
        except (ValueError, RecursionError) as exc:
            raise BrokenError("a head that is no JSON") from exc
        if not isinstance(head, dict):
            raise BrokenError("a head that is no object")
        with memoryview(self._buffer) as view:
            body = bytes(view[start:end])
        del self._buffer[:end]
        self._needed = SIZES.size
        return head, body


class Channel:
    """A worker's end: blocking. One thread at a time may read; any may send."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._inbox = Inbox(0)
        self._sending = threading.Lock()

    def receive(self, wait_s: float | None = None) -> dict[str, Any] | None:
        """The next message's head; None where none has come in time. Raises EOFError at the end."""
        while (message := self._inbox.take()) is None:
            if wait_s is not None and not select.select([self._socket], [], [], wait_s)[0]:
                return None
            piece = self._socket.recv(PIECE)
            if not piece:
                raise EOFError
            self._inbox.add(piece)
        return message[0]

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def send(self, head: Mapping[str, Any], body: bytes = b"") -> None:
        """Send a message; blocks until it is on its way.

        Raises BrokenError, and sends nothing, where the other end would not take such a head.
        """
        packed = pack(head, body)
        if len(packed) > SIZES.size + MOST_HEAD:
            raise BrokenError(f"a head of {len(packed)} bytes")
        with self._sending:
            if len(body) < PIECE:
                self._socket.sendall(packed + body)
            else:
                self._socket.sendall(packed)
                self._socket.sendall(body)


class Wire(asyncio.Protocol):
    """The pool's end. `heard` is told of every message, `ended` once, when there will be no more."""

    def __init__(
        self,
        most_body: int,
        heard: Callable[[dict[str, Any], bytes], None],
        ended: Callable[[], None],
    ) -> None:
        self._inbox = Inbox(most_body)
        self._heard, self._ended = heard, ended
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: the socket is ours."""
        # Not every event loop's transport is an asyncio.Transport; each does what one does.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """asyncio: something has come in."""
        self._inbox.add(data)
        try:
            while (message := self._inbox.take()) is not None:
                self._heard(*message)
        except BrokenError:
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: the other end is gone, or `close` was called."""
        self._ended()

    def send(self, head: Mapping[str, Any]) -> None:
        """Send a message; to one that is gone it is lost."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(pack(head))

    def close(self) -> None:
        """Listen no more."""
        if self._transport is not None:
            self._transport.abort()
