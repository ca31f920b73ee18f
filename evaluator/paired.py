"""Compare competitors item by item: the paired difference, its clustered interval, Holm over all pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean

from core.evaluation import Level
from core.record import Record
from evaluator.intervals import cluster_error, share_interval
from evaluator.outcomes import Outcome
from evaluator.scoring import Averaging


class Paired(Record):
    """One competitor against another on the same items; shares in [-1, 1]."""

    one: str
    other: str
    level: Level
    averaging: Averaging
    group: str | None = None
    """The category, or another part of the items, that it is over; None = all."""
    one_mean: float | None
    """Over the items that both were scored on."""
    other_mean: float | None
    difference: float | None
    """one - other; None where no item was scored for both."""
    standard_error: float | None = None
    """Clustered by entity; None below two clusters."""
    low: float | None = None
    high: float | None = None
    """95 % interval."""
    p: float | None = None
    """Two-sided, of no difference."""
    p_holm: float | None = None
    """The same, corrected for all comparisons of its family (Holm 1979)."""
    items: int
    """Scored for both."""
    left_out: int
    """Items of both that were not scored for one of them at least: no fault of ours decides."""
    entities: int
    clusters: int

    @property
    def differs(self) -> bool:
        """Whether the difference holds at 5 % after the correction."""
        p = self.p if self.p_holm is None else self.p_holm
        return p is not None and p <= 0.05


def paired(
    one: str,
    other: str,
    mine: Sequence[Outcome],
    theirs: Sequence[Outcome],
    *,
    level: Level,
    averaging: Averaging,
    group: str | None = None,
) -> Paired:
    """The difference over the items that both have, each averaged over its scored trials first.

    Items of the same entity rise and fall together, so differences are clustered (EVALUATION 4.2);
    sample: each entity's mean difference first. Student's t with G - 1 degrees of freedom.
    """
    known = {outcome.item_id: outcome for outcome in theirs}
    both = [(own, known[own.item_id]) for own in mine if own.item_id in known]
    pairs = [
        (own.entity_id, own.cluster, own.scored_only, their.scored_only)
        for own, their in both
        if own.scored_only is not None and their.scored_only is not None
    ]
    ones = _averaged([(e, c, mine) for e, c, mine, _ in pairs], averaging)
    others = _averaged([(e, c, theirs) for e, c, _, theirs in pairs], averaging)
    clusters = [cluster for cluster, _ in ones]
    apart = [mine - theirs for (_, mine), (_, theirs) in zip(ones, others, strict=True)]
    error = cluster_error(apart, clusters)
    groups = len(set(clusters))
    difference = fmean(apart) if apart else None
    low, high = (None, None) if difference is None else _interval(difference, error, groups)
    return Paired(
        one=one,
        other=other,
        level=level,
        averaging=averaging,
        group=group,
        one_mean=fmean(value for _, value in ones) if ones else None,
        other_mean=fmean(value for _, value in others) if others else None,
        difference=difference,
        standard_error=error,
        low=low,
        high=high,
        p=None if difference is None else _p(difference, error, groups),
        items=len(pairs),
        left_out=len(both) - len(pairs),
        entities=len({entity for entity, *_ in pairs}),
        clusters=groups,
    )


def all_pairs(
    found: Mapping[str, Sequence[Outcome]],
    *,
    level: Level,
    averaging: Averaging,
    group: str | None = None,
) -> list[Paired]:
    """Each against each, in their order, not corrected yet."""
    return [
        paired(one, other, found[one], found[other], level=level, averaging=averaging, group=group)
        for one, other in combinations(found, 2)
    ]


def corrected(family: Sequence[Paired]) -> list[Paired]:
    """The same with Holm's p over all of them: those that are looked at together."""
    found = holm([each.p for each in family])
    return [each.model_copy(update={"p_holm": p}) for each, p in zip(family, found, strict=True)]


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Each p times the number of those not below it, never below a smaller one's, at most 1.

    What is None was not tested, and corrects nothing.
    """
    ranked = sorted((p, place) for place, p in enumerate(values) if p is not None)
    found: list[float | None] = [None] * len(values)
    least = 0.0
    for rank, (p, place) in enumerate(ranked):
        least = max(least, min(1.0, p * (len(ranked) - rank)))
        found[place] = least
    return found


def _averaged(
    values: Sequence[tuple[str, str, float]], averaging: Averaging
) -> list[tuple[str, float]]:
    """(cluster, value) of each item, or of each entity."""
    if averaging == "item":
        return [(cluster, value) for _, cluster, value in values]
    grouped: dict[tuple[str, str], list[float]] = defaultdict(list)
    for entity, cluster, value in values:
        grouped[entity, cluster].append(value)
    return [(cluster, fmean(group)) for (_, cluster), group in grouped.items()]


def _interval(
    difference: float, error: float | None, groups: int
) -> tuple[float | None, float | None]:
    """Cut to [-1, 1]. Where every difference is the same, as wide as the exact binomial bound.

    With an error of 0 all G clusters say the same; what a further one might say is bounded as in
    share_interval.
    """
    if error is None or groups < 2:
        return None, None
    if error == 0:
        none = share_interval(0.0, 0.0, groups)
        reach = none[1] if none else 1.0
    else:
        from scipy.special import stdtrit

        reach = float(stdtrit(groups - 1, 0.975)) * error
    return max(-1.0, difference - reach), min(1.0, difference + reach)


def _p(difference: float, error: float | None, groups: int) -> float | None:
    """Student's t; where all differences are the same, the sign test over the clusters."""
    if error is None or groups < 2:
        return None
    if error == 0:
        return 1.0 if difference == 0 else 2.0 ** (1 - groups)
    from scipy.special import stdtr

    return float(min(1.0, 2 * stdtr(groups - 1, -abs(difference) / error)))
