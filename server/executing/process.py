"""One agent's process: a session of its own, a limit, and nothing of it left at the end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from server.executing.output import Captured
from server.executing.reaper import GRACE_S
from tools.threads import in_thread

_REAPER: Final = Path(__file__).with_name("reaper.py")
_LAUNCHER: Final = Path(__file__).with_name("launcher.py")


@dataclass(frozen=True)
class Exit:
    """How a process ended."""

    code: int | None
    """As a shell gives it: 128 and the signal's number for one that was killed; None = not started."""
    seconds: float
    timed_out: bool = False
    printed: int = 0
    """Bytes."""
    kept: int = 0
    """Of them, how many stand in the log."""
    tail: str = ""
    """The last that it printed, or why it could not be started."""


class Reaper:
    """Sees to it that groups end with this process, were it killed with no time to do so itself."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_REAPER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def watch(self, group: int) -> None:
        """From now on: what stands in the pipe is read, were we killed the next moment.

        Raises OSError where it was killed itself.
        """
        try:
            self._say(b"+%d\n" % group)
        except OSError as exc:
            raise OSError("the process that would end it together with this one is gone") from exc

    def forget(self, group: int) -> None:
        """Before its leader is reaped: afterwards the number may be another's."""
        with contextlib.suppress(OSError):  # it was killed; all else goes on
            self._say(b"-%d\n" % group)

    def _say(self, line: bytes) -> None:
        assert self._process.stdin is not None
        os.write(self._process.stdin.fileno(), line)


def start(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    reaper: Reaper,
    stderr: int = subprocess.STDOUT,
) -> subprocess.Popen[bytes]:
    """Start a command, its output in a pipe, in a group that the reaper knows before it runs.

    What is started is a launcher that waits for its order: were we killed first, it ends by itself.
    Raises OSError or ValueError for a command that cannot be started; nothing of it is left then.
    """
    order = _order(command, environment)
    fd, failed = os.pipe()
    with os.fdopen(fd, "rb") as failure:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_LAUNCHER), str(failed)],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                pass_fds=[failed],
                start_new_session=True,
            )
        finally:
            os.close(failed)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            reaper.watch(process.pid)
            # One that was killed meanwhile takes no order; its exit code tells of it.
            with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
                pipe.write(order)
            if number := failure.read():
                raise OSError(int(number), os.strerror(int(number)), command[0])
        except BaseException:
            _end_at_once(process, reaper)
            process.stdout.close()
            raise
    return process


def _order(command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """As the launcher reads it. Raises ValueError for what no process can be told."""
    parts = [os.fsencode(word) for word in command]
    parts += [os.fsencode(f"{name}={value}") for name, value in environment.items()]
    if any(b"\0" in part for part in parts):
        raise ValueError("embedded null byte")
    body = b"%d\n" % len(command) + b"".join(part + b"\0" for part in parts)
    return b"%d\n" % len(body) + body


async def run_to_end(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    log: Path,
    limit_s: float | None,
    reaper: Reaper,
    grace_s: float = GRACE_S,
) -> Exit:
    """Run a command in a folder until it ends, its time is over, or this is cancelled.

    However it ends, its whole process group ends with it. Raises OSError where the log cannot be
    written; a command that cannot be started is an Exit without a code.
    """
    began = time.monotonic()
    try:
        process = start(command, folder=folder, environment=environment, reaper=reaper)
    except (OSError, ValueError) as exc:
        return Exit(None, 0.0, tail=f"it cannot be started: {exc}")
    assert process.stdout is not None
    timed_out = False
    waiting = asyncio.ensure_future(ended(process.pid))
    with contextlib.ExitStack() as stack:
        try:
            captured = stack.enter_context(Captured(process.stdout, log))
            async with asyncio.timeout(limit_s):
                await asyncio.shield(waiting)
        except TimeoutError:
            timed_out = True
        finally:
            await end_group(process, waiting, reaper, grace_s=grace_s)
    code = process.returncode
    return Exit(
        code=code if code >= 0 else 128 - code,
        seconds=time.monotonic() - began,
        timed_out=timed_out,
        printed=captured.count,
        kept=captured.kept,
        tail=captured.tail,
    )


async def end_group(
    process: subprocess.Popen[bytes],
    waiting: asyncio.Future[None],
    reaper: Reaper,
    *,
    grace_s: float,
) -> None:
    """End a group, politely first, and reap its leader; `waiting` is done once that has ended."""
    try:
        if not waiting.done():
            _signal(process.pid, signal.SIGTERM)
            await asyncio.wait([waiting], timeout=grace_s)
    finally:  # also where somebody cannot wait: the second Ctrl-C
        _end_at_once(process, reaper)


async def ended(pid: int) -> None:
    """Until a child has ended. It is not reaped, so that its number stays its own."""

    def wait() -> None:
        with contextlib.suppress(ChildProcessError):  # it was reaped meanwhile
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)

    await in_thread(wait, name="agent")


def _end_at_once(process: subprocess.Popen[bytes], reaper: Reaper) -> None:
    _signal(process.pid, signal.SIGKILL)
    reaper.forget(process.pid)
    process.wait()


def _signal(group: int, number: int) -> None:
    # Nobody is left, or what is left has become another user's.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
