"""The same work done the old way and ours, in turn, so that a noisy machine is noisy to both."""

from __future__ import annotations

import functools
import itertools
import statistics
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.figures import Measured, Say
from bench.hands import timed, timed_in_thread

ROUNDS = 5
WARM_UPS = 2


@dataclass(frozen=True)
class Pair:
    """One piece of work, done in two ways; each takes the number of the repetition."""

    name: str
    old: Callable[[int], Any]
    """Blocks."""
    ours: Callable[[int], Awaitable[Any]]
    alike: Callable[[Any, Any], bool]
    """Whether the old result and ours say the same."""


async def ratio(pair: Pair, per_round: int, say: Say, remark: str = "") -> Measured:
    """The old median by ours. A round is one repetition of the old way and `per_round` of ours.

    No repetition does what another did. Raises RuntimeError where the two results differ.
    """
    numbers = itertools.count(1)
    for number in itertools.islice(numbers, WARM_UPS):
        await pair.ours(number)
    old: list[float] = []
    ours: list[float] = []
    for turn in range(1, ROUNDS + 1):
        say(f"{pair.name}, {turn} of {ROUNDS}")
        number = next(numbers)
        expected, took = await timed_in_thread(functools.partial(pair.old, number))
        old.append(took)
        given, took = await timed(pair.ours(number))
        ours.append(took)
        if not pair.alike(expected, given):
            told = f"{str(given)[:200]} in place of {str(expected)[:200]}"
            raise RuntimeError(f"{pair.name} gives {told}")
        for number in itertools.islice(numbers, per_round - 1):
            _, took = await timed(pair.ours(number))
            ours.append(took)
    return against(old, ours, remark)


def against(old: Sequence[float], ours: Sequence[float], remark: str = "") -> Measured:
    """The ratio of two medians, and both of them in milliseconds; the times are seconds."""
    then, now = 1000 * statistics.median(old), 1000 * statistics.median(ours)
    return Measured(then / now, f"{then:.4g} ms by {now:.4g} ms{remark}")
