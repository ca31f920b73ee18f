"""How precise an evaluation will be, and which difference it will show, before it is run (EVALUATION 4.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import sqrt
from statistics import fmean
from typing import Final

from core.record import Record
from evaluator.outcomes import Outcome

POWER: Final = 0.8
"""The chance with which a difference is to be shown at 5 %, two-sided."""


class Assumed(Record):
    """What the precision depends on besides numbers; shares in [0, 1]."""

    accuracy: float = 0.5
    """Of an item; 0.5 is the widest case."""
    icc: float = 0.15
    """How far items of one entity go together (EVALUATION 1.7)."""
    correlation: float = 0.5
    """Between two models on the same item, each once."""
    icc_apart: float = 0.05
    """How far the differences between two models on items of one entity go together: what is hard about an
    entity is hard for both, and drops out."""
    retest: float = 0.6
    """Between two trials of the same model on the same item."""


class Precision(Record):
    """Of some entities and trials; None below two entities."""

    half_width: float | None
    """Of the 95 % interval of an item-averaged accuracy."""
    detectable: float | None
    """The smallest difference between two models, paired by item, that is shown with POWER."""
    unpaired: float | None
    """The same of two models that explored different entities."""


def precision(entities: int, trials: int, sizes: Sequence[int], assumed: Assumed) -> Precision:
    """`sizes`: how many items each entity has; those that are explored are taken to be like them.

    With p(1-p) the variance of one item in one trial and N items, the variance of a mean is
    p(1-p)/N * [1 - (1 - retest)(1 - 1/T) + (m - 1) icc], where m is the size of an entity weighted by
    its items. Of a paired difference it is 2p(1-p)/N * [(1 - correlation)(1 + (m - 1) icc_apart) -
    (1 - retest)(1 - 1/T)]. Student's t with G - 1 degrees of freedom. Raises ValueError without items.
    """
    if not sizes or not sum(sizes):
        raise ValueError("no items to be planned for")
    if entities < 2:
        return Precision(half_width=None, detectable=None, unpaired=None)
    from scipy.special import stdtrit

    each = fmean(sizes)
    weighted = sum(size * size for size in sizes) / sum(sizes)
    one = assumed.accuracy * (1 - assumed.accuracy) / (entities * each)
    averaged_out = (1 - assumed.retest) * (1 - 1 / trials)
    mean = one * (1 - averaged_out + (weighted - 1) * assumed.icc)
    left = (1 - assumed.correlation) * (1 + (weighted - 1) * assumed.icc_apart)
    # Trials cannot take out more than what varies between them.
    difference = 2 * one * max(left - averaged_out, left / trials)
    wide = float(stdtrit(entities - 1, 0.975))
    reach = wide + float(stdtrit(entities - 1, POWER))
    return Precision(
        half_width=wide * sqrt(mean),
        detectable=reach * sqrt(difference),
        unpaired=reach * sqrt(2 * mean),
    )


def icc(values: Sequence[tuple[str, float]]) -> float | None:
    """How far values of one entity go together: the one-way ANOVA estimate, never below 0.

    `values`: (entity, value). None where no entity has two, there are not two entities, or nothing
    varies.
    """
    groups: dict[str, list[float]] = defaultdict(list)
    for entity, value in values:
        groups[entity].append(value)
    free = len(values) - len(groups)
    if len(groups) < 2 or free < 1:
        return None
    mean = fmean(value for _, value in values)
    between = sum(len(g) * (fmean(g) - mean) ** 2 for g in groups.values()) / (len(groups) - 1)
    within = sum((v - fmean(g)) ** 2 for g in groups.values() for v in g) / free
    unequal = sum(len(g) ** 2 for g in groups.values()) / len(values)
    size = (len(values) - unequal) / (len(groups) - 1)
    whole = between + (size - 1) * within
    return max(0.0, (between - within) / whole) if whole > 0 else None


def scored(found: Sequence[Outcome]) -> list[tuple[str, float]]:
    """(entity, share of its scored trials) of each scored item."""
    return [(o.entity_id, o.scored_only) for o in found if o.scored_only is not None]


def shared(one: Sequence[Outcome], other: Sequence[Outcome]) -> list[tuple[str, float, float]]:
    """(entity, one's, the other's) of each item that both were scored on."""
    theirs = {each.item_id: each.scored_only for each in other}
    pairs = [(each.entity_id, each.scored_only, theirs.get(each.item_id)) for each in one]
    return [(entity, a, b) for entity, a, b in pairs if a is not None and b is not None]
