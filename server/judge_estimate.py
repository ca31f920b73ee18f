"""What judging a run will take: the questions that are open, at what such questions took or may take."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from core.trajectory import ModelCall
from evaluator.asking import Message
from providers.pricing import PriceTable
from server.calls_estimate import CHARACTERS, CallsEstimate, estimate_calls

REPLY: Final = 150.0
"""Tokens of a verdict with its quote and its reason, where nothing was measured."""


def estimate_judging(
    questions: Sequence[Sequence[Message]],
    alike: Sequence[ModelCall],
    *,
    judge: str,
    prices: PriceTable | None,
    concurrency: int,
) -> CallsEstimate:
    """By the means of `alike`, calls that this judge answered; else by the length of the prompts."""
    known = [call for call in alike if call.error is None and call.usage.input_tokens is not None]
    if known:
        sizes = [_mean([call.usage.input_tokens for call in known])] * len(questions)
        reply = _mean([call.usage.output_tokens for call in known])
    else:
        sizes = [_length(messages) / CHARACTERS for messages in questions]
        reply = REPLY
    return estimate_calls(
        sizes,
        reply,
        model=judge,
        prices=prices,
        took_s=[call.duration_s for call in known],
        side_by_side=concurrency,
    )


def _mean(counts: Sequence[int | None]) -> float:
    return fmean(count for count in counts if count is not None) if any(counts) else 0.0


def _length(messages: Sequence[Message]) -> int:
    return sum(len(message["content"]) for message in messages)
