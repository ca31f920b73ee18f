"""Start `ddr` as a real process in a home of the test's own, and wait on what it stores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from server.store import Repository, open_store

ROOT = Path(__file__).parents[2]
DEADLINE_S = 120.0
_PAUSE_S = 0.05


class Home:
    """A DDR_HOME with the built flights scenario in it."""

    def __init__(self, folder: Path, flights_home: Path) -> None:
        self.path = folder / "home"
        self.path.mkdir(mode=0o700)
        (self.path / "scenarios").symlink_to(flights_home / "scenarios")
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "DDR_HOME": str(self.path),
            "PYTHONPATH": str(ROOT),
        }

    def store(self) -> Repository:
        """Its store, opened beside whoever writes to it."""
        return open_store(self.path / "store.sqlite3")

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """A `ddr` that goes on."""
        return subprocess.Popen(
            [sys.executable, "-m", "server.cli.main", *arguments],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ddr(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A `ddr` to its end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=DEADLINE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def wait_until(
        self, seen: Callable[[Repository], bool], process: subprocess.Popen[str]
    ) -> None:
        """Until the store shows it, or the process ends without it."""
        for _ in range(int(DEADLINE_S / _PAUSE_S)):
            if (self.path / "store.sqlite3").exists():
                with self.store() as store:
                    if store.runs() and seen(store):
                        return
            try:
                process.wait(_PAUSE_S)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(process.communicate())
        process.kill()
        raise AssertionError(process.communicate())


def last_line(text: str) -> Any:
    """The JSON object that --json promises."""
    return json.loads(text.rstrip("\n").splitlines()[-1])
