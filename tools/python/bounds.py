"""What one session of Python may take of the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """The bounds of one kernel and of all that it starts, whatever its cells ask for."""

    memory_mb: int = 2048
    """Of one process, beside what the libraries take from the start; and of all together, where
    the machine lets us say so (tools/python/memory.py)."""
    tmp_mb: int = 128
    shared_mb: int = 16
    inodes: int = 8192
    """Files and folders in each of the two."""
    file_mb: int = 128
    files: int = 256
    """Open ones."""
    processes: int = 32
    """Threads count too."""
    cpu_s: int = 3600
    """Of one process in its whole life; a cell's own bound is its wall time."""
