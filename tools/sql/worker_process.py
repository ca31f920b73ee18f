"""One worker process from the outside: its start, the messages to and from it, its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import socket
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.errors import ConfigError, DatabaseError, SandboxError
from tools.sql import confined
from tools.sql.channel import Wire
from tools.sql.order import Order
from tools.threads import in_thread
from tools.walls.bwrap import FLAGS
from tools.walls.process import HeldProcess, PlainProcess

START_S = 60.0
END_S = 5.0
MOST_BODY = 1 << 30
"""Bytes of one message of a worker; frame_bytes keeps what it means to send far below."""
KEPT = 50
"""Pieces of what a worker prints that are kept for an error's text."""
PASSED_ON = ("PATH", "HOME", "LANG", "LC_", "LD_LIBRARY_PATH", "TMPDIR", "SSL_", "PG")
"""What a plain process keeps of the environment, which may hold keys: what a driver looks for."""
PLAIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]);"
    " from tools.sql.worker import main; main(int(sys.argv[1]))"
)
Heard = Callable[["WorkerProcess", dict[str, Any], bytes], None]
Ended = Callable[["WorkerProcess"], None]
_log = logging.getLogger(__name__)


def plain_process(channel: socket.socket) -> PlainProcess:
    """A worker without walls; it bounds itself."""
    return PlainProcess(
        [sys.executable, *FLAGS, "-c", PLAIN, str(channel.fileno()), json.dumps(sys.path)],
        environment={k: v for k, v in os.environ.items() if k.startswith(PASSED_ON)}
        | confined.ENVIRONMENT,
        handles=[channel.fileno()],
    )


class WorkerProcess:
    """A started worker: requests go in, what it says is told to the pool."""

    def __init__(
        self, process: HeldProcess, heard: Heard, ended: Ended, *, spill: Path | None = None
    ) -> None:
        """`spill`: its own folder, removed with it."""
        self._process = process
        self._spill = spill
        self._heard, self._ended = heard, ended
        self._first: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._wire = Wire(MOST_BODY, self._hear, self._end)
        self._said: deque[bytes] = deque(maxlen=KEPT)
        os.set_blocking(process.output_fd, False)
        asyncio.get_running_loop().add_reader(process.output_fd, self._read)
        self._located = asyncio.create_task(in_thread(process.locate, name="worker-start"))
        self._killed = False
        self._listening = True

    async def begin(self, ours: socket.socket, order: Order) -> None:
        """Hand over the order and wait until the database is open. Raises DatabaseError, SandboxError."""
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self._wire, sock=ours)
            async with asyncio.timeout(START_S):
                await asyncio.shield(self._located)
                self._wire.send(order.model_dump(mode="json"))
                answer = await self._first
        except (EOFError, TimeoutError):
            await self.end()
            raise SandboxError(
                f"a SQL worker did not start: {self.said or 'no reason given'}"
            ) from None
        except BaseException:
            await self.end()
            raise
        if (failed := answer.get("failed")) is not None:
            await self.end()
            raise (DatabaseError if answer["database"] else ConfigError)(failed)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def said(self) -> str:
        """The end of what it printed."""
        return b"".join(self._said).decode("utf-8", "replace").strip()[-2000:]

    def send(self, request: dict[str, Any]) -> None:
        """Ask it something, or tell it to stop."""
        self._wire.send(request)

    def kill(self) -> None:
        """End it at once, whatever it does. Idempotent; `end` still has to be called."""
        if not self._killed:
            self._killed = True
            self._first.cancel()
            self._process.kill()
            self._wire.close()

    async def end(self) -> int | None:
        """Kill it, wait until it is gone, and let go of what belonged to it."""
        # Bubblewrap that is killed in mid-start leaves a child behind, which waits for it for ever.
        await asyncio.wait({self._located}, timeout=END_S)
        self.kill()
        code = await in_thread(self._process.wait, name="worker-end")
        if self._spill is not None:
            left = self._spill
            await in_thread(lambda: shutil.rmtree(left, ignore_errors=True), name="worker-end")
        if self._listening:
            self._read()
            self._listening = False
            asyncio.get_running_loop().remove_reader(self._process.output_fd)
            os.close(self._process.output_fd)
        return code

    def _hear(self, head: dict[str, Any], body: bytes) -> None:
        if self._first.cancelled():
            return  # its start was broken off; it is being ended
        if not self._first.done():
            self._first.set_result(head)
        elif self._first.result().get("ready"):
            self._heard(self, head, body)

    def _end(self) -> None:
        if not self._first.done():
            self._first.set_exception(EOFError())
        else:
            self._ended(self)

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            while piece := os.read(self._process.output_fd, 65536):
                self._said.append(piece[-4096:])
                _log.warning("a SQL worker says: %s", piece.decode("utf-8", "replace").rstrip())
            asyncio.get_running_loop().remove_reader(self._process.output_fd)
