"""One connection to the tool host: requests side by side, each answered by its number."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from core.errors import ToolError
from tools.host import frames
from tools.host.messages import Failure

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class LostError(Exception):
    """The connection ended before the answer came."""


class Reach(Protocol):
    """A way to the host: of the process that started it, or of one that was told the socket."""

    async def connect(self) -> Streams:
        """A connection. Raises ToolError `unavailable` where there is no host and will be none."""
        ...


class SocketReach:
    """Reaches a host that somebody else keeps running."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def connect(self) -> Streams:
        """A connection. Raises ToolError `unavailable` where nobody listens."""
        try:
            return await asyncio.open_unix_connection(self._path)
        except OSError as exc:
            raise ToolError(
                f"the tool host does not listen: {exc.strerror}", kind="unavailable"
            ) from exc


class Link:
    """A connection in use."""

    def __init__(self, streams: Streams) -> None:
        self._reader, self._writer = streams
        self._waiting: dict[int, asyncio.Future[frames.Frame]] = {}
        self._last = 0
        self._listening = asyncio.create_task(self._listen())

    @property
    def is_lost(self) -> bool:
        """Whether no answer will come any more."""
        return self._listening.done()

    async def ask(self, message: Mapping[str, Any]) -> frames.Frame:
        """Send a request and wait for its answer. Whoever goes away stops the work in the host.

        Raises LostError, the error that the host answers with, and ValueError, TypeError or
        RecursionError for a message that JSON cannot say.
        """
        number = self._next()
        raw = frames.encode(number, message)
        answer: asyncio.Future[frames.Frame] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            if self.is_lost:
                raise LostError
            self._writer.write(raw)
            await self._writer.drain()
            frame = await answer
        except asyncio.CancelledError:
            self._writer.write(frames.encode(self._next(), {"op": "cancel", "number": number}))
            raise
        except ConnectionError as exc:
            raise LostError from exc
        finally:
            del self._waiting[number]
        if failure := frame.message.get("failure"):
            raise Failure.model_validate(failure).error()
        return frame

    def close(self) -> None:
        """Hang up."""
        self._listening.cancel()
        self._writer.close()

    def _next(self) -> int:
        self._last = self._last % frames.MOST_NUMBER + 1
        return self._last

    async def _listen(self) -> None:
        try:
            while frame := await frames.read(self._reader, frames.FROM_HOST):
                waiting = self._waiting.get(frame.number)
                if waiting is not None and not waiting.done():
                    waiting.set_result(frame)
        except (frames.FrameError, frames.JsonError):
            pass  # as good as a lost connection
        finally:
            self._writer.close()
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(LostError())
