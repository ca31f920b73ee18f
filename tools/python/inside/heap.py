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


_libc = ctypes.CDLL(None)
_trim = getattr(_libc, "malloc_trim", None)
_count = getattr(_libc, "mallinfo2", None)
if _count:
    _count.restype = _Counts


class Heap:
    """The C library's heap; of one that cannot be asked (other than glibc 2.33+) nothing is known."""

    def __init__(self) -> None:
        self._known = _free()

    def tidy(self) -> None:
        """Hand back free pages, where a cell left many."""
        if _trim and _free() > self._known + WORTH_IT:
            _trim(0)
            self._known = _free()


def _free() -> int:
    """Bytes that the C library holds and nobody uses."""
    return int(_count().fordblks) if _count else 0
