"""Ctrl-C once lets what is open come to its end; twice drops it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from typing import Any, Final

INTERRUPTED: Final = 130
"""The exit code, as a shell gives it."""
STOPPING: Final = "stopping when the open model calls end; Ctrl-C again drops them"
"""What is said at the first one."""


async def interruptible(
    work: Coroutine[Any, Any, object], *, stop: Callable[[], None] | None
) -> bool:
    """Do the work; whether it was interrupted.

    The first Ctrl-C calls `stop`, after which the work is to end by itself; without `stop`, and at
    the second, the work is cancelled. Where there are no signals to be had (not in the main thread)
    Ctrl-C stays a KeyboardInterrupt.
    """
    task = asyncio.create_task(work)
    pressed = 0

    def on_signal() -> None:
        nonlocal pressed
        pressed += 1
        if stop is not None and pressed == 1:
            stop()
        else:
            task.cancel()

    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, on_signal)
    except (NotImplementedError, RuntimeError, ValueError):
        await task
        return False
    try:
        await task
    except asyncio.CancelledError:
        if not pressed:
            raise
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    return pressed > 0
