"""Tell progress at each step, and between steps too, for something may be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from server.board import Board

if TYPE_CHECKING:
    from server.cli.output import Progress

_TICK_S = 1.0


class Telling:
    """Joins what a step says with what the board shows."""

    def __init__(self, progress: Progress, board: Board) -> None:
        self._progress, self._board = progress, board
        self._last: tuple[float, float, str] = (0, 0, "")

    def watch(self, done: float, total: float, what: str) -> None:
        """A step."""
        self._last = done, total, what
        self._show()

    @asynccontextmanager
    async def ticking(self) -> AsyncIterator[None]:
        """Tell every second while this lasts."""
        task = asyncio.create_task(self._tick())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            self._show()

    def _show(self) -> None:
        done, total, what = self._last
        told = [part for part in (what, self._board.line()) if part]
        if told:
            self._progress.update(done, total, " | ".join(told))
