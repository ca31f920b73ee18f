"""Start `ddr` as a real process in a home of the test's own, and wait on what it stores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.store import Repository, open_store

ROOT = Path(__file__).parents[2]
DEADLINE_S = 120.0
_PAUSE_S = 0.05


class Home:
    """A DDR_HOME with the scenarios of another, which are only read."""

    def __init__(self, folder: Path, built_home: Path) -> None:
        self.path = folder / "home"
        self.path.mkdir(mode=0o700)
        (self.path / "scenarios").symlink_to(built_home / "scenarios")
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


@dataclass(frozen=True)
class Process:
    """One process, which no later one with the same number is mistaken for."""

    pid: int
    began: str
    """When it began, in the kernel's ticks."""
    command: str

    def is_alive(self) -> bool:
        """Whether it still runs; one that has died and was not waited for does not."""
        found = _stat(self.pid)
        return found is not None and found[19] == self.began and found[0] not in ("Z", "X")


def descendants(pid: int) -> list[Process]:
    """All that a process has started, and what those have started."""
    parents: dict[int, list[int]] = defaultdict(list)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (found := _stat(int(entry.name))) is not None:
            parents[int(found[1])].append(int(entry.name))
    left, seen = list(parents[pid]), []
    while left:
        each = left.pop()
        left += parents[each]
        found = _stat(each)
        with suppress(OSError):
            command = Path(f"/proc/{each}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            if found is not None:
                seen.append(Process(each, found[19], command.strip()))
    return seen


def _stat(pid: int) -> list[str] | None:
    """A process's fields from its state on (proc(5), field 3); None where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    except OSError:
        return None


def left_of(processes: Iterable[Process]) -> list[Process]:
    """Those that still run once they had time to end."""
    alive = list(processes)
    for _ in range(int(DEADLINE_S / _PAUSE_S)):
        alive = [process for process in alive if process.is_alive()]
        if not alive:
            break
        time.sleep(_PAUSE_S)  # nobody tells of processes that are not ours
    return alive


def last_line(text: str) -> Any:
    """The JSON object that --json promises."""
    return json.loads(text.rstrip("\n").splitlines()[-1])
