"""Whether a trajectory has reached a limit; asked before anything is spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from core.run import Limits
from core.trajectory import NO_USAGE, ModelCall, StopReason, Usage

Number = TypeVar("Number", int, float)


def reached(limits: Limits, *, turns: int, usage: Usage, seconds: float) -> StopReason | None:
    """The first limit that is used up, or None.

    `usage` sums the agent's own calls, `seconds` run from the start. Tokens or a cost that were not
    reported are unknown, and stop nothing.
    """
    tokens = None
    if usage.input_tokens is not None and usage.output_tokens is not None:
        tokens = usage.input_tokens + usage.output_tokens
    spent = (
        (StopReason.MAX_TURNS, limits.max_turns, turns),
        (StopReason.MAX_TOKENS, limits.max_tokens, tokens),
        (StopReason.MAX_COST, limits.max_cost_usd, usage.cost_usd),
        (StopReason.MAX_SECONDS, limits.max_seconds, seconds),
    )
    for reason, limit, used in spent:
        if limit is not None and used is not None and used >= limit:
            return reason
    return None


class Left(NamedTuple):
    """What may still be used, never below 0; None where there is no limit, or nobody knows."""

    turns: int | None
    tokens: int | None
    cost_usd: float | None
    seconds: float | None


class Meter:
    """Counts the turns, the agent's own calls and the seconds of one exploration."""

    def __init__(self, limits: Limits, clock: Callable[[], float]) -> None:
        self.limits, self.turns = limits, 0
        self._usage = NO_USAGE
        self._clock, self._began = clock, clock()

    def spend(self, call: ModelCall) -> None:
        """Count one call. Tokens or a cost that were not reported stay unknown, and stop nothing."""
        self._usage = self._usage + call.usage

    def reached(self) -> StopReason | None:
        """The first limit that is used up, or None."""
        seconds = self._clock() - self._began
        return reached(self.limits, turns=self.turns, usage=self._usage, seconds=seconds)

    def left(self) -> Left:
        """What is left of each limit. Tokens or a cost that were not reported leave what nobody knows."""
        limits, usage = self.limits, self._usage
        tokens = None
        if usage.input_tokens is not None and usage.output_tokens is not None:
            tokens = usage.input_tokens + usage.output_tokens
        return Left(
            _rest(limits.max_turns, self.turns),
            _rest(limits.max_tokens, tokens),
            _rest(limits.max_cost_usd, usage.cost_usd),
            _rest(limits.max_seconds, self._clock() - self._began),
        )

    def refused(self) -> StopReason:
        """The limit behind a tool's refusal, which this count may not have reached yet."""
        # The caller's clock started earlier than ours; what else it counts alone is a run's money.
        timed = self.limits.max_seconds is not None
        return self.reached() or (StopReason.MAX_SECONDS if timed else StopReason.MAX_COST)


def _rest(limit: Number | None, used: Number | None) -> Number | None:
    return None if limit is None or used is None else max(limit - used, type(limit)())
