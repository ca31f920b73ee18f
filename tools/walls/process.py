"""One process from the outside, sandboxed or plain: start it, and end it with everything in it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Protocol

from core.errors import SandboxError
from tools.walls.bwrap import Sizes, sandbox_command
from tools.walls.runtime import Runtime, find_runtime
from tools.walls.seccomp import NESTING, filter_program

END_S = 5.0


class HeldProcess(Protocol):
    """A started process, however it is held."""

    output_fd: int
    """Its standard output and errors come out of this pipe."""

    @property
    def pid(self) -> int:
        """Its process id, as the host counts."""
        ...

    def locate(self) -> bool:
        """Wait until it runs; False where its start failed."""
        ...

    def kill(self) -> None:
        """End it at once, without waiting for it."""
        ...

    def wait(self, seconds: float = END_S) -> int | None:
        """Its exit code; None where it goes on."""
        ...


class SandboxProcess:
    """A running sandbox. Its standard output and errors come out of one pipe, `output_fd`.

    Start it from a thread that lives as long as the sandbox shall: it dies with that thread.
    """

    def __init__(
        self,
        inside: Sequence[str],
        sizes: Sizes,
        channel: socket.socket | None = None,
        *,
        runtime: Runtime | None = None,
        nests: bool = False,
        handles: Sequence[int] = (),
    ) -> None:
        """`inside` is the interpreter's own argv; it inherits `channel` and the open `handles`.

        `nests`: it may make namespaces of its own, which its filter then has to let through.
        """
        runtime = runtime or find_runtime()
        info_r, info_w = os.pipe()
        self.output_fd, output_w = os.pipe()
        passed = [info_w, *handles]
        program = filter_program(allowed=NESTING if nests else ())
        with tempfile.TemporaryFile() as rules:
            rules_fd = None
            if program is not None:
                rules.write(program)
                rules.seek(0)
                rules_fd = rules.fileno()
                passed.append(rules_fd)
            if channel is not None:
                passed.append(channel.fileno())
            try:
                self._process = subprocess.Popen(
                    sandbox_command(
                        runtime,
                        sizes,
                        inside,
                        info_fd=info_w,
                        seccomp_fd=rules_fd,
                        nests=nests,
                    ),
                    pass_fds=passed,
                    stdin=subprocess.DEVNULL,
                    stdout=output_w,
                    stderr=subprocess.STDOUT,
                    env=_environment(),
                    cwd="/",
                    start_new_session=True,  # an interrupt at the terminal is the server's affair
                )
            except (OSError, SandboxError) as exc:
                os.close(info_r)
                os.close(self.output_fd)
                raise SandboxError(f"the sandbox cannot be started: {exc}") from exc
            finally:
                os.close(info_w)
                os.close(output_w)
        self._info_r = info_r
        self._init_fd: int | None = None
        self._init = 0

    def locate(self) -> bool:
        """Learn the sandbox's first process from bubblewrap; blocks until it is made.

        False where there is none because the start failed.
        """
        with os.fdopen(self._info_r, "rb") as pipe:
            told = pipe.read()
        try:
            self._init = int(json.loads(told)["child-pid"])
            self._init_fd = os.pidfd_open(self._init)
        except (ValueError, KeyError, OSError):
            return False
        return True

    @property
    def pid(self) -> int:
        """The sandbox's first process, as the host counts; 0 before `locate`."""
        return self._init

    def kill(self) -> None:
        """End everything in the sandbox at once, without waiting for it. Idempotent.

        The first process is the init of its pid namespace: with it the machine ends all others.
        """
        self._signal(signal.SIGKILL)
        self._process.kill()

    def wait(self, seconds: float = END_S) -> int | None:
        """Bubblewrap's exit code once everything inside has ended; None where it goes on.

        Blocks. 128 + n says that signal n ended the first process.
        """
        try:
            code = self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        init_fd, self._init_fd = self._init_fd, None
        if init_fd is not None:
            # Its end is the end of all: a namespace's init goes last.
            poll = select.poll()
            poll.register(init_fd, select.POLLIN)
            poll.poll(seconds * 1000)
            os.close(init_fd)
        return code

    def _signal(self, number: int) -> None:
        if self._init_fd is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init_fd, number)


class PlainProcess:
    """A child process without walls around it, where they cannot be had or are not wanted.

    To be used as a SandboxProcess is.
    """

    def __init__(
        self, command: Sequence[str], *, environment: Mapping[str, str], handles: Sequence[int]
    ) -> None:
        """It inherits the open `handles`. Raises SandboxError."""
        self.output_fd, output_w = os.pipe()
        try:
            self._process = subprocess.Popen(
                command,
                pass_fds=handles,
                stdin=subprocess.DEVNULL,
                stdout=output_w,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd="/",
                start_new_session=True,  # an interrupt at the terminal is the server's affair
            )
        except OSError as exc:
            os.close(self.output_fd)
            raise SandboxError(f"Python cannot be started: {exc}") from exc
        finally:
            os.close(output_w)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def locate(self) -> bool:
        """It runs from the beginning."""
        return True

    def kill(self) -> None:
        """End it at once, without waiting for it. Idempotent."""
        self._process.kill()

    def wait(self, seconds: float = END_S) -> int | None:
        """Its exit code; None where it goes on."""
        try:
            return self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None


def _environment() -> dict[str, str]:
    """For bubblewrap itself; the sandbox's own is cleared anyway."""
    kept = {"PATH": "/usr/bin:/bin"}
    if path := os.environ.get("LD_LIBRARY_PATH"):
        kept["LD_LIBRARY_PATH"] = path
    return kept
