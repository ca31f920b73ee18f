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

    def __init__(self, progress: Progress, board: Board, *, nouns: str = "") -> None:
        """`nouns` is what is counted: carriers."""
        self._progress, self._board, self._nouns = progress, board, nouns
        self._last: tuple[float, float, str] = (0, 0, "")

    def watch(self, done: float, total: float, what: str) -> None:
        """A step."""
        self._last = done, total, what
        self.show()

    def show(self) -> None:
        """How it stands now."""
        done, total, what = self._last
        count = f"{done:g} of {total:g} {self._nouns}" if total and self._nouns else ""
        told = [part for part in (count, what, self._board.line()) if part]
        if told:
            self._progress.update(done, total, " | ".join(told))


@asynccontextmanager
async def ticking(*tellings: Telling) -> AsyncIterator[None]:
    """Tell every second while this lasts."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            for telling in tellings:
                telling.show()

    task = asyncio.create_task(tick())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
