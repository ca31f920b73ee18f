"""Who comes next: a bounded number of places for the earliest comers, and one of a kind before its like."""

from __future__ import annotations

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from itertools import count
from typing import Generic, TypeVar

Case = TypeVar("Case")


class Places:
    """So many places; of those that wait for one the lowest rank gets the next."""

    def __init__(self, number: int) -> None:
        if number < 1:
            raise ValueError("there must be at least 1 place")
        self._free = number
        self._tickets = count()
        self._line: list[tuple[int, int, asyncio.Future[None]]] = []

    def queue(self, rank: int) -> asyncio.Future[None]:
        """Done once there is a place; one that is cancelled before has lost its turn."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._line, (rank, next(self._tickets), turn))
        self.give_back(0)
        return turn

    def give_back(self, number: int = 1) -> None:
        """So many are free again."""
        self._free += number
        while self._free and self._line:
            _, _, turn = heapq.heappop(self._line)
            if not turn.done():
                self._free -= 1
                turn.set_result(None)


class Order(Generic[Case]):
    """Cases in their order, but of those that share something one alone before all the others.

    A provider caches the beginning of a prompt once a request with it is answered: two that begin
    alike and are asked at the same time both pay for it.
    """

    def __init__(
        self, cases: Iterable[Case], shares: Callable[[Case], Hashable] | None = None
    ) -> None:
        """`shares`: a key of what a case has in common with others; None = nothing."""
        self._left, self._shares = iter(cases), shares
        self._next: deque[Case] = deque()
        self._held: dict[Hashable, list[Case]] = {}
        self._led: set[Hashable] = set()

    def __bool__(self) -> bool:
        """Whether there is a case that may begin now; more may come as others end."""
        if not self._next:
            self._pull()
        return bool(self._next)

    @property
    def holds(self) -> bool:
        """Whether some wait for their like."""
        return any(self._held.values())

    def pop(self) -> Case:
        """The next one. Raises IndexError where none may begin."""
        return self._next.popleft()

    def ended(self, case: Case) -> None:
        """Its like may begin now, and come before the rest."""
        if self._shares is not None:
            self._release(self._shares(case))

    def let_go(self) -> None:
        """All that are held may begin."""
        for key in list(self._held):
            self._release(key)

    def _release(self, key: Hashable) -> None:
        self._led.add(key)
        self._next.extendleft(reversed(self._held.pop(key, [])))

    def _pull(self) -> None:
        """Up to the first of the rest that may begin; those before it are held."""
        for case in self._left:
            key = None if self._shares is None else self._shares(case)
            if key in self._held:
                self._held[key].append(case)
                continue
            if key is not None and key not in self._led:
                self._held[key] = []
            self._next.append(case)
            return
