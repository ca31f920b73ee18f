"""What several trials of the same items come to: pass@k, pass^k, union, intersection, and what varies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from math import comb
from statistics import fmean, variance

from core.evaluation import Level
from core.record import Record
from evaluator.outcomes import Outcome

Key = tuple[str, int, str]
"""(entity id, trial, who judged)"""


class AtK(Record):
    """Over the items that were scored in at least k trials."""

    k: int
    any_of: float
    """pass@k: the chance that at least one of k trials finds an item, 1 - C(R-c, k) / C(R, k)."""
    all_of: float
    """pass^k: the chance that all of k do, C(c, k) / C(R, k)."""
    items: int


class Trials(Record):
    """Of one competitor at one level; R scored trials of an item, c of them supported."""

    level: Level
    trials: int
    """The most that an item was scored in."""
    at: tuple[AtK, ...]
    """For k = 1 up to `trials`."""
    union: float | None
    """Share of the scored items that some trial found."""
    intersection: float | None
    """Share of the scored items that every one of their trials found."""
    items: int
    """Scored at least once."""
    short: int
    """Of them, scored in fewer trials than `trials`."""


class Components(Record):
    """The variance of an entity's share in one trial as one judge sees it, split into where it comes
    from; None where nothing was repeated that would tell."""

    entity: float | None
    """Between entities, once the rest is taken out."""
    trial: float | None
    """Between trials of the same entity; holds the judge's part where nobody judged twice."""
    judge: float | None
    """Between judges, or repeated judgements, of the same trial."""
    entities: int
    trials: float
    """Of an entity, on average."""
    judges: float
    """Of a trial, on average."""


def trials_of(found: Sequence[Outcome], level: Level) -> Trials:
    """The figures of some outcomes; unscored trials are left out, and items without a scored one."""
    counts = [(each.scored, each.supported) for each in found if each.scored]
    most = max((trials for trials, _ in counts), default=0)
    return Trials(
        level=level,
        trials=most,
        at=tuple(_at(k, counts) for k in range(1, most + 1)),
        union=fmean(c > 0 for _, c in counts) if counts else None,
        intersection=fmean(c == r for r, c in counts) if counts else None,
        items=len(counts),
        short=sum(trials < most for trials, _ in counts),
    )


def components(shares: Mapping[Key, float]) -> Components:
    """Nested sums of squares: judgements within trials within entities, by the method of moments.

    Where entities have different numbers of trials, or trials of judgements, harmonic means take
    their place. A part that comes out below 0 is 0.
    """
    judged: dict[tuple[str, int], list[float]] = defaultdict(list)
    for (entity, number, _), share in shares.items():
        judged[entity, number].append(share)
    tried: dict[str, list[float]] = defaultdict(list)
    for (entity, _), group in judged.items():
        tried[entity].append(fmean(group))
    per_trial, per_entity = _harmonic(judged.values()), _harmonic(tried.values())
    judge = _within(judged.values())
    between_trials = _within(tried.values())
    between_entities = _within([[fmean(group) for group in tried.values()]])
    trial = _without(between_trials, judge, per_trial)
    return Components(
        entity=_without(between_entities, between_trials, per_entity),
        trial=trial,
        judge=judge,
        entities=len(tried),
        trials=len(judged) / len(tried) if tried else 0.0,
        judges=len(shares) / len(judged) if judged else 0.0,
    )


def _at(k: int, counts: Sequence[tuple[int, int]]) -> AtK:
    able = [(trials, supported) for trials, supported in counts if trials >= k]
    return AtK(
        k=k,
        any_of=fmean(1 - comb(r - c, k) / comb(r, k) for r, c in able),
        all_of=fmean(comb(c, k) / comb(r, k) for r, c in able),
        items=len(able),
    )


def _within(groups: Collection[list[float]]) -> float | None:
    """The variance inside groups, pooled; None where no group holds two."""
    several = [group for group in groups if len(group) > 1]
    free = sum(len(group) - 1 for group in several)
    return sum(variance(group) * (len(group) - 1) for group in several) / free if free else None


def _without(whole: float | None, inner: float | None, size: float) -> float | None:
    """What is left of a variance of means of `size` once the part from within is taken out."""
    if whole is None:
        return None
    return whole if inner is None else max(0.0, whole - inner / size)


def _harmonic(groups: Collection[list[float]]) -> float:
    """The harmonic mean of their sizes; 0 of none."""
    return len(groups) / sum(1 / len(group) for group in groups) if groups else 0.0
