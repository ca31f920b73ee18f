"""Answer those who are connected: requests side by side, each client shut off from the others' faults."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import Any, Final

from pydantic import ValidationError

from core.errors import DdrError, ToolError
from tools.host import frames
from tools.host.messages import (
    SESSION_GONE,
    Health,
    Opened,
    Opening,
    failure,
    pack,
)
from tools.host.sessions import Session, SessionBook

_LOG = logging.getLogger(__name__)

MOST_REQUESTS = 64
"""Of one connection at a time."""
HANG_UP_S = 1.0
OUTLIVES: Final = frozenset({"execute_code"})
"""Tools whose call goes on when its client is gone: to end it would end the session's variables."""
_PEER = struct.Struct("3i")

Reply = tuple[dict[str, Any], bytes]


class Service:
    """The operations of the tool host over a stream."""

    def __init__(self, book: SessionBook) -> None:
        self._book = book
        self._connections: set[_Connection] = set()

    def meet(self) -> asyncio.Protocol:
        """One more connection, served to its end. Other users of the machine are turned away."""
        return _Connection(self._book, self.health, self._connections)

    def health(self) -> Health:
        """How the host is."""
        return Health(
            pid=os.getpid(),
            sessions=len(self._book),
            calls=self._book.calls,
            connections=len(self._connections),
        )

    async def hang_up(self) -> None:
        """End every connection."""
        ending = [connection.gone for connection in self._connections]
        for connection in list(self._connections):
            connection.close()
        if ending:
            await asyncio.wait(ending, timeout=HANG_UP_S)


def _peer(transport: asyncio.BaseTransport) -> int:
    """The user at the other end of the socket, as the kernel tells it."""
    end = transport.get_extra_info("socket")
    uid: int
    _, uid, _ = _PEER.unpack(end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return uid


class _Connection(frames.Wire):
    """One client. Its faults end its own connection and nothing else."""

    def __init__(
        self, book: SessionBook, health: Callable[[], Health], connections: set[_Connection]
    ) -> None:
        super().__init__(frames.TO_HOST)
        self._book, self._health, self._connections = book, health, connections
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sessions: dict[str, Session] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._lasting: set[int] = set()
        self._operations: dict[str, Callable[[dict[str, Any]], Awaitable[Reply]]] = {
            "open": self._open,
            "call": self._call,
            "close": self._close,
            "health": self._tell,
        }

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._connections.add(self)
        if _peer(transport) != os.geteuid():
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.gone.set_result(None)

    # Whoever does not read its answers is not listened to: what waits for it stays bounded.

    def pause_writing(self) -> None:
        assert self._transport is not None
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        assert self._transport is not None
        self._transport.resume_reading()

    def heard(self, frame: frames.Frame) -> None:
        if frame.message.get("op") == "cancel":
            self._cancel(frame.message.get("number"))
        elif frame.number in self._tasks or len(self._tasks) >= MOST_REQUESTS:
            said = f"at most {MOST_REQUESTS} requests at a time, each with a number of its own"
            self._fail(frame.number, ToolError(said, kind="refused"))
        else:
            task = asyncio.create_task(self._answer(frame))
            self._tasks[frame.number] = task
            if str(frame.message.get("name")) in OUTLIVES:
                self._lasting.add(frame.number)
            task.add_done_callback(lambda _: self._done(frame.number))

    def garbled(self, number: int) -> None:
        self._fail(number, ToolError("the message is no JSON object", kind="refused"))

    def ended(self, fault: frames.FrameError | None) -> None:
        if fault is not None:
            _LOG.warning("a client was cut off: %s", fault)
        self._connections.discard(self)
        for number, task in list(self._tasks.items()):
            if number not in self._lasting:
                task.cancel()
        for session in self._sessions.values():
            self._book.leave(session, self)

    def _done(self, number: int) -> None:
        self._tasks.pop(number, None)
        self._lasting.discard(number)

    def _cancel(self, number: object) -> None:
        if isinstance(number, int) and number in self._tasks:
            self._tasks[number].cancel()

    async def _answer(self, frame: frames.Frame) -> None:
        try:
            reply, payload = await self._do(frame.message)
            self.say(frame.number, reply, payload)
        except DdrError as exc:
            self._fail(frame.number, exc)
        except Exception:  # noqa: BLE001 - our own fault must not end the host
            _LOG.exception("a request failed")
            told = ToolError("an internal fault of the tool host", kind="internal")
            self._fail(frame.number, told)

    async def _do(self, message: dict[str, Any]) -> Reply:
        operation = self._operations.get(str(message.get("op")))
        if operation is None:
            raise ToolError(f"no such operation: {message.get('op')!r:.100}", kind="refused")
        return await operation(message)

    async def _open(self, message: dict[str, Any]) -> Reply:
        try:
            opening = Opening.model_validate(message.get("opening"))
        except ValidationError as exc:
            # Its text would repeat the input, a password among it.
            raise ToolError(f"{exc.error_count()} faults in the opening", kind="refused") from None
        session, created = await self._book.open(opening, self)
        self._sessions[opening.key] = session
        specs = await session.tools.list()
        opened = Opened(created=created, specs=tuple(specs), sandbox=session.tools.sandbox_state)
        return {"opened": opened.model_dump(mode="json")}, b""

    async def _call(self, message: dict[str, Any]) -> Reply:
        name, arguments = message.get("name"), message.get("arguments")
        if not isinstance(name, str) or not isinstance(arguments, dict):
            raise ToolError("a call needs a name and arguments", kind="refused")
        with self._book.call(self._named(message)) as tools:
            seen, pictures = pack(await tools.tell(name, arguments), in_text=True)
        return {"seen": seen}, pictures

    async def _close(self, message: dict[str, Any]) -> Reply:
        session = self._named(message)
        await self._book.close(session)
        self._sessions.pop(session.opening.key, None)
        return {"closed": True}, b""

    async def _tell(self, message: dict[str, Any]) -> Reply:
        return {"health": self._health().model_dump()}, b""

    def _named(self, message: dict[str, Any]) -> Session:
        """A session that this client has opened: a key alone opens nothing."""
        session = self._sessions.get(str(message.get("key")))
        if session is None or session.closed:
            raise ToolError("there is no session of this key; open it", kind=SESSION_GONE)
        return session

    def _fail(self, number: int, exc: DdrError) -> None:
        self.say(number, {"failure": failure(exc).model_dump()})
