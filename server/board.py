"""What is going on right now: counts for whoever watches, and the wish to stop."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.trajectory import ModelCall
from core.wording import counted

_LATELY_S = 60.0


class Board:
    """Turns, tokens, spend, rate, and what is waiting for what.

    A run has a board of its own. The `parent` that the runs of one invocation share holds the wish
    to stop, so that it reaches all of them.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, parent: Board | None = None
    ) -> None:
        self.turns = self.calls = self.tokens = 0
        self.cost_usd: float | None = None
        """Of the calls that have a price; None before the first of them."""
        self.unpriced = 0
        """Calls whose cost is not known."""
        self._parent, self._stopping = parent, False
        self._busy: Counter[str] = Counter()
        self._pause: tuple[str, float] | None = None
        self._clock = clock
        self._ended: deque[float] = deque()

    @property
    def stopping(self) -> bool:
        """No new work is to begin; model calls that are open may end."""
        return self._stopping if self._parent is None else self._parent.stopping

    @stopping.setter
    def stopping(self, wish: bool) -> None:
        if self._parent is None:
            self._stopping = wish
        else:
            self._parent.stopping = wish

    @contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Count one more that waits for `what` while this lasts."""
        self._busy[what] += 1
        try:
            yield
        finally:
            self._busy[what] -= 1

    def paused(self, why: str, seconds: float) -> None:
        """A request is to be repeated after a pause."""
        self._pause = (why, self._clock() + seconds)

    def count(self, call: ModelCall) -> None:
        """One model call ended, of whatever role."""
        now = self._clock()
        self.calls += 1
        self.tokens += (call.usage.input_tokens or 0) + (call.usage.output_tokens or 0)
        if call.usage.cost_usd is None:
            self.unpriced += 1
        else:
            self.cost_usd = (self.cost_usd or 0.0) + call.usage.cost_usd
        self._ended.append(now)
        while now - self._ended[0] >= _LATELY_S:
            self._ended.popleft()

    def line(self) -> str:
        """All of it in one line; '' before anything happened. No figures of models where none is asked."""
        waiting = [f"{count} for {what}" for what, count in self._busy.items() if count]
        if self._pause and self._pause[1] > self._clock():
            left = self._pause[1] - self._clock()
            waiting.append(f"a pause of {left:.0f} s ({self._pause[0]})")
        parts = [counted(self.turns, "turn")] if self.turns else []
        if self.calls:
            parts += [counted(self.calls, "call"), counted(self.tokens, "token")]
        if self.cost_usd is not None:
            least = "at least " if self.unpriced else ""
            parts.append(f"{least}${self.cost_usd:.4f}")
        if rate := self._rate():
            parts.append(f"{rate:.1f} calls/s")
        if waiting:
            parts.append(f"waiting: {', '.join(waiting)}")
        return "; ".join(parts)

    def _rate(self) -> float | None:
        """Calls a second over the last minute."""
        if len(self._ended) < 2 or self._ended[-1] <= self._ended[0]:
            return None
        return (len(self._ended) - 1) / (self._ended[-1] - self._ended[0])
