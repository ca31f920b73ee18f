"""A live kernel: forked by the zygote, counted, heard, paused between cells, and ended."""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass

from core.errors import SandboxError
from tools.python.bounds import Bounds
from tools.python.memory import MemoryGroup, memory_groups
from tools.python.process import KernelProcess
from tools.python.wire import Channel, EndedError, Output
from tools.python.zygote import START_S, Zygote, ZygoteGoneError, running_zygote, start_zygote
from tools.threads import in_thread


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
