"""End work that runs too long: interrupt it until it gives in, and let nobody wait for it."""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal, TypeVar

T = TypeVar("T")

REPEAT_S = 0.05
"""An interrupt that falls between two operators is lost, so it is said again."""
EXIT_S = 2.0
"""How long the end of the process waits for threads that are at work."""


class Deadline:
    """How long one piece of work may take. `reason` says whether and why it was cut short."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.reason: Literal["timeout", "cancelled"] | None = None
        self._ended = threading.Event()

    def cancel(self) -> None:
        """End the work now, whether it runs already or not."""
        self.reason = self.reason or "cancelled"
        self._ended.set()

    def expire(self) -> None:
        """Time is up, whatever the work's own clock says."""
        self.reason = self.reason or "timeout"
        self._ended.set()

    @contextmanager
    def watching(self, interrupt: Callable[[], object]) -> Iterator[None]:
        """Around the work: when time is up, `interrupt` is called until the work gives in."""
        over = threading.Event()

        def watch() -> None:
            self._ended.wait(self.seconds)
            if not over.is_set():
                self.reason = self.reason or "timeout"
            while not over.is_set():
                interrupt()
                over.wait(REPEAT_S)

        watcher = threading.Thread(target=watch, name="deadline", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            self._ended.set()
            watcher.join()  # at once: nothing may be interrupted after the work has ended


async def in_thread(work: Callable[[], T], *, name: str) -> T:
    """Run blocking work in a daemon thread. A waiter that goes away leaves it to end by itself.

    The default executor is no place for it: the end of the process would wait for it without end.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(deliver: Callable[[], None]) -> None:
        def unless_gone() -> None:
            if not future.done():
                deliver()

        try:
            loop.call_soon_threadsafe(unless_gone)
        except RuntimeError:  # the loop is closed: nobody is left to be told
            return

    def body() -> None:
        try:
            result = work()
        except BaseException as exc:  # noqa: BLE001 - handed to the waiter, whatever it is
            error = exc
            settle(lambda: future.set_exception(error))
        else:
            settle(lambda: future.set_result(result))

    thread = threading.Thread(target=body, name=name, daemon=True)
    _started[:] = [*(t for t in _started if t.is_alive()), thread]
    thread.start()
    return await future


_started: list[threading.Thread] = []


@atexit.register
def _let_them_end() -> None:
    """A thread that meets the end of the interpreter in mid-step can abort the whole process."""
    last = time.monotonic() + EXIT_S
    for thread in _started:
        if thread.is_alive():
            thread.join(max(last - time.monotonic(), 0))
