"""Small sets with figures that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.metrics.rating import Pair
from evaluator.metrics.scores import Value
from evaluator.metrics.sets import InsightSet, Truth


def insight_set(
    name: str = "flag-1",
    *,
    truths: Sequence[str] = ("a", "b"),
    predictions: Sequence[str] = ("p", "q"),
    types: Sequence[str] = (),
    cluster: str | None = None,
    category: str = "incident",
    difficulty: str = "easy",
    summary: str | None = None,
    report: str | None = None,
    missing: str | None = None,
) -> InsightSet:
    """A set; its ground truths are descriptive unless `types` says otherwise."""
    kinds = types or ["descriptive"] * len(truths)
    return InsightSet(
        entity_id=name,
        trial=1,
        cluster=cluster or name,
        category=category,
        difficulty=difficulty,
        goal="Find what is wrong",
        truths=tuple(
            Truth(id=f"{name}-{n}", text=text, type=kind)
            for n, (text, kind) in enumerate(zip(truths, kinds, strict=True))
        ),
        summary=summary,
        predictions=tuple(predictions),
        report=report,
        missing=missing,
    )


def by_table(values: Mapping[tuple[str, str], float | None]) -> Value:
    """The value of (truth, prediction); unscored where the table holds none."""

    def value(pair: Pair) -> float | None:
        return values.get((pair.truth, pair.prediction))

    return value
