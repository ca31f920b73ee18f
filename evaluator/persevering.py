"""Ask one endpoint many things, a bounded number at a time, and give up when going on is useless."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from typing import Final, Generic, TypeVar

from core.errors import CheckerError, ProviderError

FAILURES: Final = 3
"""So many failures in a row end it."""

Case = TypeVar("Case")
Found = TypeVar("Found")


class Endpoint(Generic[Case, Found]):
    """How an endpoint has behaved so far, over all that it was asked."""

    def __init__(self, name: str, *, concurrency: int) -> None:
        """`name` is for the error; `concurrency` is how many requests are under way at a time."""
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self._name, self._concurrency = name, concurrency
        self._failures = 0

    async def ask(
        self, cases: Iterable[Case], ask: Callable[[Case], Awaitable[Found]]
    ) -> AsyncGenerator[tuple[Case, Found | ProviderError], None]:
        """Every case with what was found, or with the failure that was its own, as they come.

        A failure is held back until something else was answered, or all is asked: until then it may
        be the endpoint's. Raises CheckerError on a refused key and on the third failure in a row, and
        whatever else `ask` raises; what failed since the last answer is not given then, and what was
        under way is, since it is paid for.
        """
        left = iter(cases)
        under_way: dict[asyncio.Task[Found], Case] = {}
        held: list[tuple[Case, Found | ProviderError]] = []
        end: Exception | None = None

        async def asked(case: Case) -> Found:
            return await ask(case)

        try:
            while True:
                while end is None and len(under_way) < self._concurrency:
                    try:
                        case = next(left)
                    except StopIteration:
                        break
                    under_way[asyncio.create_task(asked(case))] = case
                if not under_way:
                    break
                await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in [task for task in under_way if task.done()]:
                    case = under_way.pop(task)
                    error = task.exception()
                    if isinstance(error, ProviderError):
                        held.append((case, error))
                        end = end or self._ending(error)
                        continue
                    if isinstance(error, Exception):
                        end = end or error
                        continue
                    found = task.result()
                    self._failures = 0
                    if end is None:
                        for pair in held:
                            yield pair
                        held.clear()
                    yield case, found
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)
        if end is not None:
            raise end
        for pair in held:
            yield pair

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
            f"the judge {self._name} failed{times}: {error}. The verdicts so far stand; evaluate "
            "again to go on at the first item without one"
        )
        ended.__cause__ = error
        return ended
