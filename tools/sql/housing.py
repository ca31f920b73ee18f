"""Start a worker process: walled in with its one database where that can be, a plain process where not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import stat
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from core import plugins
from core.errors import ConfigError, DatabaseError, SandboxError
from tools.sql import confined
from tools.sql.channel import Wire
from tools.sql.engine import EngineFactory, EngineLimits, Target
from tools.sql.engines import ENGINES
from tools.sql.spill import Spill
from tools.sql.worker import Order
from tools.threads import in_thread
from tools.walls.process import SandboxProcess
from tools.walls.runtime import precompile

START_S = 60.0
END_S = 5.0
OWN_MB = 1536
"""Address space of a worker beside what its engine may hold: the interpreter, pandas, stacks, frames."""
MOST_BODY = 1 << 30
"""Bytes of one message of a worker; frame_bytes keeps what it means to send far below."""
KEPT = 50
"""Lines of what a worker prints that are kept for the log."""
PASSED_ON = ("PATH", "HOME", "LANG", "LC_", "LD_LIBRARY_PATH", "TMPDIR", "SSL_", "PG")
"""What a plain process keeps of the environment, which may hold keys: what a driver looks for."""
FLAGS = ("-I", "-S", "-B", "-X", "utf8")
INSIDE = "import sys; sys.path.append('/site'); from tools.sql.worker import main; main(int(sys.argv[1]))"
PLAIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]);"
    " from tools.sql.worker import main; main(int(sys.argv[1]))"
)
IMPORTS = "duckdb, sqlglot.optimizer.qualify, pandas, tools.sql.worker"
Heard = Callable[["Worker", dict[str, Any], bytes], None]
Ended = Callable[["Worker"], None]
_log = logging.getLogger(__name__)


class Process(Protocol):
    """What a worker runs as."""

    output_fd: int

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    def locate(self) -> bool:
        """Wait until it runs; False where its start failed."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...

    def wait(self, seconds: float = END_S) -> int | None:
        """Its exit code; None where it goes on."""
        ...


class PlainProcess:
    """A process without walls; it bounds itself."""

    def __init__(self, channel: socket.socket) -> None:
        self.output_fd, output = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, *FLAGS, "-c", PLAIN, str(channel.fileno()), json.dumps(sys.path)],
                pass_fds=[channel.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env={k: v for k, v in os.environ.items() if k.startswith(PASSED_ON)}
                | confined.ENVIRONMENT,
            )
        finally:
            os.close(output)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def locate(self) -> bool:
        """It runs from the beginning."""
        return True

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self, seconds: float = END_S) -> int | None:
        """Its exit code; None where it goes on."""
        try:
            return self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None


class Worker:
    """A started worker: requests go in, what it says is told to the pool."""

    def __init__(self, process: Process, heard: Heard, ended: Ended) -> None:
        self._process = process
        self._heard, self._ended = heard, ended
        self._first: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.wire = Wire(MOST_BODY, self._hear, self._end)
        self._said: deque[bytes] = deque(maxlen=KEPT)
        os.set_blocking(process.output_fd, False)
        asyncio.get_running_loop().add_reader(process.output_fd, self._read)
        self._killed = False
        self._listening = True

    async def begin(self, ours: socket.socket, order: Order) -> None:
        """Hand over the order and wait until the database is open. Raises DatabaseError, SandboxError."""
        loop = asyncio.get_running_loop()
        try:
            await loop.create_connection(lambda: self.wire, sock=ours)
            async with asyncio.timeout(START_S):
                await in_thread(self._process.locate, name="worker-start")
                self.wire.send(order.model_dump(mode="json"))
                answer = await self._first
        except (EOFError, TimeoutError):
            await self.end()
            raise SandboxError(
                f"a SQL worker did not start: {self.said or 'no reason given'}"
            ) from None
        except BaseException:
            self._first.cancel()
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
        self.wire.send(request)

    def kill(self) -> None:
        """End it at once, whatever it does. Idempotent; `end` still has to be called."""
        if not self._killed:
            self._killed = True
            self._process.kill()
            self.wire.close()

    async def end(self) -> int | None:
        """Kill it, wait until it is gone, and let go of what belonged to it."""
        self.kill()
        code = await in_thread(self._process.wait, name="worker-end")
        if self._listening:
            self._read()
            self._listening = False
            asyncio.get_running_loop().remove_reader(self._process.output_fd)
            os.close(self._process.output_fd)
        return code

    def _hear(self, head: dict[str, Any], body: bytes) -> None:
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


