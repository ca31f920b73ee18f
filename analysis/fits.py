"""Fit a three-parameter logistic to a curve: its ceiling, slope and midpoint, each with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Final

from analysis.axes import LOGARITHMIC
from analysis.growth import Growth
from analysis.shapes import LOGISTIC, Shape, influence, least_squares
from analysis.statistics import cluster_draws, membership, studentized

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

REFITS: Final = 999
LEAST_POINTS: Final = 6
LEAST_ENTITIES: Final = 8
"""Clusters below which no interval is given: so few say too little of how much they differ."""
_PLACES: Final = 200
_LOG_PLACES: Final = 60


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Fit:
    """accuracy(x) = ceiling / (1 + exp(-slope * (u - midpoint))), u = x, or log x on a log axis."""

    ceiling: Estimate
    slope: Estimate
    """Per unit of x; on a log axis per factor e."""
    midpoint: Estimate
    """In units of x: where half of the ceiling is reached."""
    rmse: float
    """Between the curve and the fit, over the places of the fit."""
    is_log: bool
    is_reached: bool
    """Whether the midpoint lies within what was explored; beyond it, it is extrapolated."""
    entities: int
    no_interval: str | None = None
    """Why there are no intervals; None where there are."""

    def at(self, x: float) -> float:
        """Its height."""
        away = log(x / self.midpoint.value) if self.is_log else x - self.midpoint.value
        inner = max(-60.0, min(60.0, self.slope.value * away))
        return self.ceiling.value / (1 + exp(-inner))


@dataclass(frozen=True)
class Sampled:
    """A run's curves as they are fitted."""

    x: Array
    """As fitted: x, or log x."""
    rows: Array
    """entities x places"""
    clusters: tuple[str, ...]
    is_log: bool
    last: float

    @property
    def mean(self) -> Array:
        """The curve."""
        import numpy as np

        return np.asarray(self.rows.mean(axis=0))


def sampled(grown: Growth) -> Sampled | str:
    """The curves at the places of the fit; a text says why there is nothing to fit."""
    import numpy as np

    if grown.source == "reported":
        return "a reported total has no places of turns"
    is_log = grown.axis in LOGARITHMIC
    last = grown.last
    if is_log:
        firsts = [each.first for each in grown.explorations if each.first is not None]
        if not firsts or min(firsts) >= last:
            return "nothing was spent along this axis"
        places = np.geomspace(min(firsts), last, _LOG_PLACES)
        places[-1] = last  # not a digit short of the last find
    else:
        places = np.unique(np.linspace(1, max(last, 1), min(int(last) or 1, _PLACES)).round())
    if len(places) < LEAST_POINTS:
        return f"{len(places)} places are too few: {LEAST_POINTS} are needed"
    rows = np.asarray(grown.rows(places.tolist()), dtype=float)
    if not rows.size or rows.mean(axis=0).max() == 0:
        return "nothing was found"
    if np.ptp(rows.mean(axis=0)) == 0:
        return "nothing was found after the first place"
    x = np.log(places) if is_log else places
    return Sampled(x, rows, tuple(grown.clusters), is_log, last)


def fit(grown: Growth, *, seed: int = 0, refits: int = REFITS) -> Fit | str:
    """The logistic nearest to the as-run curve, by scipy's curve_fit; a text says why there is none.

    Intervals: the curve of each resample of entities (or of their clusters) is fitted anew, and its
    distance from the estimate is taken in the resample's own standard errors (bootstrap-t): plain
    percentiles hold the truth too seldom below a hundred entities. The ceiling is bounded by 1: its
    interval is that of its logit, the slope's that of its logarithm.
    """
    import numpy as np

    data = sampled(grown)
    if isinstance(data, str):
        return data
    theta = nearest(LOGISTIC, data.x, data.mean)
    if theta is None:
        return "no logistic could be fitted"
    fitted, _ = LOGISTIC.at(data.x, theta[None])
    bounds: list[tuple[float, float] | None] = [None] * 3
    groups = len(set(data.clusters))
    none = None
    if groups < LEAST_ENTITIES:
        none = f"{groups} entities are too few for an interval: {LEAST_ENTITIES} are needed"
    elif refits:
        bounds = _bounds(data, theta, seed, refits)
    ceiling, slope, midpoint = (
        _estimate(value, bound, back)
        for value, bound, back in zip(
            theta.tolist(), bounds, (_share, exp, exp if data.is_log else float), strict=True
        )
    )
    return Fit(
        ceiling=ceiling,
        slope=slope,
        midpoint=midpoint,
        rmse=float(np.sqrt(((data.mean - fitted[0]) ** 2).mean())),
        is_log=data.is_log,
        is_reached=midpoint.value <= data.last,
        entities=len(data.rows),
        no_interval=none,
    )


