"""Means over sets with their intervals, of all of them and by category, difficulty and type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Final

from core.record import Record
from evaluator.intervals import cluster_error, share_interval
from evaluator.metrics.rouge import harmonic
from evaluator.metrics.scores import SetScore, Share

COVERAGE: Final = 0.95
"""From which coverage there is a headline (EVALUATION 1.2)."""
BY: Final[Mapping[str, Callable[[SetScore], str]]] = {
    "category": lambda each: each.category,
    "difficulty": lambda each: each.difficulty,
}


class Figure(Record):
    """A mean over sets, 0 to 1."""

    headline: float | None
    """`strict` where coverage is at least 0.95, else None."""
    strict: float | None
    """What is unscored counts as 0; None without sets."""
    scored_only: float | None
    """The mean over sets of what was scored."""
    coverage: float
    low: float | None = None
    high: float | None = None
    """95 % interval of `strict`; sets with the same table are one cluster."""
    sets: int
    clusters: int


class Averages(Record):
    """The figures of some sets by one measure."""

    recall: Figure
    precision: Figure | None
    """None with matches, which tell nothing of predictions."""
    f1: Figure | None
    """The mean of the sets' F1 (the averaging of InsightEval's Tables 8 and 10)."""
    f1_of_means: float | None
    """F1 of mean recall and mean precision (the averaging of its Table 5)."""
    summary: Figure | None
    """None where no set has a summary."""


def averages(scores: Sequence[SetScore]) -> Averages:
    """The means over sets."""
    recall = figure(scores, lambda each: each.recall)
    precision = _optional(scores, lambda each: each.precision)
    both = recall.strict is not None and precision is not None and precision.strict is not None
    return Averages(
        recall=recall,
        precision=precision,
        f1=_optional(scores, lambda each: each.f1),
        f1_of_means=f1_of_means(scores) if both else None,
        summary=_optional(scores, lambda each: each.summary_share),
    )


def f1_of_means(scores: Sequence[SetScore]) -> float:
    """F1 of the sets' mean recall and mean precision, unscored as 0."""
    found = [each.precision for each in scores]
    return harmonic(
        fmean(precision.strict for precision in found if precision is not None),
        fmean(each.recall.strict for each in scores),
    )


def by_group(scores: Sequence[SetScore], what: str) -> dict[str, Averages]:
    """The same for each category, or each difficulty, by name."""
    names = sorted({BY[what](each) for each in scores})
    return {name: averages([s for s in scores if BY[what](s) == name]) for name in names}


def by_type(scores: Sequence[SetScore]) -> dict[str, Figure]:
    """Recall of each type's ground truths: the mean over the sets that have some (IB-12)."""
    kinds = sorted({best.type or "other" for each in scores for best in each.truths})
    return {kind: figure(scores, lambda each, kind=kind: each.recall_of(kind)) for kind in kinds}  # type: ignore[misc]


def _optional(
    scores: Sequence[SetScore], read: Callable[[SetScore], Share | None]
) -> Figure | None:
    """None where no set has it."""
    return figure(scores, read) if any(read(each) is not None for each in scores) else None


def figure(scores: Sequence[SetScore], read: Callable[[SetScore], Share | None]) -> Figure:
    """The mean of what `read` finds in each set; sets without it (None) are not counted."""
    found = [(each.cluster, share) for each in scores if (share := read(each)) is not None]
    return mean_of([share for _, share in found], [cluster for cluster, _ in found])


def mean_of(shares: Sequence[Share], clusters: Sequence[str]) -> Figure:
    """The mean of one share per set."""
    groups = len(set(clusters))
    if not shares:
        return Figure(
            headline=None, strict=None, scored_only=None, coverage=0.0, sets=0, clusters=0
        )
    values = [share.strict for share in shares]
    strict, coverage = fmean(values), fmean(share.coverage for share in shares)
    scored = [share.scored_only for share in shares if share.scored_only is not None]
    ends = share_interval(strict, cluster_error(values, clusters), groups)
    return Figure(
        headline=strict if coverage >= COVERAGE else None,
        strict=strict,
        scored_only=fmean(scored) if scored else None,
        coverage=coverage,
        low=ends[0] if ends else None,
        high=ends[1] if ends else None,
        sets=len(shares),
        clusters=groups,
    )
