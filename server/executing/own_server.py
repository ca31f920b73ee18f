"""A server for as long as agents are explored with: a child of ours that ends when we do."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import StoreError
from server.executing.process import Reaper, end_group, ended, start
from server.settings import Settings
from tools.threads import in_thread

START_S: Final = 60.0
END_S: Final = 15.0
_ROOT: Final = Path(__file__).resolve().parents[2]
_SERVE: Final = ("serve", "--http", "--host", "127.0.0.1", "--port", "0", "--json")


@dataclass(frozen=True)
class OwnServer:
    """A server that listens."""

    url: str
    log: Path
    gone: asyncio.Future[None]
    """Done once it has ended."""

    async def guard(self) -> None:
        """Wait for its end, which is a fault. Raises StoreError then."""
        await asyncio.shield(self.gone)
        raise StoreError(f"the server has ended: {_last_words(self.log)}; all of it: {self.log}")


@asynccontextmanager
async def own_server(
    settings: Settings, log: Path, reaper: Reaper, *, workers: int = 1
) -> AsyncIterator[OwnServer]:
    """Start `ddr serve --http` on a free port of this machine and end it with the block.

    Raises StoreError where it does not come up; the text has its last words.
    """
    command = [sys.executable, "-P", "-m", "server.cli.main", *_SERVE, "--workers", str(workers)]
    search = [str(_ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {
        **os.environ,
        "DDR_HOME": str(settings.home),
        "PYTHONPATH": os.pathsep.join(path for path in search if path),
    }
    fd = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        # In a session of its own: Ctrl-C is for us, and agents end first.
        process = start(
            command, folder=Path("/"), environment=environment, reaper=reaper, stderr=fd
        )
    except OSError as exc:
        raise StoreError(f"the server cannot be started: {exc}") from exc
    finally:
        os.close(fd)
    gone = asyncio.ensure_future(ended(process.pid))
    try:
        yield OwnServer(await _address(process, log), log, gone)
    finally:
        await end_group(process, gone, reaper, grace_s=END_S)
        if process.stdout is not None:
            process.stdout.close()


async def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    assert process.stdout is not None
    reading = in_thread(process.stdout.readline, name="server")
    try:
        line = await asyncio.wait_for(reading, START_S)
        url = json.loads(line)["url"]
    except TimeoutError as exc:
        raise StoreError(f"the server did not come up within {START_S:g} s; see {log}") from exc
    except (ValueError, KeyError, TypeError) as exc:
        raise StoreError(f"the server cannot be started: {_last_words(log)}") from exc
    return str(url)


def _last_words(log: Path) -> str:
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - 2_000, 0))
        lines = file.read().decode("utf-8", "replace").split("\n")
    said = [line for line in lines if line.strip()]
    return said[-1].removeprefix("error: ") if said else f"it said nothing; see {log}"
