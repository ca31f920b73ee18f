"""Start a worker process: walled in with its one database where that can be, a plain process where not."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

from core import plugins
from core.errors import DatabaseError
from tools.sql import confined
from tools.sql.engine import EngineFactory, EngineLimits, Target
from tools.sql.engines import ENGINES
from tools.sql.order import Order
from tools.sql.spill import Spill
from tools.sql.worker_process import Ended, Heard, WorkerProcess, plain_process
from tools.threads import in_thread
from tools.walls.process import HeldProcess, SandboxProcess
from tools.walls.runtime import precompile

OWN_MB = 1536
"""Address space of a worker beside what its engine may hold: the interpreter, pandas, stacks, frames."""
INSIDE = "import sys; sys.path.append('/site'); from tools.sql.worker import main; main(int(sys.argv[1]))"
IMPORTS = "duckdb, sqlglot.optimizer.qualify, pandas, tools.sql.worker"


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

    async def start(self, heard: Heard, ended: Ended) -> WorkerProcess:
        """A worker with its database open. Raises DatabaseError, SandboxError, ConfigError."""
        if self._file is not None and self._identity() != self._file:
            raise DatabaseError(
                f"{self._target.location} was changed or replaced while it was in use; start anew"
            )
        spill = self._spill.folder() if self._spill else None
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        try:
            # In this thread, the event loop's: a worker dies with its starter's thread.
            with theirs:
                process = self._process(theirs, spill)
            worker = WorkerProcess(process, heard, ended, spill=spill)
        except BaseException:
            ours.close()
            raise
        try:
            await worker.begin(ours, self._order())
        except DatabaseError as exc:
            raise DatabaseError(self._as_here(str(exc))) from exc
        return worker

    def close(self) -> None:
        """Once every worker has ended."""
        if self._spill:
            self._spill.close()

    def _process(self, theirs: socket.socket, spill: Path | None) -> HeldProcess:
        if spill is None:
            return plain_process(theirs)
        runtime = confined.inside(Path(self._target.location), self._engine, spill)
        command = ["-c", INSIDE, str(theirs.fileno())]
        return SandboxProcess(command, confined.SIZES, theirs, runtime=runtime)

    def _order(self) -> Order:
        engine, location = self._engine_limits, self._target.location
        if self._spill:
            engine = engine.model_copy(update={"home": confined.DATA})
            location = f"{confined.DATA}/{Path(location).name}"
        return Order(
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
