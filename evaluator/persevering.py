"""Ask one endpoint many things, a bounded number at a time, and give up when going on is useless."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, Generic, TypeVar

from core.errors import CheckerError, ProviderError
from evaluator.queueing import Order, Places

FAILURES: Final = 3
"""So many failures in a row end it."""
PATIENCE_S: Final = 30.0
"""How long cases wait at most for one that begins alike (Endpoint.ask)."""

Case = TypeVar("Case")
Found = TypeVar("Found")


@dataclass(eq=False)
class _Asking(Generic[Case, Found]):
    """One call of `ask`, and what it holds."""

    rank: int
    turn: asyncio.Future[None] | None = None
    """What it waits for a place with."""
    places: int = 0
    under_way: dict[asyncio.Task[Found], Case] = field(default_factory=dict)
    end: Exception | None = None
    """Why it asks nothing more."""

    def stop(self, end: Exception) -> None:
        """Ask nothing more; what is under way goes on."""
        self.end = self.end or end
        if self.turn is not None:
            self.turn.cancel()


class Endpoint(Generic[Case, Found]):
    """How an endpoint has behaved so far, over all that it was asked."""

    def __init__(self, name: str, *, concurrency: int) -> None:
        """`name` is for the error; `concurrency` is how many cases are under way at a time, over all
        calls of `ask`.
        """
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self._name, self.concurrency = name, concurrency
        self._places = Places(concurrency)
        self._ranks = count()
        self._open: set[_Asking[Case, Found]] = set()
        self._failures = self._answers = 0

    async def ask(
        self,
        cases: Iterable[Case],
        ask: Callable[[Case], Awaitable[Found]],
        *,
        shares: Callable[[Case], Hashable] | None = None,
    ) -> AsyncGenerator[tuple[Case, Found | ProviderError], None]:
        """Every case with what was found, or with the failure that was its own, as they come.

        It may be called while another call is open: the earlier one's cases come first. A case gives
        its place back when the next result is asked for, so that whoever stores the results one by
        one never has more than `concurrency` unstored. Of the cases of one `shares` key the first is
        asked alone, that a prompt cache may serve the others; none waits for it for ever.

        A failure is held back until something else was answered, or all is asked: until then it may
        be the endpoint's. Raises CheckerError on a refused key and on the third failure in a row, and
        whatever else `ask` raises; all calls that are open end with it. What failed since the last
        answer is not given then, and what was under way is, since it is paid for.
        """
        order = Order(cases, shares)
        mine: _Asking[Case, Found] = _Asking(next(self._ranks))
        held: list[tuple[Case, ProviderError, int]] = []
        self._open.add(mine)
        try:
            while await self._step(mine, order, ask):
                for task in [task for task in mine.under_way if task.done()]:
                    case = mine.under_way.pop(task)
                    order.ended(case)
                    error = task.exception()
                    if isinstance(error, ProviderError):
                        held.append((case, error, self._answers))
                        self._failed(mine, error)
                    elif isinstance(error, Exception):
                        self._stop(error)
                    else:
                        self._failures, self._answers = 0, self._answers + 1
                        yield case, task.result()
                while mine.end is None and held and held[0][2] < self._answers:
                    yield held.pop(0)[:2]
        finally:
            await self._close(mine)
        if mine.end is not None:
            raise mine.end
        for case, error, _ in held:
            yield case, error

    async def _step(
        self,
        mine: _Asking[Case, Found],
        order: Order[Case],
        ask: Callable[[Case], Awaitable[Found]],
    ) -> bool:
        """Give back what is not needed, begin what may begin, and wait until something has happened.

        False where nothing is left to wait for.
        """
        if mine.turn is None and mine.end is None and order:
            mine.turn = self._places.queue(mine.rank)
        self._give_back(mine)
        while self._begin(mine, order, ask) and order:
            mine.turn = self._places.queue(mine.rank)
        waits: set[asyncio.Future[Any]] = {*mine.under_way}
        if mine.turn is not None:
            waits.add(mine.turn)
        if not waits:
            return False
        patience = PATIENCE_S if order.holds else None
        done, _ = await asyncio.wait(waits, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            order.let_go()
        return True

    def _begin(
        self,
        mine: _Asking[Case, Found],
        order: Order[Case],
        ask: Callable[[Case], Awaitable[Found]],
    ) -> bool:
        """Begin the next case if it is its turn; whether it was."""
        if mine.turn is None or not mine.turn.done():
            return False
        turn, mine.turn = mine.turn, None
        if turn.cancelled():
            return False
        mine.places += 1
        if mine.end is not None:
            return False
        case = order.pop()
        mine.under_way[asyncio.create_task(_asked(ask, case))] = case
        return True

    async def _close(self, mine: _Asking[Case, Found]) -> None:
        """End what is under way, and leave the line."""
        self._open.discard(mine)
        for task in mine.under_way:
            task.cancel()
        await asyncio.gather(*mine.under_way, return_exceptions=True)
        mine.under_way.clear()
        if mine.turn is not None and not mine.turn.cancel() and not mine.turn.cancelled():
            mine.places += 1
        self._give_back(mine)

    def _give_back(self, mine: _Asking[Case, Found]) -> None:
        spare = mine.places - len(mine.under_way)
        mine.places -= spare
        self._places.give_back(spare)

    def _failed(self, mine: _Asking[Case, Found], error: ProviderError) -> None:
        if mine.end is None and (end := self._ending(error)) is not None:
            self._stop(end)

    def _stop(self, end: Exception) -> None:
        for each in self._open:
            each.stop(end)

    def _ending(self, error: ProviderError) -> CheckerError | None:
        """What ends it, if this failure is one too many."""
        if error.kind == "context_length":
            return None  # this one prompt is too long; the endpoint is well
        self._failures += 1
        if error.kind != "auth" and self._failures < FAILURES:
            return None
        times = "" if error.kind == "auth" else f" {self._failures} times in a row"
        self._failures = 0
        ended = CheckerError(
            f"the judge {self._name} failed{times}: {error}. What was answered so far is kept; the "
            "same command goes on"
        )
        ended.__cause__ = error
        return ended


async def _asked(ask: Callable[[Case], Awaitable[Found]], case: Case) -> Found:
    return await ask(case)
