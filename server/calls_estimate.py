"""What so many calls of one model will take, by the sizes of their prompts and of its replies."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final, Literal

from core.record import Record
from core.trajectory import Usage
from providers.pricing import PriceTable, priced

CHARACTERS: Final = 4.0
"""Of a prompt in a token, where nothing was measured."""


class CallsEstimate(Record):
    """Of the calls that are left to be made; second asks only as far as they were measured."""

    calls: int
    basis: Literal["measured", "assumed"]
    from_calls: int
    """Stored calls of the same model under the same prompts; 0 where it is assumed."""
    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    """Without any discount for cached prompts."""
    cost_reason: str | None
    seconds: float | None
    """None where no call was measured."""


def estimate_calls(
    sizes: Sequence[float],
    reply: float,
    *,
    model: str,
    prices: PriceTable | None,
    took_s: Sequence[float],
    side_by_side: int,
) -> CallsEstimate:
    """`sizes` and `reply` in tokens; `took_s`: how long each call took that they were measured by."""
    usages = [Usage(input_tokens=round(size), output_tokens=round(reply)) for size in sizes]
    costs = [priced(usage, model, prices) for usage in usages]
    unknown = next((c.cost_reason or "unknown" for c in costs if c.cost_usd is None), None)
    return CallsEstimate(
        calls=len(sizes),
        basis="measured" if took_s else "assumed",
        from_calls=len(took_s),
        input_tokens=sum(sizes),
        output_tokens=reply * len(sizes),
        cost_usd=None if unknown else sum(c.cost_usd or 0.0 for c in costs),
        cost_reason=unknown,
        seconds=fmean(took_s) * len(sizes) / max(1, side_by_side) if took_s else None,
    )
