"""A kernel's processes from outside: let them run, hold them, end them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import time
from concurrent.futures import Future
from pathlib import Path

from tools.python.zygote import Ending

END_S = 5.0
STILL_S = 5.0
"""How long what a cell left behind has for its end, once it is killed."""
STEP_S = 0.005


class KernelProcess:
    """The first process of a kernel's pid namespace, by a handle that no other process can get."""

    def __init__(self, handle: int, ended: Future[Ending], *, grouped: bool) -> None:
        """`grouped`: no namespace holds what it starts, only its process group."""
        self._grouped = grouped
        self._handle: int | None = handle
        self._ended = ended
        self.was_killed = False
        """By us, that is."""
        self.pid = _pid_of(handle)
        """As this process's own /proc numbers it."""

    def pause(self) -> None:
        """Let nothing in the first process run until `resume`: no thread works between cells."""
        self._signal(signal.SIGSTOP)

    async def still(self) -> bool:
        """Whether after `pause` nothing goes on in the kernel.

        The first process stops by itself, and has ended what a cell started; but a cell may keep it
        from doing so. What nobody else looks after is its child, so that to look at its children is
        enough. Where the machine does not tell of them, it is believed.
        """
        last = time.monotonic() + STILL_S
        while not (still := self._is_still()) and time.monotonic() < last:
            await asyncio.sleep(STEP_S)
        return still

    def _is_still(self) -> bool:
        tasks = Path(f"/proc/{self.pid}/task")
        try:
            children = " ".join((t / "children").read_text("ascii") for t in tasks.iterdir())
        except OSError:
            return True
        return {_state(Path("/proc", pid)) for pid in children.split()} <= set("ZX")

    def resume(self) -> None:
        """Go on after `pause`."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End everything in the kernel at once, without waiting for it. Idempotent.

        The first process is the init of its pid namespace: with it the machine ends all others.
        """
        self.was_killed = True
        self._signal(signal.SIGKILL)

    def has_ended(self) -> bool:
        """Whether it is over already."""
        if self._handle is None:
            return True
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        return bool(poll.poll(0))

    async def wait(self, seconds: float = END_S) -> bool:
        """Whether it ended in time, and everything in it."""
        if self._handle is None:
            return True
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        loop.add_reader(self._handle, over.set)
        try:
            async with asyncio.timeout(seconds):
                await over.wait()
        except TimeoutError:
            return False
        finally:
            loop.remove_reader(self._handle)
        return True

    async def ending(self, seconds: float) -> Ending | None:
        """How it ended, as its zygote tells; None where that takes too long."""
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(asyncio.wrap_future(self._ended))
        except TimeoutError:
            return None

    def close(self) -> None:
        """Let go of the handle."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def _signal(self, number: int) -> None:
        if self._handle is not None:
            with contextlib.suppress(ProcessLookupError):
                if self._grouped and self.pid:
                    os.killpg(self.pid, number)
                signal.pidfd_send_signal(self._handle, number)


def _pid_of(handle: int) -> int:
    """0 where it has ended already, which is no process's number."""
    for line in Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines():
        if line.startswith("Pid:"):
            return max(int(line.removeprefix("Pid:")), 0)
    return 0


def _state(process: Path) -> str:
    """The letter that /proc gives a process or thread; X for one that is gone."""
    try:
        return (process / "stat").read_text("ascii", "replace").rpartition(")")[2].split()[0]
    except OSError:
        return "X"
