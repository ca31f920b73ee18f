"""The area under accuracy over the logarithm of what was spent, on one range for all competitors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from analysis.growth import EntityGrowth, Growth
from analysis.statistics import DRAWS, cluster_bootstrap, interval, median
from core.errors import UsageError


@dataclass(frozen=True)
class Area:
    """Mean accuracy over a range of budgets, each factor of spending alike (EVALUATION 4.4)."""

    competitor: str
    value: float
    low: float | None
    high: float | None
    start: float
    stop: float
    """The range, the same for every competitor."""


def common_range(growths: Sequence[Growth]) -> tuple[float, float] | None:
    """From what the cheapest competitor's first turn takes (the median over its trajectories) to what
    the dearest trajectory of all took. None where nothing above 0 was spent.

    No first turn is free of charge on a log axis: places at 0 are left out.
    """
    firsts, ends = [], []
    for grown in growths:
        own = [each.first for each in grown.explorations if each.first is not None]
        if (middle := median(own)) is not None:
            firsts.append(middle)
        ends += [each.end for each in grown.explorations]
    if not firsts or min(firsts) >= max(ends):
        return None
    return min(firsts), max(ends)


def check_range(start: float, stop: float) -> tuple[float, float]:
    """A range that was asked for. Raises UsageError."""
    if not 0 < start < stop < float("inf"):
        raise UsageError(f"the range {start:g}:{stop:g}: give two numbers above 0, the lower first")
    return start, stop


def area(
    grown: Growth, start: float, stop: float, *, seed: int = 0, draws: int = DRAWS
) -> Area | None:
    """Under the as-run curve, divided by the width of the range in log x; None of no curve.

    The curve is a step function which rises where things are found, so that the area is exact: a find
    at x adds the share of the range that lies beyond x. It is held at its last value after the last
    trajectory stops.
    """
    if not grown.entities or not grown.explorations:
        return None
    shares = [[_share(entity, start, stop)] for entity in grown.entities]
    low = high = None
    if len(set(grown.clusters)) > 1:
        lows, highs = interval(cluster_bootstrap(shares, grown.clusters, seed=seed, draws=draws))
        low, high = lows[0], highs[0]
    value = sum(share for (share,) in shares) / len(shares)
    return Area(grown.competitor, value, low, high, start, stop)


def _share(entity: EntityGrowth, start: float, stop: float) -> float:
    width = log(stop / start)
    held = (log(stop / max(place, start)) / width for place in entity.places if place < stop)
    return sum(held) / entity.chances
