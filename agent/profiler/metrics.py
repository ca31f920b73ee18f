"""A figure that can be averaged over rows: a value itself, whether it is missing or beyond a bound."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.profiler import quoting
from agent.profiler.columns import Figures
from agent.profiler.roles import Column, Role
from agent.profiler.surprise import share_deviation, share_swing, swing
from agent.profiler.wording import amount, exact, share, year

_MINUTES = (0.0, 15.0, 30.0, 60.0, 120.0, 180.0, 240.0, 300.0)


@dataclass(frozen=True)
class Metric:
    """One figure per row and how to speak of its mean."""

    column: Column
    form: Literal["mean", "missing", "above", "below"] = "mean"
    bound: float = 0.0

    @property
    def key(self) -> str:
        """What tells it from other metrics."""
        return f"{self.column.alias}.{self.column.key} {self.form} {self.bound}"

    @property
    def topic(self) -> str:
        """What findings about it are about: a gap in the data is another topic than the values."""
        return f"{self.column.key} missing" if self.form == "missing" else self.column.key

    @property
    def expr(self) -> str:
        """SQL: a number per row, NULL where the row does not count."""
        x = self.column.expr
        if self.form == "missing":
            return f"CASE WHEN {x} IS NULL THEN 1.0 ELSE 0.0 END"
        if self.form == "mean":
            return f"CAST({x} AS DOUBLE)"
        sign = ">" if self.form == "above" else "<"
        beyond = f"{x} {sign} {quoting.decimal(self.bound)}"
        return f"CASE WHEN {beyond} THEN 1.0 WHEN {x} IS NOT NULL THEN 0.0 END"

    @property
    def subject(self) -> str:
        """What its mean is called: "mean departure delay (min)"."""
        phrase = self.column.phrase
        if self.form == "missing":
            return f"share of missing {phrase}"
        if self.form == "mean":
            if self.column.role is Role.FLAG:
                return f"share of {phrase}"
            return f"mean {phrase}"
        return f"share of {phrase} {self.form} {exact(self.bound)}"

    @property
    def show(self) -> Callable[[float], str]:
        """How its mean is written."""
        if self.is_share:
            return share
        return year if self.column.role is Role.YEAR else amount

    @property
    def bounded(self) -> bool:
        """Whether a number is part of what it is called."""
        return self.form in ("above", "below")

    @property
    def is_share(self) -> bool:
        """Whether its mean is a share."""
        return self.form != "mean" or self.column.role is Role.FLAG

    def swing(self, one: float, other: float, rows: tuple[float, float]) -> float:
        """How surprising the distance of two of the entity's own means is."""
        if self.is_share:
            return share_swing(one, other, rows)
        return swing(one, other, self.deviation, rows)

    @property
    def deviation(self) -> float:
        """The standard deviation over all rows."""
        figures = self.column.figures
        if self.form == "missing":
            return share_deviation(1 - figures.filled / figures.rows) if figures.rows else 0.0
        if self.form == "mean":
            return figures.deviation or 0.0
        return share_deviation(_share_beyond(figures, self.form, self.bound))


def _share_beyond(figures: Figures, form: str, bound: float) -> float:
    below = [q for q, v in figures.quantiles.items() if v <= bound]
    above = 1 - max(below, default=0.0)
    return above if form == "above" else 1 - above


def rungs(figures: Figures) -> list[float]:
    """Bounds above the median for asking how often a measure is beyond them."""
    middle, end = figures.quantiles.get(0.5), figures.quantiles.get(0.99)
    if middle is None or end is None:
        return []
    if figures.whole_share == 1 and 60 <= end <= 600:
        # Whole numbers of this size may be minutes, and people ask for parts and multiples of an hour.
        return [r for r in _MINUTES if middle <= r < end]
    zero = [0.0] if figures.least < 0 <= figures.most and middle <= 0 else []
    return sorted({*zero, *cuts(figures, (0.75, 0.9, 0.95, 0.99))})


def cuts(figures: Figures, quantiles: Sequence[float]) -> list[float]:
    """Round numbers near these quantiles, inside the range, each once and in the order given."""
    step = _step(figures)
    found: list[float] = []
    for quantile in quantiles:
        value = figures.quantiles.get(quantile)
        if value is None or step is None:
            continue
        grains = value / step
        if not math.isfinite(grains):  # a grain so small that floats cannot count in it
            continue
        near = _clean(round(grains) * step)
        if near not in found and figures.least <= near <= figures.most:
            found.append(near)
    return found


def _step(figures: Figures) -> float | None:
    """The grain of the round numbers: 1 or 5 times a power of ten, as large as the middle half."""
    q = figures.quantiles.get
    low, high, end = q(0.25), q(0.75), q(0.99)
    if low is None or high is None or end is None:
        return None
    width = high - low or (end - (q(0.01) or 0.0)) / 10
    if width <= 0 or not math.isfinite(width):
        return None
    power = 10.0 ** math.floor(math.log10(width))
    step = 5 * power if width >= 5 * power else power
    return max(step, 1.0) if figures.whole_share == 1 else step


def _clean(value: float) -> float:
    return float(f"{value:.6g}") + 0.0
