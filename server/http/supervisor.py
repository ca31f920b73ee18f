"""Keep the workers of one server running, and the one tool host that all of them use."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from core.errors import DdrError, UsageError
from server.http.options import GRACE_S, QUEUE, READY, ServeOptions

_LOG = logging.getLogger(__name__)

START_S: Final = 60.0
END_S: Final = GRACE_S + 5.0
"""A worker that does not end in this time is killed."""
MOST_FAILURES: Final = 5
"""Starts in a row that came to nothing; after them it is given up."""
PAUSE_S: Final = 0.5
"""Between two starts of a worker that ends at once."""
_ROOT: Final = Path(__file__).resolve().parents[2]


class WorkersError(DdrError):
    """The workers cannot be started, or end again and again; their own words are in the log."""


def listen(host: str, port: int, count: int = 1) -> list[socket.socket]:
    """So many listening sockets on one port, among which the system shares out what comes in.

    With one socket for all of them, the first worker that wakes takes most of a burst. Port 0 takes a
    port that is free. Raises UsageError where it cannot be had.
    """
    listening: list[socket.socket] = []
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # Alone at first: sockets that share a port would share it with another server's, too.
        with socket.create_server((address[0], port), family=family) as alone:
            port = alone.getsockname()[1]
        for _ in range(count):
            made = socket.create_server(
                (address[0], port), family=family, backlog=QUEUE, reuse_port=count > 1
            )
            listening.append(made)
    except OSError as exc:
        for each in listening:
            each.close()
        raise UsageError(
            f"cannot listen on {host} port {port}: {exc.strerror or exc}; "
            "choose another --port (0 takes a free one) or --host"
        ) from exc
    return listening


class Supervisor:
    """Starts each worker again when it ends, until it is told to stop."""

    def __init__(
        self,
        options: ServeOptions,
        sockets: Sequence[socket.socket],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`sockets`: one for each worker."""
        self._options, self._sockets = options, sockets
        self._environment = dict(os.environ if environment is None else environment)
        search = [str(_ROOT), *self._environment.get("PYTHONPATH", "").split(os.pathsep)]
        self._environment["PYTHONPATH"] = os.pathsep.join(path for path in search if path)
        self._processes: dict[int, asyncio.subprocess.Process] = {}
        self._stopping = asyncio.Event()

    @property
    def pids(self) -> list[int]:
        """Of the workers that listen now."""
        return [process.pid for _, process in sorted(self._processes.items())]

    def stop(self) -> None:
        """Let what is under way come to its end, and end."""
        self._stopping.set()

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Serve until `stop`, or SIGINT or SIGTERM. `on_ready` is called once all workers listen.

        Raises WorkersError.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        try:
            async with asyncio.TaskGroup() as group:
                ready = [asyncio.Event() for _ in self._sockets]
                kept = [
                    group.create_task(self._keep(place, each)) for place, each in enumerate(ready)
                ]
                await self._until(_all(ready))
                if not self._stopping.is_set():
                    on_ready()
                await self._stopping.wait()
                await asyncio.gather(*kept)
        except* WorkersError as failed:
            raise failed.exceptions[0] from None
        finally:
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    async def _keep(self, place: int, ready: asyncio.Event) -> None:
        """One worker after the other at this place."""
        failures = 0
        while not self._stopping.is_set():
            began = time.monotonic()
            process = await self._spawn(self._sockets[place])
            try:
                if await self._is_ready(process):
                    failures = 0
                    self._processes[place] = process
                    ready.set()
                    await self._until(process.wait())
                else:
                    failures += 1
            finally:
                self._processes.pop(place, None)
                await _end(process)
            if self._stopping.is_set():
                return
            _LOG.warning("a worker ended (exit code %s)", process.returncode)
            if failures >= MOST_FAILURES or (failures and not ready.is_set()):
                raise WorkersError("a worker cannot be started; what it said stands above")
            if time.monotonic() - began < PAUSE_S:
                await asyncio.sleep(PAUSE_S)

    async def _spawn(self, listening: socket.socket) -> asyncio.subprocess.Process:
        options = self._options.model_copy(update={"socket_fd": listening.fileno()})
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "server.http"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=(options.socket_fd,),
            env=self._environment,
            start_new_session=True,  # Ctrl-C is for us: calls under way may end
        )
        assert process.stdin is not None
        process.stdin.write(options.model_dump_json().encode() + b"\n")
        return process

    async def _is_ready(self, process: asyncio.subprocess.Process) -> bool:
        assert process.stdout is not None
        reading = asyncio.ensure_future(process.stdout.readline())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(START_S):
                await self._until(reading)
        return reading.done() and not reading.cancelled() and reading.result() == READY

    async def _until(self, what: Awaitable[object]) -> None:
        """Wait for it, or until we are to stop."""
        waiting = {asyncio.ensure_future(what), asyncio.ensure_future(self._stopping.wait())}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()


async def _all(events: Iterable[asyncio.Event]) -> None:
    for event in events:
        await event.wait()


async def _end(process: asyncio.subprocess.Process) -> None:
    """End a worker that still runs: first it is asked to."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(END_S):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
