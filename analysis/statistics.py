"""Seeded resampling by cluster, and the intervals read off it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
    position = {name: i for i, name in enumerate(dict.fromkeys(clusters))}
    member = np.zeros((len(position), len(table)))
    for row, name in enumerate(clusters):
        member[position[name], row] = 1.0
    groups = len(position)
    generator = np.random.default_rng(seed)
    drawn = generator.multinomial(groups, np.full(groups, 1 / groups), size=draws)
    sums = drawn @ (member @ table)
    sizes = drawn @ member.sum(axis=1)
    return np.asarray(sums / sizes[:, None])


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
