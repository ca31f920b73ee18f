"""The balanced-regime test: is accuracy highest at a middle coverage, or a middle entropy (DDR-18)?

Accuracy is regressed on x and x squared. An inverted U needs more than a negative square term, which a
curve that only flattens has as well: it must rise at the lowest x and fall at the highest, so that the
top lies inside the data (Lind and Mehlum's condition). Both slopes are tested, and the weaker one speaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import TYPE_CHECKING, Final, Literal

from core.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Measure = Literal["coverage", "entropy"]
MEASURES: Final[tuple[Measure, Measure]] = ("coverage", "entropy")
Clustering = Literal["model", "entity"]

LEVEL: Final = 0.05
FEW: Final = 20
"""Clusters below which errors clustered by them come out too small."""
FEWEST: Final = 4
"""Clusters below which they do not exist: three coefficients leave nothing over."""
LEAST: Final = 8
"""Trajectories below which no curve is fitted."""
BINS: Final = 5
_SAME: Final = 1e-9
"""Accuracies that differ by less are the same: a curve through them would be one of rounding."""


@dataclass(frozen=True)
class Observation:
    """One trajectory of which accuracy and the measures are known."""

    model: str
    entity: str
    """Or the cluster that the entity belongs to."""
    accuracy: float
    coverage: float
    entropy: float

    def x(self, measure: Measure) -> float:
        """The measure of that name."""
        return self.coverage if measure == "coverage" else self.entropy

    def cluster(self, by: Clustering) -> str:
        """Whose errors go together."""
        return self.model if by == "model" else self.entity


@dataclass(frozen=True)
class Regime:
    """One test. Without a fit only the counts and `why_not` are there."""

    measure: Measure
    clustered_by: Clustering
    n: int
    """Trajectories."""
    clusters: int
    why_not: str | None = None
    """Why there is no fit, or no errors; None where there are."""
    warning: str | None = None
    """What makes the errors doubtful."""
    linear: float | None = None
    """Coefficient of x, as it stands in accuracy = a + linear * x + square * x^2."""
    square: float | None = None
    """Of x squared; below 0 the curve bends down."""
    low: float | None = None
    high: float | None = None
    """95 % of the square term, t with clusters - 1 degrees of freedom."""
    p: float | None = None
    """Two-sided, of the square term."""
    vertex: float | None = None
    """Where the curve turns."""
    x_low: float | None = None
    x_high: float | None = None
    """The range of the data."""
    p_inverted: float | None = None
    """One-sided, of the weaker of: rising at x_low, falling at x_high."""

    @property
    def is_inside(self) -> bool | None:
        """Whether the curve turns within the data."""
        if self.vertex is None or self.x_low is None or self.x_high is None:
            return None
        return self.x_low < self.vertex < self.x_high

    @property
    def is_balanced(self) -> bool | None:
        """Whether an inverted U is shown at LEVEL; None where that cannot be told."""
        if self.p_inverted is None or self.square is None:
            return None
        return bool(self.square < 0 and self.is_inside and self.p_inverted < LEVEL)


@dataclass(frozen=True)
class Bin:
    """Trajectories of like x, as many as in the other bins."""

    measure: Measure
    low: float
    high: float
    """Of x in it."""
    n: int
    models: int
    accuracy: float
    """Mean."""


def regimes(observations: Sequence[Observation]) -> list[Regime]:
    """Each measure, clustered by model where there are several, and by entity."""
    several = len({each.model for each in observations}) > 1
    ways: tuple[Clustering, ...] = ("model", "entity") if several else ("entity",)
    return [fit(observations, measure, by) for measure in MEASURES for by in ways]


def fit(observations: Sequence[Observation], measure: Measure, by: Clustering) -> Regime:
    """Accuracy on x and its square by least squares, errors clustered."""
    import numpy as np

    xs = np.array([each.x(measure) for each in observations], dtype=float)
    groups = [each.cluster(by) for each in observations]
    clusters, n = len(set(groups)), len(observations)
    ys = np.array([each.accuracy for each in observations], dtype=float)
    if reason := _why_not(xs.tolist(), ys.tolist()):
        return Regime(measure, by, n, clusters, why_not=reason)
    low, high = float(xs.min()), float(xs.max())
    # Fitted on -1..1, where the square is no copy of x; told in the measure's own unit.
    middle, half = (low + high) / 2, (high - low) / 2
    found = _clustered((xs - middle) / half, ys, groups)
    square = found.slopes[1] / half**2
    linear = found.slopes[0] / half - 2 * square * middle
    plain = Regime(
        measure,
        by,
        n,
        clusters,
        linear=linear,
        square=square,
        vertex=_vertex(linear, square),
        x_low=low,
        x_high=high,
    )
    if clusters < FEWEST:
        return replace(plain, why_not=f"{clusters} clusters give three coefficients no errors")
    (at_low, low_error), (at_high, high_error) = found.slope_at(-1.0), found.slope_at(1.0)
    rising = _one_sided(at_low, low_error, clusters - 1)
    falling = _one_sided(-at_high, high_error, clusters - 1)
    error = found.errors[1] / half**2
    reach = _t(clusters - 1) * error
    return replace(
        plain,
        warning=f"{clusters} clusters are few: the errors are too small"
        if clusters < FEW
        else None,
        low=square - reach,
        high=square + reach,
        p=_two_sided(square, error, clusters - 1),
        p_inverted=max(rising, falling),
    )


def _vertex(linear: float, square: float) -> float | None:
    """-b / 2c; a straight line turns nowhere, and what is all but one nowhere that can be told."""
    found = -linear / (2 * square) if square else inf
    return found if isfinite(found) else None


def bins(observations: Sequence[Observation], count: int = BINS) -> list[Bin]:
    """Each measure in so many bins of like number; equal x stay together, so there may be fewer."""
    return [
        made
        for measure in MEASURES
        for made in _binned(sorted(observations, key=lambda o: o.x(measure)), measure, count)
    ]


def _binned(ordered: Sequence[Observation], measure: Measure, count: int) -> list[Bin]:
    found: list[list[Observation]] = []
    for place, each in enumerate(ordered):
        starts = place * count // len(ordered) > (place - 1) * count // len(ordered)
        same = bool(found) and found[-1][-1].x(measure) == each.x(measure)
        if not found or (starts and not same):
            found.append([])
        found[-1].append(each)
    return [
        Bin(
            measure=measure,
            low=group[0].x(measure),
            high=group[-1].x(measure),
            n=len(group),
            models=len({each.model for each in group}),
            accuracy=sum(each.accuracy for each in group) / len(group),
        )
        for group in found
    ]


@dataclass(frozen=True)
class _Fit:
    """Slopes of x and x squared on -1..1, with their clustered covariance."""

    slopes: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]

    @property
    def errors(self) -> tuple[float, float]:
        return self.covariance[0][0] ** 0.5, self.covariance[1][1] ** 0.5

    def slope_at(self, x: float) -> tuple[float, float]:
        """The curve's slope at x, and its error."""
        (a, b), (_, c) = self.covariance
        variance = a + 4 * x * b + 4 * x * x * c
        return self.slopes[0] + 2 * x * self.slopes[1], max(variance, 0.0) ** 0.5