class Housing:
    """How the workers of one pool are started."""

    def __init__(self, target: Target, *, slots: int, engine_limits: EngineLimits) -> None:
        """Raises UnknownNameError for a dialect that no engine speaks."""
        factory: EngineFactory = plugins.load("ddr.engines", target.dialect, ENGINES)
        self.is_file = factory.is_file
        self._target = target
        self._slots, self._engine_limits = slots, engine_limits
        self._engine = confined.place_of(target.dialect)
        self._spill: Spill | None = None
        self._file: tuple[int, ...] | None = None
        self.not_confined: str | None = None
        """Why the workers are plain processes; None where they are walled in."""

    async def prepare(self) -> None:
        """Look at the machine and at the file. Raises DatabaseError."""
        if not self.is_file:
            self.not_confined = f"{self._target.dialect} is reached over the network"
            return
        self._file = self._identity()
        self.not_confined = await in_thread(_missing_walls, name="walls")
        if self.not_confined is None:
            self._refuse_unreadable()
            await in_thread(self._collect, name="worker-inside")
            self._spill = Spill()

    async def start(self, heard: Heard, ended: Ended) -> Worker:
        """A worker with its database open. Raises DatabaseError, SandboxError, ConfigError."""
        if self._file is not None and self._identity() != self._file:
            raise DatabaseError(
                f"{self._target.location} was changed or replaced while it was in use; start anew"
            )
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            with theirs:
                process, order = self._launch(theirs)
            worker = Worker(process, heard, ended)
        except BaseException:
            ours.close()
            raise
        try:
            await worker.begin(ours, order)
        except DatabaseError as exc:
            raise DatabaseError(self._as_here(str(exc))) from exc
        return worker

    def close(self) -> None:
        """Once every worker has ended."""
        if self._spill:
            self._spill.close()

    def _launch(self, theirs: socket.socket) -> tuple[Process, Order]:
        engine = self._engine_limits
        location = self._target.location
        process: Process
        # From this thread, the event loop's: a worker dies with the thread that started it.
        if self._spill:
            path = Path(location)
            location = f"{confined.DATA}/{path.name}"
            engine = engine.model_copy(update={"home": confined.DATA})
            runtime = confined.inside(path, self._engine, self._spill.folder())
            command = ["-c", INSIDE, str(theirs.fileno())]
            process = SandboxProcess(command, confined.SIZES, theirs, runtime=runtime)
        else:
            process = PlainProcess(theirs)
        return process, Order(
            target=self._target.model_copy(update={"dialect": self._engine, "location": location}),
            engine=engine,
            slots=self._slots,
            memory_mb=engine.memory_mb + OWN_MB,
            confined=self._spill is not None,
        )

    def _collect(self) -> None:
        """What takes its time at the first start, off the event loop."""
        precompile("tools.sql.worker", IMPORTS)
        confined.code(self._engine)

    def _refuse_unreadable(self) -> None:
        path = Path(self._target.location)
        if os.geteuid() == 0 and not path.stat().st_mode & stat.S_IROTH:
            raise DatabaseError(
                f"{path} may be read by root alone, and the SQL workers never run as root;"
                f" run: chmod o+r {path}"
            )

    def _identity(self) -> tuple[int, ...]:
        try:
            found = Path(self._target.location).stat()
        except PermissionError as exc:
            raise DatabaseError(f"{self._target.location} may not be read by this user") from exc
        except OSError as exc:
            raise DatabaseError(f"there is no database at {self._target.location}") from exc
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _as_here(self, text: str) -> str:
        """A worker's words with the place that the person who runs the server knows."""
        path = Path(self._target.location)
        return text.replace(f"{confined.DATA}/{path.name}", str(path)) if self._spill else text


def _missing_walls() -> str | None:
    from tools.python.sandbox import sandbox_available

    state = sandbox_available()
    return None if state.name == "bubblewrap" else state.detail or "no reason given"
