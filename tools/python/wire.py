"""A started sandbox and its two ways out: the channel of messages, and what is printed.

What comes out of the sandbox is bytes and JSON of a bounded size, and is believed in nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import struct
from typing import Any

from core.errors import SandboxError
from tools.deadline import in_thread
from tools.walls.bwrap import Sizes
from tools.walls.process import SandboxProcess
from tools.walls.runtime import precompile

START_S = 30.0
LENGTH = struct.Struct(">I")
MOST_BYTES = 1 << 20
"""Of one message out of the sandbox."""
FLOOD = 16
"""A cell that prints this many times more than is kept is ended."""


class EndedError(Exception):
    """The sandbox went away, or broke its protocol (`broken`) and must not be listened to further."""

    def __init__(self, *, broken: bool = False) -> None:
        super().__init__()
        self.broken = broken


class LiveSession:
    """A started sandbox with its two ways out: the channel and what is printed."""

    def __init__(self, process: SandboxProcess, channel: socket.socket) -> None:
        self.process = process
        self.channel = channel
        self.output = Output(process.output_fd)

    @classmethod
    async def start(cls, sizes: Sizes, memory_mb: int) -> LiveSession:
        await in_thread(precompile, name="sandbox-runtime")
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        limits = {
            "memory_mb": memory_mb,
            "cpu_s": sizes.cpu_s,
            "processes": sizes.processes,
            "file_mb": sizes.tmp_mb,
            "files": sizes.files,
        }
        inside = ["/kernel.py", str(theirs.fileno()), json.dumps(limits)]
        try:
            with theirs:
                process = SandboxProcess(inside, sizes, theirs)
        except BaseException:
            ours.close()
            raise
        live = cls(process, ours)
        try:
            async with asyncio.timeout(START_S):
                await in_thread(process.locate, name="sandbox-start")
                message = await live.receive()
        except (TimeoutError, EndedError):
            live.output.drain()
            live.close()
            said = live.output.text.strip()[-600:] or "it gave no reason"
            raise SandboxError(f"the Python sandbox did not start: {said}") from None
        except BaseException:
            live.close()
            raise
        assert message["op"] == "ready"
        return live

    async def send(self, message: dict[str, Any], payload: bytes = b"") -> None:
        raw = json.dumps(message).encode()
        loop = asyncio.get_running_loop()
        try:
            await loop.sock_sendall(self.channel, LENGTH.pack(len(raw)) + raw)
            await loop.sock_sendall(self.channel, payload)
        except OSError as exc:
            raise EndedError() from exc

    async def receive(self) -> dict[str, Any]:
        """The next message; anything malformed ends the session."""
        (length,) = LENGTH.unpack(await self._exactly(LENGTH.size))
        if length > MOST_BYTES:
            raise EndedError(broken=True)
        try:
            message = json.loads(await self._exactly(length))
        except (ValueError, RecursionError) as exc:
            raise EndedError(broken=True) from exc
        if not isinstance(message, dict) or not isinstance(message.get("op"), str):
            raise EndedError(broken=True)
        return message

    async def _exactly(self, count: int) -> bytes:
        loop = asyncio.get_running_loop()
        parts: list[bytes] = []
        while count:
            try:
                part = await loop.sock_recv(self.channel, min(count, 65536))
            except OSError as exc:
                raise EndedError() from exc
            if not part:
                raise EndedError()
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """End it; the process may be waited for afterwards."""
        self.process.kill()
        self.output.close()
        self.channel.close()


class Output:
    """What the sandbox prints: kept up to a cap, counted beyond it."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        os.set_blocking(fd, False)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(fd, self._read)
        self.begin(MOST_BYTES)

    def begin(self, keep: int) -> None:
        """A new cell: what was printed before belongs to nobody."""
        self._kept: list[bytes] = []
        self._keep = keep
        self.total = 0
        self.flooded = asyncio.Event()

    @property
    def text(self) -> str:
        return b"".join(self._kept)[: self._keep].decode("utf-8", "replace")

    def drain(self) -> None:
        """Take what is in the pipe already."""
        while not self.flooded.is_set() and self._read():
            pass

    def _read(self) -> bool:
        try:
            part = os.read(self._fd, 65536)
        except BlockingIOError:
            return False
        if not part:
            self._loop.remove_reader(self._fd)
            return False
        if self.total < self._keep:
            self._kept.append(part)
        self.total += len(part)
        if self.total > self._keep * FLOOD:
            self.flooded.set()
        return True

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)
