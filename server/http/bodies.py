"""Read a request's body whole before anybody looks at it: bounded in bytes and in time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope

BODY_S: Final = 30.0
DRAINED_BYTES: Final = 16 << 20
"""Of a body that is too long so much is read and thrown away: whoever still sends may not hear us."""


class TooLongError(Exception):
    """The body has more bytes than it may."""


class TooSlowError(Exception):
    """The body did not come in time."""


async def whole_body(scope: Scope, receive: Receive, most: int) -> Receive:
    """What to receive instead: the whole body at once, then whatever comes.

    Raises TooLongError, whether or not its length was told before, and TooSlowError.
    """
    told = {name: value for name, value in scope["headers"] if name in _LENGTHS}
    if not told:
        return receive
    try:
        async with asyncio.timeout(BODY_S):
            return replay(await _read(receive, most), receive)
    except TimeoutError:
        raise TooSlowError from None


_LENGTHS: Final = frozenset({b"content-length", b"transfer-encoding"})


async def _read(receive: Receive, most: int) -> Message:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        size += len(message.get("body", b""))
        if size <= most:
            parts.append(message.get("body", b""))
        if not message.get("more_body", False) or size > DRAINED_BYTES:
            break
    if size > most:
        raise TooLongError
    return {"type": "http.request", "body": b"".join(parts), "more_body": False}


def replay(first: Message, receive: Receive) -> Receive:
    """Receive, with a message that was taken already in front."""
    waiting = [first]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
