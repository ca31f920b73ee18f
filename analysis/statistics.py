"""Seeded resampling by cluster, and the intervals read off it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DRAWS = 2000
"""Enough that the 2.5 % quantile moves by less than a tenth of the interval between seeds."""


def cluster_bootstrap(
    values: Sequence[Sequence[float]],
    clusters: Sequence[Hashable],
    *,
    seed: int,
    draws: int = DRAWS,
) -> NDArray[np.float64]:
    """Column means of `values` under resampling of whole clusters.

    `values` has one row per unit (an entity) and one column per quantity (a turn); `clusters`
    names each row's cluster. Returns draws x columns. A cluster is drawn with all of its rows,
    so that a draw's mean is the mean over the rows that it holds. Raises ValueError where rows
    and clusters differ in number, or there are none.
    """
    import numpy as np

    table = np.asarray(values, dtype=float)
    if table.ndim != 2 or len(table) != len(clusters) or not len(table):
        raise ValueError(f"{len(clusters)} clusters for values of shape {table.shape}")
    member = membership(clusters)
    drawn = cluster_draws(len(member), seed=seed, draws=draws)
    sums = drawn @ (member @ table)
    sizes = drawn @ member.sum(axis=1)
    return np.asarray(sums / sizes[:, None])


def membership(clusters: Sequence[Hashable]) -> NDArray[np.float64]:
    """clusters x rows: 1 where the row is in the cluster; clusters in the order of first sight."""
    import numpy as np

    position = {name: i for i, name in enumerate(dict.fromkeys(clusters))}
    member = np.zeros((len(position), len(clusters)))
    for row, name in enumerate(clusters):
        member[position[name], row] = 1.0
    return member


def cluster_draws(groups: int, *, seed: int, draws: int = DRAWS) -> NDArray[np.float64]:
    """draws x groups: how often each group is drawn when as many are drawn as there are."""
    import numpy as np

    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(groups, np.full(groups, 1 / groups), size=draws)
    return np.asarray(drawn, dtype=float)


def studentized(
    estimate: float,
    error: float,
    drawn: NDArray[np.float64],
    errors: NDArray[np.float64],
    level: float = 0.95,
) -> tuple[float, float] | None:
    """The bootstrap-t interval: each draw's distance from the estimate in its own standard errors
    says how wide the estimate's errors have to be (Efron and Tibshirani 1993, 12.5).

    None where fewer than half of the draws have an error above 0.
    """
    import numpy as np

    known = np.isfinite(drawn) & np.isfinite(errors) & (errors > 0)
    if not np.isfinite(error) or known.sum() < max(len(drawn) / 2, 1):
        return None
    tail = (1 - level) / 2
    low, high = np.quantile((drawn[known] - estimate) / errors[known], [tail, 1 - tail])
    return float(estimate - high * error), float(estimate - low * error)


def interval(draws: NDArray[np.float64], level: float = 0.95) -> tuple[list[float], list[float]]:
    """The central interval of each column of `draws`: (lows, highs), by linear quantiles."""
    import numpy as np

    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return [float(x) for x in low], [float(x) for x in high]


def median(values: Sequence[float]) -> float | None:
    """The middle value; None of nothing."""
    ordered = sorted(values)
    if not ordered:
        return None
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


@dataclass(frozen=True)
class Spread:
    """How some numbers lie."""

    n: int
    mean: float
    variance: float | None
    """Of the sample (n - 1); None of a single number."""
    least: float
    quarter: float
    median: float
    three_quarters: float
    most: float


def spread(values: Sequence[float]) -> Spread | None:
    """None of nothing. Quartiles are linear between neighbours, as numpy's are."""
    if not values:
        return None
    ordered = sorted(values)
    count = len(ordered)
    mean = fsum(ordered) / count
    variance = fsum((x - mean) ** 2 for x in ordered) / (count - 1) if count > 1 else None
    low, middle, high = (_at(ordered, share) for share in (0.25, 0.5, 0.75))
    return Spread(count, mean, variance, ordered[0], low, middle, high, ordered[-1])


def quantile(values: Sequence[float], share: float) -> float | None:
    """Linear between neighbours, as numpy's is; None of nothing."""
    return _at(sorted(values), share) if values else None


def _at(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


@dataclass(frozen=True)
class Mean:
    """A mean of values that come in clusters, with what it leaves open."""

    value: float
    error: float | None
    """Cluster-robust (EVALUATION 4.2); None below two clusters."""
    low: float | None
    high: float | None
    """95 %, Student's t with one degree of freedom fewer than clusters."""
    p: float | None
    """Two-sided, of a mean of 0; None where the error is not known or 0."""
    n: int
    clusters: int


def clustered_mean(values: Sequence[float], clusters: Sequence[Hashable]) -> Mean | None:
    """The mean with sqrt(G/(G-1) * sum over clusters of (sum of deviations)^2) / N; None of nothing."""
    if not values:
        return None
    mean = fsum(values) / len(values)
    deviations: dict[Hashable, float] = {}
    for value, cluster in zip(values, clusters, strict=True):
        deviations[cluster] = deviations.get(cluster, 0.0) + value - mean
    groups = len(deviations)
    if groups < 2:
        return Mean(mean, None, None, None, None, len(values), groups)
    from scipy.special import stdtr, stdtrit

    error = (groups / (groups - 1) * fsum(d * d for d in deviations.values())) ** 0.5 / len(values)
    reach = float(stdtrit(groups - 1, 0.975)) * error
    p = float(2 * stdtr(groups - 1, -abs(mean) / error)) if error else None
    return Mean(mean, error, mean - reach, mean + reach, p, len(values), groups)


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Each p corrected for all of them (Holm 1979); what is None was not tested and corrects nothing."""
    ranked = sorted((p, place) for place, p in enumerate(values) if p is not None)
    found: list[float | None] = [None] * len(values)
    least = 0.0
    for rank, (p, place) in enumerate(ranked):
        least = max(least, min(1.0, p * (len(ranked) - rank)))
        found[place] = least
    return found
