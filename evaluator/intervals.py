"""Standard errors and intervals of a mean whose values come in clusters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import sqrt


def cluster_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float | None:
    """The cluster-robust standard error of the mean of `values` (EVALUATION 4.2).

    sqrt(G/(G-1) * sum over clusters of (sum of deviations)^2) / N. None below two clusters.
    """
    if not values:
        return None
    mean = sum(values) / len(values)
    deviations: dict[Hashable, float] = defaultdict(float)
    for value, cluster in zip(values, clusters, strict=True):
        deviations[cluster] += value - mean
    groups = len(deviations)
    if groups < 2:
        return None
    return sqrt(groups / (groups - 1) * sum(d * d for d in deviations.values())) / len(values)


def share_interval(
    mean: float, error: float | None, groups: int, level: float = 0.95
) -> tuple[float, float] | None:
    """The interval of a share in [0, 1] from its clustered error; None below two clusters.

    Student's t with G - 1 degrees of freedom, cut to [0, 1]: with a dozen clusters the normal
    is too narrow, and a bootstrap over so few is no better and needs a seed. Where every value
    is 0 (or 1) the error is 0 and says nothing; the open side is then the exact binomial bound
    for G clusters, as though each were one draw.
    """
    if error is None or groups < 2:
        return None
    tail = (1 - level) / 2
    if error == 0 and mean in (0.0, 1.0):
        reach = 1 - tail ** (1 / groups)
        return (0.0, reach) if mean == 0 else (1 - reach, 1.0)
    from scipy.special import stdtrit

    half = float(stdtrit(groups - 1, 1 - tail)) * error
    return max(0.0, mean - half), min(1.0, mean + half)
