"""A stored ranking read: ratings by any method, what may have swayed the judges, and accuracy beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from checklists.loader import load
from core.checklist import Checklist
from core.errors import DdrError
from core.evaluation import LEVELS, Evaluation, Level
from core.ranking import Comparison, Ranking
from core.scenario import Entity
from evaluator.correlation import Correlation, correlate
from evaluator.families import family
from evaluator.rating import doubts
from evaluator.rating.doubts import Effect, Share
from evaluator.rating.fitting import Method
from evaluator.rating.results import Result, Settled, agreement, settle, singly
from evaluator.rating.scale import Scale, rate
from server.contest import Contest
from server.judged import read as judged_of
from server.runs import competitor
from server.spending import Spending, spent
from server.store import Repository


@dataclass(frozen=True)
class Ranked:
    """What comes of a ranking by one method."""

    ranking: Ranking
    settled: Settled
    scale: Scale
    first_slot: Share
    length: Effect | None
    number: Effect | None
    own_family: dict[str, tuple[tuple[str, ...], Share | None]]
    """Judge -> the competitors of its family, and their decided games with others that they won."""
    agreement: dict[tuple[str, str], tuple[int, int]]
    """Two judges, or a judge and a person -> on how many games they agree, of how many."""
    people: dict[str, int]
    """Who voted blind on pairs of this ranking, and on how many."""
    correlations: dict[Level, Correlation]
    """Of strength with accuracy over the competitors of the largest component."""
    spending: Spending
    asked: int
    """Comparisons that a judge was asked for."""


def read(
    ranking: Ranking,
    comparisons: Sequence[Comparison],
    *,
    names: Mapping[str, str],
    entities: Sequence[Entity],
    method: Method,
    accuracies: Mapping[Level, Mapping[str, float | None]],
    people: Sequence[Comparison] = (),
) -> Ranked:
    """`names`: run -> competitor; `accuracies`: level -> run -> item-averaged strict accuracy.

    `people`: blind votes on the same pairs. They are held against the judges' games, and move no rating.
    """
    settled = settle(comparisons, both_orders=ranking.orders == "both")
    clusters = {entity.id: entity.cluster for entity in entities}

    def named(results: Sequence[Result]) -> list[Result]:
        return [
            each._replace(
                entity=clusters.get(each.entity, each.entity),
                left=names[each.left],
                right=names[each.right],
            )
            for each in results
        ]

    games = named(settled.results)
    rated = games if method != "order" else named(singly(comparisons))
    scale = rate(rated, list(names.values()), method=method, seed=ranking.seed)
    return Ranked(
        ranking=ranking,
        settled=settled,
        scale=scale,
        first_slot=doubts.first_slot(comparisons),
        length=doubts.effect(games, doubts.length),
        number=doubts.effect(games, doubts.number),
        own_family={
            judge: (_kin(judge, names), doubts.own_family(games, family, judge))
            for judge in ranking.judges_asked
        },
        agreement=agreement([*settled.results, *singly(people)]),
        people=dict(Counter(each.judge or "" for each in people)),
        correlations=_correlations(scale, names, accuracies),
        spending=spent(each.call for each in comparisons if each.call),
        asked=sum(not each.is_forfeit for each in comparisons),
    )


def _kin(judge: str, names: Mapping[str, str]) -> tuple[str, ...]:
    own = family(judge)
    return tuple(name for name in names.values() if own is not None and family(name) == own)


def _correlations(
    scale: Scale,
    names: Mapping[str, str],
    accuracies: Mapping[Level, Mapping[str, float | None]],
) -> dict[Level, Correlation]:
    """Strengths of different components are on different scales: the first, the largest, is taken."""
    strengths = {
        rating.competitor: rating.strength
        for rating in scale.ratings
        if rating.component == 1 and rating.strength is not None
    }
    found: dict[Level, Correlation] = {}
    for level, by_run in accuracies.items():
        pairs = [
            (strengths[name], accuracy)
            for run, name in names.items()
            if name in strengths and (accuracy := by_run.get(run)) is not None
        ]
        if len(pairs) >= 2:
            found[level] = correlate([s for s, _ in pairs], [a for _, a in pairs])
    return found


def accuracies(
    contest: Contest, store: Repository, folder: Path, entities: Sequence[Entity]
) -> dict[Level, dict[str, float | None]]:
    """Level -> run -> item-averaged strict accuracy by the named evaluations; None where its checklist is
    no longer there as it was. `folder`: of one's own checklists."""
    found: dict[Level, dict[str, float | None]] = {level: {} for level in LEVELS}
    for run in contest.runs:
        evaluation = contest.evaluations[run.id]
        checklist = _as_it_was(evaluation, folder)
        if checklist is None:
            continue
        judged = judged_of(run, store, checklist, entities, evaluation.id)
        for level in LEVELS:
            found[level][run.id] = judged.accuracy(competitor(run)).get(level)
    return found


def _as_it_was(evaluation: Evaluation, folder: Path) -> Checklist | None:
    try:
        checklist = load(evaluation.checklist_id, folder)
    except DdrError:
        return None
    return checklist if checklist.hash == evaluation.checklist_hash else None
