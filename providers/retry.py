"""Ask again where waiting may help: bounded attempts, growing pauses, what the endpoint asks for."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from core.errors import ProviderError, ProviderFault

PASSING: Final[frozenset[ProviderFault]] = frozenset(
    {"rate_limit", "server", "timeout", "connection"}
)
"""Kinds of failure that may pass by themselves."""

T = TypeVar("T")


class EndpointError(ProviderError):
    """A ProviderError that knows how long the endpoint asks to be left alone."""

    def __init__(
        self,
        text: str,
        *,
        kind: ProviderFault,
        status_code: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(text, status_code=status_code, kind=kind)
        self.retry_after_s = retry_after_s


@dataclass(frozen=True)
class Backoff:
    """How patient we are with an endpoint."""

    attempts: int = 6
    """Requests in all, the first one included."""
    first_s: float = 1.0
    """The longest first pause; each later one is `factor` times as long."""
    factor: float = 2.0
    cap_s: float = 60.0
    """No pause is longer, whatever the endpoint asks for."""
    total_s: float = 1200.0
    """No request starts later than this after the first one."""

    def pause(self, failed: int, asked_s: float | None, jitter: float) -> float:
        """Seconds to wait after so many failed attempts; `jitter` is from 0 to 1.

        What the endpoint asks for (Retry-After) is honoured; otherwise half of the pause is by
        chance, so that runs that failed together do not come back together.
        """
        if asked_s is not None:
            return min(self.cap_s, max(0.0, asked_s))
        return min(self.cap_s, self.first_s * self.factor ** (failed - 1)) * (0.5 + jitter / 2)


@dataclass(frozen=True)
class Wait:
    """A pause that is about to begin, for whoever shows what is waiting for what."""

    error: ProviderError
    attempt: int
    """How many requests have failed."""
    seconds: float


async def persist(
    ask: Callable[[], Awaitable[T]],
    backoff: Backoff,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
    chance: Callable[[], float] = random.random,
    on_wait: Callable[[Wait], None] | None = None,
) -> T:
    """The first answer. Raises the last ProviderError, which then says how often was asked."""
    begun = clock()
    failed = 0
    while True:
        try:
            return await ask()
        except ProviderError as exc:
            failed += 1
            asked_s = exc.retry_after_s if isinstance(exc, EndpointError) else None
            seconds = backoff.pause(failed, asked_s, chance())
            late = clock() - begun + seconds > backoff.total_s
            if exc.kind not in PASSING or failed >= backoff.attempts or late:
                raise _counted(exc, failed, clock() - begun) from exc
            if on_wait is not None:
                on_wait(Wait(exc, failed, seconds))
        await sleep(seconds)


def _counted(error: ProviderError, failed: int, passed_s: float) -> ProviderError:
    """The same error, with the attempts in its text where there were several."""
    times = f" (asked {failed} times in {passed_s:.0f} s)" if failed > 1 else ""
    return ProviderError(f"{error}{times}", status_code=error.status_code, kind=error.kind)
