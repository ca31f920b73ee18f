"""Work that takes a whole core: one request at a time does it, a few wait, and the rest are told so."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from server.dashboard.refusals import RefusedError

WAITING: Final = 4
"""Each that waits holds one of the threads that serve all pages."""
PATIENCE_S: Final = 30.0


class Queue:
    """One of a worker, for one kind of work."""

    def __init__(self, what: str, waiting: int = WAITING) -> None:
        """`what`: as in 'Another proof is being made'; `waiting`: how many may."""
        self._what = what
        self._places = threading.BoundedSemaphore(1 + waiting)
        self._work = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """While it is one's turn. Raises RefusedError 503 where too many wait, or it takes too long."""
        busy = RefusedError(503, f"{self._what}: try again in a moment.")
        if not self._places.acquire(blocking=False):
            raise busy
        try:
            if not self._work.acquire(timeout=PATIENCE_S):
                raise busy
            try:
                yield
            finally:
                self._work.release()
        finally:
            self._places.release()
