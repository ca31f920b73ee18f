"""What the processes below this one hold in memory."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

LOOK_S = 1.0
MOST_LOOKS = 60


def descendants(root: int | None = None) -> Iterator[int]:
    """The ids of all living processes below one; None = this one."""
    children: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name in brackets may hold anything: what follows it is found from the right.
            parent = int(status.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue  # it has ended meanwhile
        children.setdefault(parent, []).append(int(status.parent.name))
    waiting = [os.getpid() if root is None else root]
    while waiting:
        below = children.get(waiting.pop(), [])
        yield from below
        waiting += below


async def settled() -> frozenset[int]:
    """The descendants, once for a second no process has come or gone; in a minute at the latest."""
    seen = frozenset(descendants())
    for _ in range(MOST_LOOKS):
        await asyncio.sleep(LOOK_S)
        before, seen = seen, frozenset(descendants())
        if seen == before:
            return seen
    raise RuntimeError("processes come and go without end")


def pss_of(pid: int) -> int:
    """A process's share of memory in bytes: a page that several processes map counts in part.

    Raises PermissionError for a process that hides its memory, as a sandbox's does from all but root.
    """
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/{pid}/smaps_rollup has no Pss")
