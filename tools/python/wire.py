"""The two ways out of a kernel: the channel of messages, and what is printed.

What comes out of the sandbox is bytes and JSON of a bounded size, and is believed in nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections.abc import Callable
from typing import Any

LENGTH = struct.Struct(">I")
MOST_BYTES = 1 << 20
"""Of one message out of the sandbox."""
MOST_BYTES_PER_CELL = 16 << 20
PIECE = 1 << 16
IN_A_ROW = 50
"""Messages of one session that are looked at before the others' turn."""
FLOOD = 16
"""A cell that prints this many times more than is kept is ended."""


class EndedError(Exception):
    """The sandbox went away, or broke its protocol (`broken`) and must not be listened to further."""

    def __init__(self, *, broken: bool = False) -> None:
        super().__init__()
        self.broken = broken


class FloodError(Exception):
    """The cell printed far more than is kept."""


class Ear:
    """Hears a descriptor in the event loop, between `open` and `pause`.

    Nobody is told of a pause but the loop's next event, for nearly always there is none until the next
    cell: that spares the machine four calls in each.
    """

    def __init__(self, fd: int, hear: Callable[[], object]) -> None:
        self._fd, self._hear = fd, hear
        self._loop = asyncio.get_running_loop()
        self._is_open = self._is_known = False

    def open(self) -> None:
        """Hear whatever comes, and what has come already."""
        self._is_open = True
        if not self._is_known:
            self._is_known = True
            self._loop.add_reader(self._fd, self._come)

    def pause(self) -> None:
        """Leave what comes where it is."""
        self._is_open = False

    def close(self) -> None:
        """Hear nothing more. Idempotent; to be called before the descriptor is closed."""
        self._is_open = False
        if self._is_known:
            self._is_known = False
            self._loop.remove_reader(self._fd)

    def _come(self) -> None:
        if self._is_open:
            self._hear()
        else:
            self.close()


class Channel:
    """Messages with a kernel."""

    def __init__(self, ours: socket.socket, output: Output) -> None:
        self._socket = ours
        self._output = output
        self._output.on_flood = lambda: self._wake(FloodError())
        self._loop = asyncio.get_running_loop()
        self._ear = Ear(ours.fileno(), self._read)
        self._buffer = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._ended: EndedError | None = None
        self._room = MOST_BYTES_PER_CELL
        self._in_a_row = 0

    def begin(self) -> None:
        """A new cell, which may say as much as every other."""
        self._room = MOST_BYTES_PER_CELL
        self.open()

    def open(self) -> None:
        """Begin to listen."""
        if not self._ended:
            self._ear.open()

    def pause(self) -> None:
        """Hear nothing until the next cell: what is said goes no further than the socket."""
        self._ear.pause()

    async def send(self, message: dict[str, Any], payload: bytes = b"") -> None:
        raw = json.dumps(message).encode()
        try:
            await self._loop.sock_sendall(self._socket, LENGTH.pack(len(raw)) + raw)
            if payload:
                await self._loop.sock_sendall(self._socket, payload)
        except OSError as exc:
            raise EndedError() from exc

    async def receive(self) -> dict[str, Any]:
        """The next message. Raises EndedError, and FloodError as soon as too much is printed."""
        while (message := self._next()) is None:
            if self._output.is_flooded:
                raise FloodError()
            if self._ended:
                raise self._ended
            self._waiting = self._loop.create_future()
            await self._waiting
            self._in_a_row = 0
        self._in_a_row += 1
        if self._in_a_row > IN_A_ROW:
            self._in_a_row = 0
            await asyncio.sleep(0)
        return message

    def close(self) -> None:
        self._stop(EndedError())
        self._wake()
        self._socket.close()

    def _next(self) -> dict[str, Any] | None:
        """A whole message of the buffer; anything malformed ends the session."""
        if len(self._buffer) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(self._buffer)
        if length > MOST_BYTES:
            raise self._stop(EndedError(broken=True))
        end = LENGTH.size + length
        if len(self._buffer) < end:
            return None
        try:
            message = json.loads(self._buffer[LENGTH.size : end])
        except (ValueError, RecursionError):
            message = None
        del self._buffer[:end]
        if not isinstance(message, dict) or not isinstance(message.get("op"), str):
            raise self._stop(EndedError(broken=True))
        return message

    def _read(self) -> None:
        try:
            part = self._socket.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        self._buffer += part
        self._room -= len(part)
        if not part:
            self._stop(EndedError())
        elif self._room < 0:  # no cell has that much to say
            self._buffer.clear()
            self._stop(EndedError(broken=True))
        self._wake()

    def _stop(self, ended: EndedError) -> EndedError:
        self._ended = self._ended or ended
        self._ear.close()
        return self._ended

    def _wake(self, error: Exception | None = None) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting and not waiting.done():
            if error:
                waiting.set_exception(error)
            else:
                waiting.set_result(None)


class Output:
    """What the kernel prints: kept up to a cap, counted beyond it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._is_closed = False
        os.set_blocking(fd, False)
        self._ear = Ear(fd, self._read)
        self.on_flood: Callable[[], None] = lambda: None
        self.begin(MOST_BYTES)

    def begin(self, keep: int) -> None:
        """A new cell: what was printed before belongs to nobody."""
        self._reset(PIECE)
        self.drain()  # it is at rest, and a pipe holds less than would be a flood
        self._reset(keep)
        if not self._is_closed:
            self._ear.open()

    def pause(self) -> None:
        """Take nothing until the next cell begins: a pipe that is full is no work for us."""
        self._ear.pause()

    def _reset(self, keep: int) -> None:
        self._kept: list[bytes] = []
        self._keep = keep
        self.total = 0
        self.is_flooded = False

    @property
    def text(self) -> str:
        return b"".join(self._kept)[: self._keep].decode("utf-8", "replace")

    def drain(self) -> None:
        """Take what is in the pipe already."""
        while not self.is_flooded and self._read():
            pass

    def _read(self) -> bool:
        if self._is_closed:
            return False
        try:
            part = os.read(self._fd, PIECE)
        except BlockingIOError:
            return False
        if not part:
            self._ear.close()
            return False
        if self.total < self._keep:
            self._kept.append(part)
        self.total += len(part)
        if self.total > self._keep * FLOOD and not self.is_flooded:
            self.is_flooded = True
            self.on_flood()
        return True

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True  # the number may be another's at once
            self._ear.close()
            os.close(self._fd)
