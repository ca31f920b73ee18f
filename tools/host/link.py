"""One connection to the tool host: requests side by side, each answered by its number."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from core.errors import ToolError
from tools.host import frames
from tools.host.messages import Failure


class LostError(Exception):
    """The connection ended before the answer came."""


class Link(frames.Wire):
    """A connection in use."""

    def __init__(self) -> None:
        super().__init__(frames.FROM_HOST)
        self._waiting: dict[int, asyncio.Future[frames.Frame]] = {}
        self._last = 0

    @classmethod
    async def to(cls, path: Path) -> Link:
        """Connect to the socket at this path. Raises OSError where nobody listens."""
        _, link = await asyncio.get_running_loop().create_unix_connection(cls, str(path))
        return link

    async def ask(self, message: Mapping[str, Any]) -> frames.Frame:
        """Send a request and wait for its answer. Whoever goes away stops the work in the host.

        Raises LostError, the error that the host answers with, and ValueError, TypeError or
        RecursionError for a message that JSON cannot say.
        """
        number = self._next()
        self.say(number, message)
        if self.is_over:
            raise LostError
        answer: asyncio.Future[frames.Frame] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            frame = await answer
        except asyncio.CancelledError:
            self.say(self._next(), {"op": "cancel", "number": number})
            raise
        finally:
            del self._waiting[number]
        if failure := frame.message.get("failure"):
            raise Failure.model_validate(failure).error()
        return frame

    def heard(self, frame: frames.Frame) -> None:
        """An answer has come."""
        waiting = self._waiting.get(frame.number)
        if waiting is not None and not waiting.done():
            waiting.set_result(frame)

    def ended(self, fault: frames.FrameError | None) -> None:
        """No answer will come any more."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(LostError())

    def _next(self) -> int:
        self._last = self._last % frames.MOST_NUMBER + 1
        return self._last


class Reach(Protocol):
    """A way to the host: of the process that started it, or of one that was told the socket."""

    async def connect(self) -> Link:
        """A connection. Raises ToolError `unavailable` where there is no host and will be none."""
        ...


class SocketReach:
    """Reaches a host that somebody else keeps running."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def connect(self) -> Link:
        """A connection. Raises ToolError `unavailable` where nobody listens."""
        try:
            return await Link.to(self._path)
        except OSError as exc:
            raise ToolError(
                f"the tool host does not listen: {exc.strerror}", kind="unavailable"
            ) from exc
