"""Sum up model calls of one role; what one of them did not report makes its sum unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.trajectory import ModelCall


@dataclass(frozen=True)
class Spent:
    """The model calls of one role. A sum is None where a part of it is not known."""

    role: str
    calls: int
    failed: int
    """Of them: an error came in place of a reply."""
    input_tokens: int | None
    """Cached ones included."""
    output_tokens: int | None
    """Reasoning included."""
    cached_tokens: int | None
    """Of the input, read from a cache."""
    cache_share: float | None
    """Cached / all input tokens, over the calls that report both; None where none does."""
    reporting_cache: int
    """Those calls."""
    reasoning_tokens: int | None
    cost_usd: float | None
    known_cost_usd: float | None
    """The sum of the costs that are known; None where none is."""
    unpriced: int
    """Calls without a cost."""
    cost_reason: str | None
    seconds: float | None
    """Spent in these calls; None where nobody measured."""


def spent(role: str, calls: Sequence[ModelCall]) -> Spent:
    """What was recalled took nothing, and is not counted."""
    own = [call for call in calls if not call.is_recalled]
    usages = [call.usage for call in own]
    cached = [
        (usage.cached_input_tokens, usage.input_tokens)
        for usage in usages
        if usage.cached_input_tokens is not None and usage.input_tokens is not None
    ]
    read = sum(whole for _, whole in cached)
    prices = [usage.cost_usd for usage in usages]
    known = [price for price in prices if price is not None]
    return Spent(
        role=role,
        calls=len(own),
        failed=sum(call.error is not None for call in own),
        input_tokens=_sum([usage.input_tokens for usage in usages]),
        output_tokens=_sum([usage.output_tokens for usage in usages]),
        cached_tokens=_sum([usage.cached_input_tokens for usage in usages]),
        cache_share=sum(part for part, _ in cached) / read if read else None,
        reporting_cache=len(cached),
        reasoning_tokens=_sum([usage.reasoning_tokens for usage in usages]),
        cost_usd=sum(known) if len(known) == len(prices) else None,
        known_cost_usd=sum(known) if known else None,
        unpriced=len(prices) - len(known),
        cost_reason=next((u.cost_reason for u in usages if u.cost_usd is None), None),
        seconds=time_of([call.duration_s for call in own]),
    )


def time_of(seconds: Sequence[float]) -> float | None:
    """The sum; None where every part is 0, which no clock says: nobody measured. 0 of nothing."""
    return sum(seconds) if not seconds or any(seconds) else None


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