def nearest(shape: Shape, x: Array, curve: Array) -> Array | None:
    """The parameters of the shape nearest to one curve; None where curve_fit finds none."""
    import warnings

    import numpy as np
    from scipy.optimize import OptimizeWarning, curve_fit

    found: list[tuple[float, Array]] = []
    for start in starts(shape, x, curve):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptimizeWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                theta, _ = curve_fit(
                    lambda at, *theta: shape.at(at, np.asarray([theta]))[0][0],
                    x,
                    curve,
                    p0=start,
                    jac=lambda at, *theta: shape.at(at, np.asarray([theta]))[1][0],
                    maxfev=4000,
                )
            except RuntimeError:  # it did not settle from here
                continue
        loss = float(((shape.at(x, theta[None])[0][0] - curve) ** 2).sum())
        found.append((loss, np.asarray(theta, dtype=float)))
    return min(found, key=lambda each: each[0])[1] if found else None


def starts(shape: Shape, x: Array, curve: Array) -> list[list[float]]:
    """Where a search begins: what a look at the curve suggests, steep and gentle."""
    import numpy as np

    if shape.parameters == 2:
        return [[float(curve.mean()), 0.0]]
    top = min(float(curve.max()) * 1.05, 0.98)
    middle = float(x[int(np.searchsorted(curve, top / 2).clip(0, len(x) - 1))])
    width = float(x[-1] - x[0])
    return [[log(top / (1 - top)), log(times / width), middle] for times in (4.0, 12.0)]


def _bounds(
    data: Sampled, theta: Array, seed: int, refits: int
) -> list[tuple[float, float] | None]:
    """Per parameter, on the scale of the fit."""
    import numpy as np

    member = membership(data.clusters)
    drawn = cluster_draws(len(member), seed=seed, draws=refits)
    sums, sizes = member @ data.rows, member.sum(axis=1)
    curves = (drawn @ sums) / (drawn @ sizes)[:, None]
    refitted = least_squares(LOGISTIC, data.x, curves, theta)
    errors = _errors(data.x, refitted, sums, sizes, drawn)
    own = _errors(data.x, theta[None], sums, sizes, np.ones((1, len(member))))[0]
    return [
        studentized(float(theta[at]), float(own[at]), refitted[:, at], errors[:, at])
        for at in range(len(theta))
    ]


def _errors(x: Array, theta: Array, sums: Array, sizes: Array, drawn: Array) -> Array:
    """B x P: each fit's standard errors by the sandwich, clusters as they were drawn."""
    import numpy as np

    groups = drawn.sum(axis=1)
    count = drawn @ sizes
    pulls = influence(LOGISTIC, x, theta, sums)
    means = np.einsum("bpg,bg->bp", pulls, drawn) / count[:, None]
    away = pulls - means[:, :, None] * sizes
    squares = np.einsum("bpg,bg->bp", away**2, drawn)
    return np.asarray(np.sqrt(squares * (groups / (groups - 1) / count**2)[:, None]))


def _estimate(
    value: float, bound: tuple[float, float] | None, back: Callable[[float], float]
) -> Estimate:
    if bound is None:
        return Estimate(float(back(value)))
    return Estimate(float(back(value)), float(back(bound[0])), float(back(bound[1])))


def _share(logit: float) -> float:
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))
