"""Give memory that a cell no longer uses back to the machine: between cells a session only waits."""

from __future__ import annotations

import ctypes

WORTH_IT = 1 << 20
"""Bytes of free memory more than the last time."""


class _Counts(ctypes.Structure):
    """The C library's `struct mallinfo2`."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


class Heap:
    """The C library's heap; of one that cannot be asked (other than glibc 2.33+) nothing is known."""

    def __init__(self) -> None:
        libc = ctypes.CDLL(None)
        self._trim = getattr(libc, "malloc_trim", None)
        self._count = getattr(libc, "mallinfo2", None)
        if self._count:
            self._count.restype = _Counts
        self._known = self._free()

    def tidy(self) -> None:
        """Hand back free pages, where a cell left many."""
        if self._trim and self._free() > self._known + WORTH_IT:
            self._trim(0)
            self._known = self._free()

    def _free(self) -> int:
        return int(self._count().fordblks) if self._count else 0
