"""Set models' scores beside what the models are: by group, pair by pair, and per tenfold (DDR-23)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import log10
from statistics import fmean
from typing import Final

from analysis.models import ModelFacts, Value
from analysis.statistics import Mean, clustered_mean, holm

MATCHED: Final[Mapping[str, tuple[str, ...]]] = {
    "total_b": ("family", "generation", "context_tokens"),
    "active_b": ("family", "generation", "context_tokens"),
    "context_tokens": ("family", "generation", "total_b"),
    "generation": ("family",),
}
"""In what two models must be alike, so that their difference can be the attribute's."""
SIZES: Final = ("total_b", "active_b", "context_tokens")
"""Numbers of which tenfold is what counts."""
_NEAR: Final = 2.0
"""Two generations are compared where one model is at most so many times as large as the other."""


@dataclass(frozen=True)
class Found:
    """One item's score with what its errors are clustered by; a share in [0, 1]."""

    value: float
    entity_id: str
    cluster: str


@dataclass(frozen=True)
class Scored:
    """A model with its score on each item that it was scored on, averaged over trials."""

    name: str
    facts: ModelFacts | None
    items: Mapping[str, Found]


@dataclass(frozen=True)
class Facet:
    """The models that share a value of the attribute."""

    value: Value
    models: tuple[str, ...]
    mean: Mean | None
    """Of the items' means over these models, on the items that all of them were scored on."""


@dataclass(frozen=True)
class Contrast:
    """One side minus the other, over the items that both were scored on."""

    one: str
    """The model, or the value of a group, that has more of the attribute or came later."""
    other: str
    one_value: Value
    other_value: Value
    matched: Mapping[str, Value]
    """In what both are alike; empty between groups."""
    difference: Mean | None
    """None where no item was scored for both."""
    left_out: int
    """Items that were scored for one of them alone."""
    p_holm: float | None = None
    """Corrected for all contrasts of the attribute at this level."""

    @property
    def differs(self) -> bool:
        """Whether it holds at 5 % after the correction."""
        return self.p_holm is not None and self.p_holm <= 0.05


@dataclass(frozen=True)
class Slope:
    """How much more tenfold of a size brings, among models that are alike in the rest."""

    per_tenfold: Mean
    models: tuple[str, ...]
    strata: int
    """Sets of models alike in the rest, inside which sizes are compared."""


@dataclass(frozen=True)
class Facets:
    """All models by one attribute."""

    attribute: str
    groups: tuple[Facet, ...]
    """In the order of the values."""
    contrasts: tuple[Contrast, ...]
    is_matched: bool
    """Whether contrasts are between single models that are alike in the rest; else between groups."""
    slope: Slope | None
    """Of sizes; None where fewer than two models that are alike in the rest differ in it."""
    unknown: tuple[str, ...]
    """Models of which the attribute is not known: they are in nothing above."""


def facets(models: Sequence[Scored], attribute: str) -> Facets:
    """By groups, by contrasts paired by item and clustered, and by slope where it is a size."""
    known = [each for each in models if _value(each, attribute) is not None]
    by_value: dict[Value, list[Scored]] = defaultdict(list)
    for each in sorted(known, key=lambda each: _order(each, attribute)):
        by_value[_label(each, attribute)].append(each)
    groups = [
        Facet(value, tuple(each.name for each in own), _mean(_averaged(own)))
        for value, own in by_value.items()
    ]
    is_matched = attribute in MATCHED
    pairs = _matched(known, attribute) if is_matched else _between(by_value)
    return Facets(
        attribute=attribute,
        groups=tuple(groups),
        contrasts=tuple(_corrected(pairs)),
        is_matched=is_matched,
        slope=_slope(known, attribute) if attribute in SIZES else None,
        unknown=tuple(each.name for each in models if _value(each, attribute) is None),
    )


def _matched(known: Sequence[Scored], attribute: str) -> list[Contrast]:
    """Single models that differ in the attribute and are alike in what it is matched by."""
    found = []
    ordered = sorted(known, key=lambda each: _order(each, attribute))
    for other, one in combinations(ordered, 2):
        alike = _alike(one, other, attribute)
        if alike is None or _value(one, attribute) == _value(other, attribute):
            continue
        found.append(
            _contrast(
                (one.name, _known(one, attribute), one.items),
                (other.name, _known(other, attribute), other.items),
                alike,
            )
        )
    return found


def _between(by_value: Mapping[Value, Sequence[Scored]]) -> list[Contrast]:
    """Each group against each, an item's score being the mean over the group's models."""
    sides = [(str(value), value, _averaged(own)) for value, own in by_value.items()]
    return [_contrast(one, other, {}) for other, one in combinations(sides, 2)]


