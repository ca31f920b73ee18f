"""What the machine's processes are doing: whose child, still alive, and waiting until that changes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

BOUND_S = 60.0


def until(seen: Callable[[], object], what: str) -> None:
    """Wait until something is so."""
    last = time.monotonic() + BOUND_S
    while not seen():
        assert time.monotonic() < last, f"{what} did not come about"
        time.sleep(0.02)


def below(pid: int) -> set[int]:
    """The processes that a process has started, and theirs, but for those that have ended."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state not in "ZX":
                parents[int(entry.name)] = int(parent)
    found, edge = set[int](), {pid}
    while edge:
        edge = {child for child, parent in parents.items() if parent in edge} - found
        found |= edge
    return found


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
