"""Count input tokens three ways, for they are three different figures: billed, peak and new.

A conversation re-sends its history, so that the sum of what is billed grows with the square of the
turns while the context grows with the turns alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from core.trajectory import ModelCall


def billed_input(calls: Iterable[ModelCall]) -> int | None:
    """All input tokens of all calls, re-sent ones each time; None where a call reported none."""
    counts = _inputs(calls)
    return None if counts is None else sum(counts)


def peak_context(calls: Iterable[ModelCall]) -> int | None:
    """The longest prompt of these calls; None where a call reported none, 0 without calls."""
    counts = _inputs(calls)
    return None if counts is None else max(counts, default=0)


def new_input(calls: Iterable[ModelCall]) -> int | None:
    """Input tokens that no earlier call of the same conversation had sent.

    The growth of the prompt from call to call, in the calls' order; a prompt that was cut to fit
    adds nothing until it grows again. None where a call reported none.
    """
    counts = _inputs(calls)
    if counts is None:
        return None
    grown, before = 0, 0
    for count in counts:
        grown += max(0, count - before)
        before = count
    return grown


def _inputs(calls: Iterable[ModelCall]) -> list[int] | None:
    counts = [call.usage.input_tokens for call in calls]
    known = [count for count in counts if count is not None]
    return known if len(known) == len(counts) else None
