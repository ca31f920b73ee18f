"""A bound on the memory of all processes of a session together, where the machine lets us set one.

An rlimit counts one process at a time, so that thirty-two of them may take thirty-two times the
limit. Only a memory cgroup counts them together: of version 2 where a folder has been delegated to
us, of version 1 as root. Where there is neither, sessions run without it.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
MEMBERS = Path("/proc/self/cgroup")
MARK = "ddr-python-"
BOUND = {1: "memory.limit_in_bytes", 2: "memory.max"}
SWAP = {1: "memory.memsw.limit_in_bytes", 2: "memory.swap.max"}
"""Version 1 counts memory and swap together, version 2 swap alone."""

_numbers = itertools.count(1)


@dataclass(frozen=True)
class MemoryGroup:
    """One session's processes, counted together."""

    folder: Path

    def close(self) -> None:
        """Take the empty group away, once its processes have ended."""
        with contextlib.suppress(OSError):
            self.folder.rmdir()


@dataclass(frozen=True)
class MemoryGroups:
    """A folder in which groups may be made."""

    folder: Path
    version: int

    def hold(self, pid: int, most_mb: int) -> MemoryGroup | None:
        """Put a process, and whatever it starts from now on, under one bound; None if that fails."""
        group = MemoryGroup(self.folder / f"{MARK}{os.getpid()}-{next(_numbers)}")
        try:
            group.folder.mkdir()
            (group.folder / BOUND[self.version]).write_text(str(most_mb << 20), "ascii")
            with contextlib.suppress(OSError):  # a machine that does not count swap
                swap = most_mb << 20 if self.version == 1 else 0
                (group.folder / SWAP[self.version]).write_text(str(swap), "ascii")
            if self.version == 2:
                (group.folder / "memory.oom.group").write_text("1", "ascii")
            (group.folder / "cgroup.procs").write_text(str(pid), "ascii")
        except OSError:
            group.close()
            return None
        return group


@functools.cache
def memory_groups() -> MemoryGroups | None:
    """Where this process may make groups; None where it may not. Looked for once."""
    groups = find_groups(ROOT, MEMBERS)
    if groups:
        _sweep(groups.folder)
    return groups


def find_groups(root: Path, members: Path) -> MemoryGroups | None:
    """The first folder of ours that lets itself be used, version 2 before version 1."""
    try:
        lines = [line.split(":", 2) for line in members.read_text("ascii").splitlines()]
    except OSError:
        return None
    for _, controllers, own in lines:
        if controllers == "":
            for base in (root, root / "unified"):
                # A group with processes in it hands nothing on, so that its parent may be the one.
                for folder in (_below(base, own), _below(base, own).parent):
                    if _hands_on_memory(folder) and _is_ours(folder):
                        return MemoryGroups(folder, 2)
    for _, controllers, own in lines:
        if "memory" in controllers.split(","):
            for folder in (_below(root / "memory", own), root / "memory"):
                if _is_ours(folder):
                    return MemoryGroups(folder, 1)
    return None


def _below(base: Path, own: str) -> Path:
    return base / own.lstrip("/")


def _hands_on_memory(folder: Path) -> bool:
    try:
        return "memory" in (folder / "cgroup.subtree_control").read_text("ascii").split()
    except OSError:
        return False


def _is_ours(folder: Path) -> bool:
    """Whether a group can be made there, and processes be moved into it."""
    trial = folder / f"{MARK}{os.getpid()}-0"
    if not os.access(folder / "cgroup.procs", os.W_OK):
        return False
    try:
        trial.mkdir()
        trial.rmdir()
    except OSError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Groups of servers that have ended; one with processes in it stays."""
    for old in folder.glob(f"{MARK}*"):
        owner = old.name.removeprefix(MARK).partition("-")[0]
        if not Path("/proc", owner).exists():
            MemoryGroup(old).close()
