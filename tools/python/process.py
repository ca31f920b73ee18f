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
QUICK_S, STEP_S = 0.001, 0.001
"""The machine stops a process within microseconds: at first one look follows the other, then each a step."""
STAT_BYTES = 1024


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
        self._glance = Glance.at(self.pid)
        self._is_paused = False

    def pause(self) -> None:
        """Let nothing in the first process run until `resume`: no thread works between cells."""
        self._is_paused = True
        self._signal(signal.SIGSTOP)

    async def still(self) -> bool:
        """Whether after `pause` nothing goes on in the kernel.

        The first process stops by itself, and has ended what a cell started; but a cell may keep it
        from doing so. What nobody else looks after is its child, so that to look at its children is
        enough. Where the machine does not tell of them, it is believed.
        """
        begun = time.monotonic()
        while not (still := self.is_still()) and (took := time.monotonic() - begun) < STILL_S:
            await asyncio.sleep(STEP_S if took > QUICK_S else 0)
        return still

    def is_still(self) -> bool:
        """One look: whether all that it paused is stopped, and all else in the kernel has ended.

        A process that ends leaves its children to the first process, so that only a list of children
        that stays as it was can be believed; what vanishes meanwhile is a reason to look again.
        """
        if not self._is_paused or self._glance is None or self.has_ended():
            return True
        threads = Path(f"/proc/{self.pid}/task")
        try:
            if self._glance.shows_a_single_stopped_thread():
                return True
            children = _children(threads)
            return (
                all(_stat(thread)[0] in "Tt" for thread in threads.iterdir())
                and all(_is_over(Path("/proc", pid)) for pid in children)
                and children == _children(threads)
            )
        except OSError:
            return False

    def resume(self) -> None:
        """Go on after `pause`."""
        self._is_paused = False
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
        glance, self._glance = self._glance, None
        if glance is not None:
            glance.close()

    def _signal(self, number: int) -> None:
        if self._handle is not None:
            with contextlib.suppress(ProcessLookupError):
                if self._grouped and self.pid:
                    os.killpg(self.pid, number)
                signal.pidfd_send_signal(self._handle, number)


class Glance:
    """What /proc tells of one process, by files that are kept open: no other process can get its place."""

    def __init__(self, stat: int, children: int) -> None:
        self._stat, self._children = stat, children

    @classmethod
    def at(cls, pid: int) -> Glance | None:
        """None where the machine does not tell of it; asked while it is known to be there."""
        with contextlib.ExitStack() as opened:
            files = []
            for name in ("stat", f"task/{pid}/children"):
                try:
                    files.append(os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
                except OSError:
                    return None
                opened.callback(os.close, files[-1])
            opened.pop_all()
        return cls(*files)

    def shows_a_single_stopped_thread(self) -> bool:
        """Whether it is one thread, stopped, without a child: what nearly every cell leaves.

        A thread that is stopped starts nothing, and every process of the kernel is a child of its first
        one or below such a child: of the two reads the first is of the state. Raises OSError where it is
        gone.
        """
        state, threads = _fields(os.pread(self._stat, STAT_BYTES, 0))
        return state in "Tt" and threads == 1 and not os.pread(self._children, 1, 0)

    def close(self) -> None:
        """Let go of the files."""
        os.close(self._stat)
        os.close(self._children)


def _pid_of(handle: int) -> int:
    """0 where it has ended already, which is no process's number."""
    for line in Path(f"/proc/self/fdinfo/{handle}").read_text("ascii").splitlines():
        if line.startswith("Pid:"):
            return max(int(line.removeprefix("Pid:")), 0)
    return 0


def _children(threads: Path) -> list[str]:
    return [pid for t in threads.iterdir() for pid in (t / "children").read_text("ascii").split()]


def _is_over(process: Path) -> bool:
    """Whether it has ended with all its threads: the first one may be gone and others work on."""
    state, threads = _stat(process)
    return state in "ZX" and threads <= 1


def _stat(task: Path) -> tuple[str, int]:
    """The letter that /proc gives for the state of a process or thread, and how many threads it has.

    Both are read in one moment. Raises OSError where it is gone.
    """
    return _fields((task / "stat").read_bytes())


def _fields(stat: bytes) -> tuple[str, int]:
    fields = stat.rpartition(b")")[2].split()
    return fields[0].decode("ascii"), int(fields[17])
