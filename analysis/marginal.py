"""What more of an axis buys: new supported items per turn, per 1000 tokens, per dollar."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from analysis.axes import Axis
from analysis.growth import Growth

PER: Final[Mapping[Axis, tuple[float, str]]] = {
    "turn": (1, "turn"),
    "calls": (1, "call"),
    "billed_tokens": (1000, "1000 tokens"),
    "new_tokens": (1000, "1000 tokens"),
    "cost_usd": (1, "dollar"),
    "seconds": (60, "minute"),
}
"""How many units of an axis the value is for, and what that is called."""
WINDOW: Final = 5
"""Turns, or calls, that are taken together."""


@dataclass(frozen=True)
class Marginal:
    """One stretch of the axis."""

    start: float
    stop: float
    """Finds after `start`, up to `stop` and with it."""
    new: int
    """Items found in it, over all trajectories."""
    spent: float
    """Units of the axis that trajectories spent in it; one that has stopped spends nothing."""
    value: float | None
    """New items per unit of PER; None where nothing was spent."""


def marginal(grown: Growth, stops: Sequence[float]) -> tuple[Marginal, ...]:
    """The stretches that end at `stops`, in rising order; the first begins at 0.

    () for reported totals, which have no places.
    """
    if grown.source == "reported":
        return ()
    runs = grown.explorations
    places = sorted(place for run in runs for place in run.places)
    per, _ = PER[grown.axis]
    found = []
    for start, stop in zip([0.0, *stops], stops, strict=False):
        new = bisect_right(places, stop) - (bisect_right(places, start) if start else 0)
        spent = sum(max(0.0, min(run.end, stop) - start) for run in runs)
        value = new / spent * per if spent > 0 else None
        found.append(Marginal(start, stop, new, spent, value))
    return tuple(found)


def by_window(grown: Growth) -> tuple[Marginal, ...]:
    """Turns and calls five at a time; along other axes by the budgets that a table shows."""
    if grown.axis in ("turn", "calls"):
        last = int(grown.last)
        return marginal(grown, [float(stop) for stop in range(WINDOW, last + WINDOW, WINDOW)])
    return marginal(grown, budgets(grown))


def budgets(grown: Growth, *, ddr: bool = False) -> list[float]:
    """Where a table reads a curve, the end always among them.

    Turns and calls: 1, 2, 5, 10, 20, 30, ...; under protocol ddr 5, 10, ..., 100 (DDR-11). Along other
    axes 1, 2 and 5 times each power of ten from the cheapest first turn on.
    """
    last = grown.last
    if not last:
        return []
    if grown.axis in ("turn", "calls"):
        if ddr:
            return [float(x) for x in range(5, 101, 5)]
        steps = [1.0, 2.0, 5.0, *(float(x) for x in range(10, 100, 10))]
        steps += [float(x) for x in range(100, int(last) + 1, 50)]
        return [x for x in steps if x < last] + [last]
    firsts = [run.first for run in grown.explorations if run.first is not None]
    least = min(firsts, default=last)
    scale = [m * 10.0**power for power in range(-9, 13) for m in (1, 2, 5)]
    return [x for x in scale if least < x < last] + [last]
