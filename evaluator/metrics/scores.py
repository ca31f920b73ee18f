"""Insight recall, precision, F1 and the summary's score of one set (IB-03 to IB-05, IE-02 to IE-07)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from core.record import Record
from evaluator.metrics.matching import Matches
from evaluator.metrics.rating import Pair
from evaluator.metrics.rouge import harmonic
from evaluator.metrics.sets import InsightSet

Value = Callable[[Pair], float | None]
"""How well a pair agrees, 0 to 1; None = unscored."""


class Best(Record):
    """How well the best counterpart of one statement agrees with it."""

    score: float
    """0 to 1; what is unscored counts as 0."""
    is_scored: bool = True
    """Whether every pair that this is the best of was scored."""
    type: str | None = None
    """Of a ground truth."""


class Share(Record):
    """A mean inside one set."""

    strict: float
    """Unscored ones count as 0."""
    scored_only: float | None
    """Unscored ones are left out; None where all are unscored."""
    coverage: float


NOTHING_SCORED = Share(strict=0.0, scored_only=None, coverage=0.0)
"""Of a set that is missing."""
NOTHING_SAID = Share(strict=0.0, scored_only=0.0, coverage=1.0)
"""Of a set in which nothing was handed in."""


class SetScore(Record):
    """One set, scored by one measure."""

    entity_id: str
    trial: int
    cluster: str
    category: str
    difficulty: str
    missing: str | None
    truths: tuple[Best, ...]
    """One for each ground truth, in their order."""
    predictions: tuple[Best, ...] | None
    """One for each prediction; None where matches were asked for, which tell nothing of the others."""
    summary: Best | None
    """None where the ground truth has none."""

    @property
    def recall(self) -> Share:
        """The mean over ground truths (IB-03, IE-02 Eq. 13)."""
        return NOTHING_SCORED if self.missing else share(self.truths)

    def recall_of(self, kind: str) -> Share | None:
        """The same over ground truths of one type; None where there are none."""
        mine = [best for best in self.truths if best.type == kind]
        return None if not mine else NOTHING_SCORED if self.missing else share(mine)

    @property
    def precision(self) -> Share | None:
        """The mean over predictions (IE-03 Eq. 14); 0 where there are none."""
        if self.predictions is None:
            return None
        return NOTHING_SCORED if self.missing else share(self.predictions)

    @property
    def f1(self) -> Share | None:
        """The harmonic mean of both (IE-04 Eq. 15)."""
        found, recall = self.precision, self.recall
        if found is None:
            return None
        known = found.scored_only is not None and recall.scored_only is not None
        return Share(
            strict=harmonic(found.strict, recall.strict),
            scored_only=harmonic(found.scored_only or 0, recall.scored_only or 0)
            if known
            else None,
            coverage=min(found.coverage, recall.coverage),
        )

    @property
    def summary_share(self) -> Share | None:
        """Of the summary."""
        if self.summary is None:
            return None
        return NOTHING_SCORED if self.missing else share([self.summary])


def share(found: Sequence[Best]) -> Share:
    """The means over some statements of one set."""
    if not found:
        return NOTHING_SAID
    scored = [best.score for best in found if best.is_scored]
    return Share(
        strict=fmean(best.score for best in found),
        scored_only=fmean(scored) if scored else None,
        coverage=len(scored) / len(found),
    )


def one_to_many(found: InsightSet, value: Value) -> SetScore:
    """Each ground truth by the prediction that is best for it, each prediction likewise.

    The best of several pairs of which one is unscored is what the others reach, and unscored.
    """
    truths = [[value(Pair(t.text, p)) for p in found.predictions] for t in found.truths]
    predictions = [[value(Pair(t.text, p)) for t in found.truths] for p in found.predictions]
    return _score(
        found,
        truths=[_best(row, each.type) for row, each in zip(truths, found.truths, strict=True)],
        predictions=[_best(row) for row in predictions],
        value=value,
    )


def many_to_many(found: InsightSet, value: Value, matches: Matches | None) -> SetScore:
    """Each ground truth by the prediction that a model matched with it.

    One without a match is 0. Where the matching failed (None), all are 0 and unscored; a random
    prediction in their place, as in the published code, would be a score of nothing.
    """
    truths = []
    for place, truth in enumerate(found.truths):
        if matches is None:
            truths.append(Best(score=0.0, is_scored=False, type=truth.type))
        elif (at := matches[place]) is None:
            truths.append(Best(score=0.0, type=truth.type))
        else:
            truths.append(_best([value(Pair(truth.text, found.predictions[at]))], truth.type))
    return _score(found, truths=truths, predictions=None, value=value)


def _best(values: Sequence[float | None], kind: str | None = None) -> Best:
    known = [value for value in values if value is not None]
    return Best(score=max(known, default=0.0), is_scored=len(known) == len(values), type=kind)


def _score(
    found: InsightSet,
    *,
    truths: Sequence[Best],
    predictions: Sequence[Best] | None,
    value: Value,
) -> SetScore:
    summary = None
    if found.summary is not None:
        summary = _best([value(found.summaries)] if found.summaries else [])
    return SetScore(
        entity_id=found.entity_id,
        trial=found.trial,
        cluster=found.cluster,
        category=found.category,
        difficulty=found.difficulty,
        missing=found.missing,
        truths=tuple(truths),
        predictions=None if predictions is None else tuple(predictions),
        summary=summary,
    )
