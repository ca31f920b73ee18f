"""Messages over a stream: each its number, JSON of a bounded size, and bytes of a bounded size.

Twelve bytes come first: number, size of the JSON, size of the bytes behind it. The number stands
outside the JSON, so that a message whose JSON is broken can still be answered.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

_HEAD: Final = struct.Struct(">III")
MOST_NUMBER: Final = (1 << 32) - 1
MOST_JSON: Final = 4 << 20
"""Bytes of a message's JSON. The longest call and the longest reply are far shorter."""
MOST_BYTES: Final = 32 << 20
"""Of what comes behind it: pictures."""


@dataclass(frozen=True)
class Bounds:
    """How large a message may be, in bytes."""

    json: int = MOST_JSON
    payload: int = MOST_BYTES


FROM_HOST: Final = Bounds()
TO_HOST: Final = Bounds(payload=0)


# One encoder for all: json.dumps with these arguments makes a new one each time.
_as_json: Final = json.JSONEncoder(separators=(",", ":")).encode


class FrameError(Exception):
    """What came is no message, and nothing that follows on this stream can be believed."""


class JsonError(Exception):
    """A message came whole, but its JSON cannot be read; the stream is sound."""

    def __init__(self, number: int) -> None:
        super().__init__(f"message {number} is no JSON object")
        self.number = number


@dataclass(frozen=True)
class Frame:
    """One message."""

    number: int
    message: dict[str, Any]
    payload: bytes = b""


def encode(number: int, message: Mapping[str, Any], payload: bytes = b"") -> bytes:
    """The message as bytes. Raises ValueError, TypeError, RecursionError for what JSON cannot say,
    ValueError for what is larger than any reader takes."""
    raw = _as_json(message).encode()
    if len(raw) > MOST_JSON or len(payload) > MOST_BYTES:
        raise ValueError(f"a message of {len(raw)} + {len(payload)} bytes is too large")
    return b"".join((_HEAD.pack(number, len(raw), len(payload)), raw, payload))


class Inbox:
    """Puts messages together out of whatever pieces they come in."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._buffer = bytearray()
        self._needed = _HEAD.size

    @property
    def is_empty(self) -> bool:
        """False where a message has begun to come."""
        return not self._buffer

    def add(self, piece: bytes) -> None:
        """What has come in."""
        self._buffer += piece

    def take(self) -> Frame | None:
        """The next whole message; None as long as there is none.

        Raises FrameError for one that is too large, as soon as it says so; JsonError, and the next ones
        can be taken.
        """
        if len(self._buffer) < self._needed:
            return None
        number, size, behind = _HEAD.unpack_from(self._buffer)
        if size > self._bounds.json or behind > self._bounds.payload:
            raise FrameError(f"a message of {size} + {behind} bytes is too large")
        start, end = _HEAD.size + size, _HEAD.size + size + behind
        if len(self._buffer) < end:
            self._needed = end
            return None
        raw, payload = self._buffer[_HEAD.size : start], bytes(self._buffer[start:end])
        del self._buffer[:end]
        self._needed = _HEAD.size
        try:
            message = json.loads(raw.decode())  # from bytes json would first guess at the encoding
        except (ValueError, RecursionError) as exc:
            raise JsonError(number) from exc
        if not isinstance(message, dict):
            raise JsonError(number)
        return Frame(number, message, payload)


class Wire(asyncio.Protocol):
    """One end of a connection: tells of each message, of what is none, and once of the end."""

    def __init__(self, bounds: Bounds) -> None:
        self._inbox = Inbox(bounds)
        self._transport: asyncio.Transport | None = None
        self.is_over = False
        """Whether nothing is said or heard any more."""

    def heard(self, frame: Frame) -> None:
        """A message has come."""

    def garbled(self, number: int) -> None:
        """A message has come whose JSON cannot be read; where nothing else is done, it is the last."""
        self.close()

    def ended(self, fault: FrameError | None) -> None:
        """It is over; `fault` where the other end does not speak as it should."""

    def say(self, number: int, message: Mapping[str, Any], payload: bytes = b"") -> None:
        """Send a message; where it is over, it is lost. Raises what `encode` raises."""
        raw = encode(number, message, payload)
        if self._transport is not None and not self.is_over:
            self._transport.write(raw)

    def close(self, fault: FrameError | None = None) -> None:
        """Hang up. What was said before is still sent. Idempotent."""
        self._finish(fault)
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio: somebody is there."""
        # Not every event loop's transport is an asyncio.Transport; each does what one does.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """asyncio: something has come."""
        self._inbox.add(data)
        while not self.is_over:
            try:
                frame = self._inbox.take()
            except JsonError as exc:
                self.garbled(exc.number)
            except FrameError as exc:
                self.close(exc)
            else:
                if frame is None:
                    return
                self.heard(frame)

    def eof_received(self) -> None:
        """asyncio: the other end says nothing more; the transport closes itself."""
        cut = not self._inbox.is_empty
        self._finish(FrameError("the stream ended inside a message") if cut else None)

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio: nobody is there any more."""
        self._finish(None)

    def _finish(self, fault: FrameError | None) -> None:
        if not self.is_over:
            self.is_over = True
            self.ended(fault)
