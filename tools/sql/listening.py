"""Who of a worker's threads listens to the pool: one at a time, and mostly the one that answers too."""

from __future__ import annotations

import threading
import time

TICK_S = 0.02
"""A statement that takes one or two of these has somebody listen beside it: long before the pool sends
another one, or `stop`."""


class Listening:
    """The right to listen, free while whoever had it answers.

    To wake another thread for it would cost more than many a query: the same one comes back for it, and
    only where that takes longer than a tick another has it. Nobody ticks while nothing comes.
    """

    def __init__(self) -> None:
        self._right, self._next = threading.Lock(), threading.Lock()
        self._freed = threading.Event()

    def __enter__(self) -> None:
        """Have the right, at once where it is free; else be one of those who wait for it to be left."""
        if not self._right.acquire(blocking=False):
            self._stand_by()

    def __exit__(self, *raised: object) -> None:
        """Leave it, to answer."""
        self._right.release()
        self._freed.set()

    def _stand_by(self) -> None:
        # After each `__exit__` somebody looks, one tick later or two, whether the right still lies there: the
        # mark is set once it is free, and taken away only before a whole tick.
        with self._next:
            while True:
                self._freed.wait()
                self._freed.clear()
                time.sleep(TICK_S)
                if not self._freed.is_set() and self._right.acquire(blocking=False):
                    return
