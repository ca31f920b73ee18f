"""Turn verdicts into the four accuracies, with all that each is out of (EVALUATION 1.2, 4.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from core.checklist import ChecklistItem
from core.evaluation import LEVELS, Level, Score, Verdict
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator.intervals import cluster_error, share_interval
from evaluator.outcomes import Outcome, entity_means, outcomes, reasons

Averaging = Literal["item", "sample"]
Facet = Literal["category", "difficulty", "insight_type"]

AVERAGINGS: tuple[Averaging, ...] = ("item", "sample")

ENOUGH = 0.95
"""The coverage from which the strict score is the headline."""

_REASONS_SHOWN = 3


def score(
    competitor: str,
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    entities: Sequence[Entity],
) -> list[Score]:
    """Both levels by both averagings, message before trajectory, item before sample (DDR-09).

    The denominator is every accepted item of `entities`, whether or not its entity was run.
    Trials are averaged inside an item first; item weights are not used. Verdicts of several
    evaluations of one competitor (five derangements) count as further trials.
    """
    return [
        _score(competitor, level, averaging, found)
        for level in LEVELS
        for found in [outcomes(items, trajectories, verdicts, entities, level)]
        for averaging in AVERAGINGS
    ]


def reachable(
    competitor: str,
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    entities: Sequence[Entity],
) -> list[Score] | None:
    """The same four scores over the items that evidence proves to be in the agent's own database.

    None where no item of these entities has evidence: then nobody knows which can be found.
    """
    asked = {entity.id for entity in entities}
    proven = [item for item in items if item.has_path and item.entity_id in asked]
    found = score(competitor, proven, trajectories, verdicts, entities)
    return found if found[0].items else None


def breakdown(
    competitor: str,
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
    entities: Sequence[Entity],
    *,
    by: Facet,
) -> dict[str, list[Score]]:
    """The same four scores inside each category, difficulty or insight type, in the items' order.

    Those of which nobody has said it stand under 'unknown'.
    """
    names = dict.fromkeys(getattr(item, by) or "unknown" for item in items)
    return {
        name: score(
            competitor,
            [item for item in items if (getattr(item, by) or "unknown") == name],
            trajectories,
            verdicts,
            entities,
        )
        for name in names
    }


def _score(competitor: str, level: Level, averaging: Averaging, found: Sequence[Outcome]) -> Score:
    buckets = Counter(outcome.bucket for outcome in found)
    coverage = fmean(outcome.coverage for outcome in found) if found else 0.0
    strict, error, groups = _strict(found, averaging) if coverage else (None, None, 0)
    interval = None if strict is None else share_interval(strict, error, groups)
    low, high = interval or (None, None)
    headline = strict if coverage >= ENOUGH else None
    return Score(
        competitor=competitor,
        level=level,
        averaging=averaging,
        headline=headline,
        headline_reason=None if headline is not None else _why_no_headline(found, coverage),
        strict=strict,
        scored_only=_mean([(each, each.scored_only) for each in found], averaging),
        answered_only=_mean([(each, each.answered_only) for each in found], averaging),
        coverage=coverage,
        standard_error=error,
        low=low,
        high=high,
        items=len(found),
        supported=buckets["supported"],
        contradicted=buckets["contradicted"],
        insufficient=buckets["insufficient"],
        unscored=buckets["unscored"],
        cannot_tell=sum(outcome.is_untold for outcome in found),
        entities=len({outcome.entity_id for outcome in found}),
    )


def _strict(found: Sequence[Outcome], averaging: Averaging) -> tuple[float, float | None, int]:
    """(mean, clustered error, clusters); unscored trials are 0 in it."""
    values = [outcome.strict for outcome in found]
    clusters = [outcome.cluster for outcome in found]
    if averaging == "sample":
        cluster_of = {outcome.entity_id: outcome.cluster for outcome in found}
        shares = entity_means(found, values)
        values = list(shares.values())
        clusters = [cluster_of[entity_id] for entity_id in shares]
    return fmean(values), cluster_error(values, clusters), len(set(clusters))


def _mean(found: Sequence[tuple[Outcome, float | None]], averaging: Averaging) -> float | None:
    """Over the items that have a value; None where none has."""
    kept = [(outcome, value) for outcome, value in found if value is not None]
    if not kept:
        return None
    values = [value for _, value in kept]
    if averaging == "item":
        return fmean(values)
    return fmean(entity_means([outcome for outcome, _ in kept], values).values())


def _why_no_headline(found: Sequence[Outcome], coverage: float) -> str:
    if not found:
        return "there are no items"
    counted = reasons(found)
    shown = [f"{reason} ({count})" for reason, count in list(counted.items())[:_REASONS_SHOWN]]
    if len(counted) > _REASONS_SHOWN:
        shown.append(f"{len(counted) - _REASONS_SHOWN} other reasons")
    what = f"coverage {coverage:.3f} is below {ENOUGH}" if coverage else "nothing was scored"
    return f"{what}; unscored: {', '.join(shown)}"
