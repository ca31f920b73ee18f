"""One message over a stream: its number, JSON of a bounded size, and bytes of a bounded size.

Twelve bytes come first: number, size of the JSON, size of the bytes behind it. The number stands
outside the JSON, so that a message whose JSON is broken can still be answered.
"""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

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


async def read(reader: asyncio.StreamReader, bounds: Bounds) -> Frame | None:
    """The next message; None at the stream's end. Raises FrameError or JsonError."""
    try:
        head = await reader.readexactly(_HEAD.size)
        number, size, behind = _HEAD.unpack(head)
        if size > bounds.json or behind > bounds.payload:
            raise FrameError(f"a message of {size} + {behind} bytes is too large")
        raw = await reader.readexactly(size)
        payload = await reader.readexactly(behind)
    except asyncio.IncompleteReadError as exc:
        if exc.partial:
            raise FrameError("the stream ended inside a message") from exc
        return None
    except ConnectionError:
        return None
    try:
        message = json.loads(raw)
    except (ValueError, RecursionError) as exc:
        raise JsonError(number) from exc
    if not isinstance(message, dict):
        raise JsonError(number)
    return Frame(number, message, payload)
