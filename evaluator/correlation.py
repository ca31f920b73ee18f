"""How two rankings or two columns of figures go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Correlation:
    """The coefficients in [-1, 1]; each is None where a column does not vary or has under 3 values."""

    n: int
    pearson: float | None
    pearson_p: float | None
    """Two-sided."""
    spearman: float | None
    kendall: float | None
    """Kendall's tau-b."""
    rank_differences: float
    """The sum of absolute differences between the two rankings (ties share their mean rank)."""


def correlate(one: Sequence[float], other: Sequence[float]) -> Correlation:
    """Both columns by place. Raises ValueError where they differ in length."""
    if len(one) != len(other):
        raise ValueError(f"columns of {len(one)} and {len(other)} values")
    from scipy import stats

    ranks = [stats.rankdata([-value for value in column]) for column in (one, other)]
    differences = float(abs(ranks[0] - ranks[1]).sum()) if one else 0.0
    if len(one) < 3 or len(set(one)) < 2 or len(set(other)) < 2:
        return Correlation(len(one), None, None, None, None, differences)
    pearson = stats.pearsonr(one, other)
    return Correlation(
        n=len(one),
        pearson=float(pearson.statistic),
        pearson_p=float(pearson.pvalue),
        spearman=float(stats.spearmanr(one, other).statistic),
        kendall=float(stats.kendalltau(one, other).statistic),
        rank_differences=differences,
    )
