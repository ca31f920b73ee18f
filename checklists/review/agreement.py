"""How far reviewers agree: the share of equal decisions, Cohen's kappa and Krippendorff's alpha."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

from core.record import Record

Ratings = Sequence[Mapping[str, Hashable]]
"""Per item, reviewer to decision; who has not decided is not there."""


class Agreement(Record):
    """None where a figure is not defined: nobody decided on the same items, or all said the same."""

    reviewers: tuple[str, ...]
    items: int
    """On which two or more have decided."""
    share: float | None
    """Of the pairs of decisions on one item, how many are equal."""
    kappa: float | None
    """Cohen's, of two reviewers on the items that both decided on; None for more of them."""
    alpha: float | None
    """Krippendorff's for names, over any number of reviewers with gaps."""


def agreement(ratings: Ratings) -> Agreement:
    """All three figures."""
    reviewers = sorted({who for item in ratings for who in item})
    shared = [item for item in ratings if len(item) > 1]
    pairs = [a == b for item in shared for a, b in combinations(item.values(), 2)]
    kappa = None
    if len(reviewers) == 2:
        first, second = reviewers
        kappa = cohens_kappa([(item[first], item[second]) for item in shared])
    return Agreement(
        reviewers=tuple(reviewers),
        items=len(shared),
        share=sum(pairs) / len(pairs) if pairs else None,
        kappa=kappa,
        alpha=krippendorffs_alpha(shared),
    )


def cohens_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Agreement beyond chance (Cohen 1960), chance by each reviewer's own habits."""
    if not pairs:
        return None
    total = len(pairs)
    observed = sum(a == b for a, b in pairs) / total
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(left[name] * right[name] for name in left) / total**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorffs_alpha(ratings: Ratings) -> float | None:
    """1 - observed / expected disagreement of names (Krippendorff 2011, section D), gaps allowed."""
    coincidences: Counter[tuple[Hashable, Hashable]] = Counter()
    for item in ratings:
        values = list(item.values())
        for place, a in enumerate(values):
            for other, b in enumerate(values):
                if place != other:
                    coincidences[a, b] += 1 / (len(values) - 1)  # type: ignore[assignment]
    margins: Counter[Hashable] = Counter()
    for (a, _), weight in coincidences.items():
        margins[a] += weight
    total = sum(margins.values())
    expected = sum(margins[a] * margins[b] for a in margins for b in margins if a != b)
    if not expected:
        return None
    observed = sum(weight for (a, b), weight in coincidences.items() if a != b)
    return 1 - (total - 1) * observed / expected
