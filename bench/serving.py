"""Our own server as it is deployed, started for a benchmark on a home of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

START_S: Final = 120.0


@dataclass(frozen=True)
class Serving:
    """One that listens."""

    url: str
    process: subprocess.Popen[str]


@contextlib.contextmanager
def serving(home: Path, *options: str) -> Iterator[Serving]:
    """`ddr serve --http` on a free port of loopback, ended with the block. Raises RuntimeError."""
    command = [sys.executable, "-m", "server.cli.main", "serve", "--http", "--port", "0", "--json"]
    process = subprocess.Popen(
        [*command, *options],
        env={**os.environ, "DDR_HOME": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("the server did not start")
        yield Serving(json.loads(line)["url"], process)
    finally:
        process.terminate()
        process.wait(START_S)
