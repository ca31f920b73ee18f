"""Do what blocks in a thread of its own, so that whoever waits for it may go away."""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

EXIT_S = 2.0
"""How long the end of the process waits for threads that are at work."""


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
