"""A live kernel and its two ways out: the channel of messages, and what is printed.

What comes out of the sandbox is bytes and JSON of a bounded size, and is believed in nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.errors import SandboxError
from tools.python.bounds import Bounds
from tools.python.memory import MemoryGroup, memory_groups
from tools.python.process import KernelProcess
from tools.python.zygote import START_S, Zygote, ZygoteGoneError, running_zygote, start_zygote
from tools.threads import in_thread

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


@dataclass
class LiveSession:
    """A kernel of the zygote's."""

    zygote: Zygote
    process: KernelProcess
    channel: Channel
    output: Output
    bounds: Bounds
    group: MemoryGroup | None
    """What counts its memory, where the machine has such a thing."""

    @classmethod
    async def start(cls, bounds: Bounds, house: str) -> LiveSession:
        """Have one forked, by a new zygote where the one at hand has ended. Raises SandboxError."""
        try:
            return await cls._start(bounds, house)
        except ZygoteGoneError:
            return await cls._start(bounds, house)

    @classmethod
    async def _start(cls, bounds: Bounds, house: str) -> LiveSession:
        zygote = running_zygote(house)
        if zygote is None:
            zygote = await in_thread(lambda: start_zygote(house), name="zygote-start")
        ours, theirs = socket.socketpair()
        output_r, output_w = os.pipe()
        output = Output(output_r)
        channel = Channel(ours, output)
        process: KernelProcess | None = None
        group: MemoryGroup | None = None
        try:
            with theirs:
                try:
                    ended = zygote.fork(bounds, theirs, output_w)
                finally:
                    os.close(output_w)
            async with asyncio.timeout(START_S):
                handle = await _introduction(ours)
                process = KernelProcess(handle, ended, grouped=house == "unsafe-none")
                channel.open()
                group = await _counted(process.pid, bounds)
                message = await channel.receive()
            if message["op"] != "ready":
                raise EndedError(broken=True)
        except BaseException as exc:
            output.drain()
            said = output.text.strip()[-600:] or "it gave no reason"
            if process:
                process.kill()
                process.close()
            if group:
                group.close()
            channel.close()
            output.close()
            if isinstance(exc, (TimeoutError, EndedError)):
                raise SandboxError(f"the Python sandbox did not start: {said}") from None
            raise
        return cls(zygote, process, channel, output, bounds, group)

    def begin(self, keep: int) -> None:
        """Listen for a cell, and keep so many bytes of what it prints."""
        self.output.begin(keep)
        self.channel.begin()

    def pause(self) -> None:
        """Stop it, and hear nothing of it until the next cell begins."""
        self.process.pause()
        self.output.pause()
        self.channel.pause()

    async def close(self) -> None:
        """End it, and come back when nothing of it is left."""
        self.process.kill()
        self.channel.close()
        self.output.close()
        await self.process.wait()
        self.process.close()
        if self.group:
            self.group.close()


async def _counted(pid: int, bounds: Bounds) -> MemoryGroup | None:
    """All that the kernel starts under one bound, where the machine has such a thing."""
    groups = memory_groups()
    if groups is None:
        return None
    most_mb = bounds.memory_mb + bounds.tmp_mb + bounds.shared_mb
    # Moving a process takes the machine some milliseconds.
    return await in_thread(lambda: groups.hold(pid, most_mb), name="memory-group")


async def _introduction(ours: socket.socket) -> int:
    """The handle that a kernel hands over before anybody else's code runs in it."""
    ours.setblocking(False)
    loop = asyncio.get_running_loop()
    there = asyncio.Event()
    loop.add_reader(ours.fileno(), there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(ours.fileno())
    _, handles, _, _ = socket.recv_fds(ours, 1, 1)
    if not handles:
        raise EndedError()
    return handles[0]


class Channel:
    """Messages with a kernel."""

    def __init__(self, ours: socket.socket, output: Output) -> None:
        self._socket = ours
        self._output = output
        self._output.on_flood = lambda: self._wake(FloodError())
        self._loop = asyncio.get_running_loop()
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
            self._loop.add_reader(self._socket.fileno(), self._read)

    def pause(self) -> None:
        """Hear nothing until the next cell: what is said goes no further than the socket."""
        if not self._ended:
            self._loop.remove_reader(self._socket.fileno())

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
        if self._socket.fileno() >= 0:
            self._loop.remove_reader(self._socket.fileno())
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
        self._loop = asyncio.get_running_loop()
        self.on_flood: Callable[[], None] = lambda: None
        self.begin(MOST_BYTES)

    def begin(self, keep: int) -> None:
        """A new cell: what was printed before belongs to nobody."""
        self._reset(PIECE)
        self.drain()  # it is at rest, and a pipe holds less than would be a flood
        self._reset(keep)
        if not self._is_closed:
            self._loop.add_reader(self._fd, self._read)

    def pause(self) -> None:
        """Take nothing until the next cell begins: a pipe that is full is no work for us."""
        if not self._is_closed:
            self._loop.remove_reader(self._fd)

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
            self._loop.remove_reader(self._fd)
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
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
