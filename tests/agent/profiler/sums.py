"""Sums that the oracle makes by itself, and what it means that a number was printed rightly."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A number as printed: 1,234.5 or 12.3%."""

    text: str

    @property
    def value(self) -> float:
        """Its value; percents as parts of one."""
        plain = float(self.text.removesuffix("%").replace(",", ""))
        return plain / 100 if self.text.endswith("%") else plain

    @property
    def unit(self) -> float:
        """The size of its last digit."""
        digits = self.text.removesuffix("%").replace(",", "").partition(".")[2]
        return 10.0 ** -len(digits) / (100 if self.text.endswith("%") else 1)


def printed(text: str, true: float | None) -> None:
    """Raises AssertionError unless the text is the true value, rounded to what it shows."""
    assert true is not None, f"{text} is printed, but there is no such figure"
    number = Number(text)
    slack = 0.5 * number.unit + 1e-9 * max(1.0, abs(true))
    assert abs(number.value - true) <= slack, f"{text} is printed, but it is {true}"
    if text.endswith("%") and number.value in (0.0, 1.0):
        assert true == number.value, f"{text} is printed, but it is {true}, not none or all"


def mean(values: Sequence[float]) -> float:
    """The mean, summed exactly."""
    return math.fsum(values) / len(values)


def quantile(values: Sequence[float], part: float) -> float:
    """The continuous quantile."""
    ranked = sorted(values)
    place = part * (len(ranked) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's r."""
    return statistics.correlation([x for x, _ in pairs], [y for _, y in pairs])