def _clustered(x: NDArray[np.float64], y: NDArray[np.float64], groups: Sequence[str]) -> _Fit:
    """Least squares with the usual sandwich, corrected for few clusters as statsmodels does it:
    G / (G - 1) * (n - 1) / (n - 3)."""
    import numpy as np

    design = np.column_stack([np.ones_like(x), x, x**2])
    bread = np.linalg.pinv(design.T @ design)
    slopes = bread @ design.T @ y
    scores = design * (y - design @ slopes)[:, None]
    names = np.array(groups)
    sums = np.array([scores[names == name].sum(axis=0) for name in dict.fromkeys(groups)])
    count, n = len(sums), len(y)
    few = count / (count - 1) if count > 1 else 0.0
    covariance = bread @ (sums.T @ sums) @ bread * few * (n - 1) / (n - 3)
    (a, b), (c, d) = covariance[1:, 1:].tolist()
    return _Fit((float(slopes[1]), float(slopes[2])), ((max(a, 0.0), b), (c, max(d, 0.0))))


def _why_not(xs: Sequence[float], ys: Sequence[float]) -> str | None:
    if len(xs) < LEAST:
        return f"{len(xs)} trajectories are too few for a curve; {LEAST} at least"
    if len(set(xs)) < 3:
        return f"only {counted(len(set(xs)), 'different value')}: a curve needs three"
    if max(ys) - min(ys) <= _SAME:
        return "accuracy is the same everywhere"
    return None


def _t(freedom: int) -> float:
    from scipy import stats

    return float(stats.t.ppf(0.975, freedom))


def _two_sided(value: float, error: float, freedom: int) -> float | None:
    from scipy import stats

    return float(2 * stats.t.sf(abs(value) / error, freedom)) if error > 0 else None


def _one_sided(value: float, error: float, freedom: int) -> float:
    """P of a value as great as this where the truth is 0 or less."""
    from scipy import stats

    if error <= 0:
        return 0.0 if value > 0 else 1.0
    return float(stats.t.sf(value / error, freedom))