def _contrast(
    one: tuple[str, Value, Mapping[str, Found]],
    other: tuple[str, Value, Mapping[str, Found]],
    alike: Mapping[str, Value],
) -> Contrast:
    mine, theirs = one[2], other[2]
    both = [name for name in mine if name in theirs]
    return Contrast(
        one=one[0],
        other=other[0],
        one_value=one[1],
        other_value=other[1],
        matched=alike,
        difference=clustered_mean(
            [mine[name].value - theirs[name].value for name in both],
            [mine[name].cluster for name in both],
        ),
        left_out=len(mine.keys() ^ theirs.keys()),
    )


def _corrected(contrasts: Sequence[Contrast]) -> list[Contrast]:
    found = holm([each.difference.p if each.difference else None for each in contrasts])
    return [replace(each, p_holm=p) for each, p in zip(contrasts, found, strict=True)]


def _alike(one: Scored, other: Scored, attribute: str) -> dict[str, Value] | None:
    """In what they are alike, as far as it is known; None where they are not, or family is unknown."""
    shared: dict[str, Value] = {}
    for name in MATCHED[attribute]:
        mine, theirs = _value(one, name), _value(other, name)
        if mine != theirs or (name == "family" and mine is None):
            return None
        if mine is not None:
            shared[name] = mine
    if attribute == "generation" and not _near(one, other):
        return None
    return shared


def _near(one: Scored, other: Scored) -> bool:
    """Whether two models are about as large; where that is known of neither, a family's are."""
    sizes = [_value(each, "total_b") for each in (one, other)]
    if sizes == [None, None]:
        return True
    known = [size for size in sizes if isinstance(size, float)]
    return len(known) == 2 and max(known) <= _NEAR * min(known)


def _slope(known: Sequence[Scored], attribute: str) -> Slope | None:
    """Least squares of an item's score on log10 of the size inside each stratum, then over items.

    Per item the slope is a weighted sum of the models' scores with the same weights for each item, so
    that items that all these models were scored on are taken, and errors are clustered as a mean's are.
    """
    strata: dict[tuple[Value | None, ...], list[Scored]] = defaultdict(list)
    for each in known:
        if _value(each, "family") is not None:
            strata[tuple(_value(each, name) for name in MATCHED[attribute])].append(each)
    used = [own for own in strata.values() if len({_value(each, attribute) for each in own}) > 1]
    if not used:
        return None
    weights: dict[str, float] = {}
    total = 0.0
    for own in used:
        logs = [log10(float(_known(each, attribute))) for each in own]
        middle = fmean(logs)
        for each, at in zip(own, logs, strict=True):
            weights[each.name] = at - middle
            total += (at - middle) ** 2
    models = [each for own in used for each in own]
    common = [name for name in models[0].items if all(name in each.items for each in models)]
    slope = clustered_mean(
        [
            sum(weights[each.name] * each.items[name].value for each in models) / total
            for name in common
        ],
        [models[0].items[name].cluster for name in common],
    )
    if slope is None:
        return None
    return Slope(slope, tuple(each.name for each in models), len(used))


def _averaged(models: Sequence[Scored]) -> dict[str, Found]:
    """Each item that all of them were scored on, with the mean over them."""
    first, *rest = models
    return {
        name: replace(found, value=fmean(each.items[name].value for each in models))
        for name, found in first.items.items()
        if all(name in each.items for each in rest)
    }


def _mean(items: Mapping[str, Found]) -> Mean | None:
    found = list(items.values())
    return clustered_mean([each.value for each in found], [each.cluster for each in found])


def _order(each: Scored, attribute: str) -> tuple[str, str, float, str]:
    """Of generations by their month, of sizes by number, of the rest by name."""
    value = _value(each, attribute)
    month = (each.facts.released or "") if each.facts and attribute == "generation" else ""
    number = float(value) if isinstance(value, (int, float)) else 0.0
    return month, "" if isinstance(value, (int, float)) else str(value), number, each.name


def _label(each: Scored, attribute: str) -> Value:
    """The group that it is in: two families' '2.5' are two generations."""
    value, family = _known(each, attribute), _value(each, "family")
    return f"{family} {value}" if attribute == "generation" and family else value


def _value(each: Scored, attribute: str) -> Value | None:
    return each.facts.value(attribute) if each.facts is not None else None


def _known(each: Scored, attribute: str) -> Value:
    value = _value(each, attribute)
    if value is None:
        raise ValueError(f"{attribute} of {each.name} is not known")
    return value
