"""One measure over all sets: ROUGE-1, or what models rated, with its averages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Final, Literal

from core.record import Record
from evaluator.metrics.averages import Averages, Figure, averages, by_group, by_type
from evaluator.metrics.matching import Matches
from evaluator.metrics.rating import Pair, Rated
from evaluator.metrics.rouge import rouge1
from evaluator.metrics.scores import SetScore, Value, many_to_many, one_to_many
from evaluator.metrics.sets import InsightSet

Matching = Literal["one-to-many", "many-to-many"]
MATCHINGS: Final[tuple[Matching, ...]] = ("one-to-many", "many-to-many")
ROUGE: Final = "rouge1"
G_EVAL: Final = "g-eval"
LLAMA: Final = "l3-eval"
METRICS: Final = (ROUGE, G_EVAL, LLAMA)


class Measure(Record):
    """All figures by one measure."""

    name: str
    """rouge1, g-eval or l3-eval."""
    judges: tuple[str, ...] = ()
    """Whose ratings it is the mean of, as they were asked for."""
    matching: Matching
    overall: Averages
    by_category: dict[str, Averages]
    by_difficulty: dict[str, Averages]
    by_type: dict[str, Figure]
    """Recall alone: a prediction has no type."""
    sets: tuple[SetScore, ...]


def measure(
    name: str,
    sets: Sequence[InsightSet],
    value: Value,
    *,
    judges: Sequence[str] = (),
    matches: Mapping[tuple[str, int], Matches | None] | None = None,
) -> Measure:
    """Score every set. `matches` by set, None where the matching failed; without them one-to-many."""
    if matches is None:
        scores = [one_to_many(each, value) for each in sets]
    else:
        scores = [many_to_many(each, value, matches.get(each.key)) for each in sets]
    return Measure(
        name=name,
        judges=tuple(judges),
        matching="one-to-many" if matches is None else "many-to-many",
        overall=averages(scores),
        by_category=by_group(scores, "category"),
        by_difficulty=by_group(scores, "difficulty"),
        by_type=by_type(scores),
        sets=tuple(scores),
    )


@cache
def rouge_value(pair: Pair) -> float:
    """ROUGE-1 F1 (IB-07)."""
    return rouge1(prediction=pair.prediction, reference=pair.truth).f1


def mean_rating(tables: Sequence[Mapping[Pair, Rated]]) -> Value:
    """The mean over models, of 1 (IE-05); unscored where one of them gave none, since a mean over
    other models is another measure."""

    def value(pair: Pair) -> float | None:
        rated = [table.get(pair) for table in tables]
        known = [each.score for each in rated if each is not None]
        return fmean(known) if known and len(known) == len(rated) else None

    return value
