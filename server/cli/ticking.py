"""Tell progress at each step, and between steps too, for something may be waited for; Ctrl-C stops it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from server.board import Board
from server.cli.interrupts import STOPPING, interruptible

if TYPE_CHECKING:
    from server.cli.output import Output, Progress

_TICK_S = 1.0


class Telling:
    """Joins what a step says with what the board shows."""

    def __init__(self, progress: Progress, board: Board, *, nouns: str = "") -> None:
        """`nouns` is what is counted: carriers."""
        self._progress, self._board, self._nouns = progress, board, nouns
        self._last: tuple[float, float, str] = (0, 0, "")

    def watch(self, done: float, total: float, what: str = "") -> None:
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
async def ticking(*shows: Callable[[], None]) -> AsyncIterator[None]:
    """Have each tell every second while this lasts."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            for show in shows:
                show()

    task = asyncio.create_task(tick())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def carry_out(
    work: Callable[[Telling], Coroutine[Any, Any, object]],
    board: Board,
    out: Output,
    *,
    doing: str,
    stop: Callable[[], None],
    nouns: str = "",
) -> bool:
    """Ask models with progress; whether it was interrupted. `stop` has no further call begun."""

    def on_interrupt() -> None:
        stop()
        out.note(STOPPING)

    async def ask(telling: Telling) -> bool:
        async with ticking(telling.show):
            return await interruptible(work(telling), stop=on_interrupt)

    with out.progress(doing) as progress:
        return asyncio.run(ask(Telling(progress, board, nouns=nouns)))
