"""A real `ddr serve --http` for tests: the command itself, on a free port of loopback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.support.processes import BOUND_S

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Server:
    """One that listens."""

    url: str
    pid: int
    worker_pids: list[int]
    """As it began; a worker that died has a follower."""
    tool_host_pid: int
    process: subprocess.Popen[str]
    log_file: IO[str]
    said: dict[str, Any]
    """Its own object."""

    def log(self) -> str:
        """What came on its stderr so far."""
        return Path(self.log_file.name).read_text("utf-8", "replace")


@contextmanager
def serving(
    home: Path,
    *options: str,
    workers: int = 1,
    environment: Mapping[str, str] | None = None,
    exit_code: int = 0,
) -> Iterator[Server]:
    """Start it with `options` on a DDR_HOME; SIGTERM at the end, which must end it with `exit_code`."""
    command = [
        *(sys.executable, "-m", "server.cli.main", "serve", "--http", "--json"),
        *("--port", "0", "--workers", str(workers), *options),
    ]
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DDR_HOME": str(home)}
    with tempfile.NamedTemporaryFile("w+", prefix="ddr-serve-", suffix=".log") as log:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**given, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            yield _listening(process, log)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=BOUND_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise
        assert process.returncode == exit_code, Path(log.name).read_text("utf-8", "replace")


def _listening(process: subprocess.Popen[str], log: IO[str]) -> Server:
    assert process.stdout is not None
    line = process.stdout.readline()
    said: dict[str, Any] = json.loads(line) if line else {}
    if "url" not in said:
        raise AssertionError(line + Path(log.name).read_text("utf-8", "replace"))
    return Server(
        url=said["url"],
        pid=said["pid"],
        worker_pids=said["worker_pids"],
        tool_host_pid=said["tool_host_pid"],
        process=process,
        log_file=log,
        said=said,
    )
