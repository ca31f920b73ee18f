"""What judging a run will take: the questions that are open, at what such questions took or may take."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final, Literal

from core.record import Record
from core.trajectory import ModelCall, Usage
from evaluator.asking import Enquiry
from providers.pricing import PriceTable, priced

CHARACTERS: Final = 4.0
"""Of a prompt in a token, where nothing was measured."""
REPLY: Final = 150.0
"""Tokens of a verdict with its quote and its reason, where nothing was measured."""


class JudgeEstimate(Record):
    """Of the questions that have no verdict yet; second asks only as far as they were measured."""

    calls: int
    basis: Literal["measured", "assumed"]
    from_calls: int
    """Stored calls of the same judge under the same prompts; 0 where it is assumed."""
    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    """Without any discount for cached prompts."""
    cost_reason: str | None
    seconds: float | None
    """None where no call was measured."""


def estimate_judging(
    enquiries: Sequence[Enquiry],
    alike: Sequence[ModelCall],
    *,
    judge: str,
    prices: PriceTable | None,
    concurrency: int,
) -> JudgeEstimate:
    """By the means of `alike`, calls that this judge answered; else by the length of the prompts."""
    known = [call for call in alike if call.error is None and call.usage.input_tokens is not None]
    if known:
        sizes = [_mean([call.usage.input_tokens for call in known])] * len(enquiries)
        reply = _mean([call.usage.output_tokens for call in known])
    else:
        sizes = [_length(enquiry) / CHARACTERS for enquiry in enquiries]
        reply = REPLY
    usages = [Usage(input_tokens=round(size), output_tokens=round(reply)) for size in sizes]
    costs = [priced(usage, judge, prices) for usage in usages]
    unknown = next((c.cost_reason or "unknown" for c in costs if c.cost_usd is None), None)
    pace = fmean(call.duration_s for call in known) if known else None
    return JudgeEstimate(
        calls=len(enquiries),
        basis="measured" if known else "assumed",
        from_calls=len(known),
        input_tokens=sum(sizes),
        output_tokens=reply * len(enquiries),
        cost_usd=None if unknown else sum(c.cost_usd or 0.0 for c in costs),
        cost_reason=unknown,
        seconds=None if pace is None else pace * len(enquiries) / max(1, concurrency),
    )


def _mean(counts: Sequence[int | None]) -> float:
    return fmean(count for count in counts if count is not None) if any(counts) else 0.0


def _length(enquiry: Enquiry) -> int:
    return sum(len(message["content"]) for message in enquiry.messages)
