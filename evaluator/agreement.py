"""How far labels agree: a judge's with the truth, people's with one another, a judge's with itself."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import TypeVar

Row = TypeVar("Row")
Told = Hashable | None
"""A label; None = none was given (unscored, not asked)."""
ROUNDS = 1000


def confusion(truth: Sequence[str], said: Sequence[str | None]) -> dict[str, dict[str, int]]:
    """{true label: {label said: cases}}; what has no label is said to be 'unscored'."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for true, told in zip(truth, said, strict=True):
        found[true]["unscored" if told is None else told] += 1
    return {true: dict(sorted(found[true].items())) for true in sorted(found)}


def recalls(truth: Sequence[str], said: Sequence[str | None]) -> dict[str, float]:
    """Per true label the share of its cases that were given it; unscored ones were not."""
    return {
        label: each.get(label, 0) / sum(each.values())
        for label, each in confusion(truth, said).items()
    }


def macro_f1(truth: Sequence[Told], said: Sequence[Told]) -> float | None:
    """The mean F1 over all labels that either side holds (DDR-32); None where there is no case.

    A case without a label said is a miss of its true label and a false alarm of none.
    """
    pairs = list(zip(truth, said, strict=True))
    labels = {label for pair in pairs for label in pair if label is not None}
    if not labels:
        return None
    hits = Counter(true for true, told in pairs if true == told)
    held = Counter(true for true, _ in pairs)
    given = Counter(told for _, told in pairs)
    return fmean(2 * hits[label] / (held[label] + given[label]) for label in labels)


def agreement(one: Sequence[Told], other: Sequence[Told]) -> float | None:
    """The share of cases with the same label; those that lack one on a side are left out."""
    pairs = _both(one, other)
    return fmean(a == b for a, b in pairs) if pairs else None


def cohen_kappa(one: Sequence[Told], other: Sequence[Told]) -> float | None:
    """Cohen's kappa; cases that lack a label on a side are left out.

    None without cases, and where chance alone would agree in all of them.
    """
    pairs = _both(one, other)
    if not pairs:
        return None
    n = len(pairs)
    left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(left[label] * right[label] for label in left) / n**2
    return None if chance == 1 else (fmean(a == b for a, b in pairs) - chance) / (1 - chance)


def krippendorff(rows: Sequence[Sequence[Told]]) -> float | None:
    """Krippendorff's alpha for nominal labels: a row per unit, None where a rater gave no label.

    None without a unit that two have labelled, and where only one label occurs.
    """
    weights: dict[tuple[Hashable, Hashable], float] = defaultdict(float)
    for row in rows:
        counts = Counter(label for label in row if label is not None)
        size = sum(counts.values())
        if size < 2:
            continue
        for one in counts:
            for other in counts:
                pairs = counts[one] * (counts[other] - (one == other))
                weights[one, other] += pairs / (size - 1)
    total = sum(weights.values())
    held: dict[Hashable, float] = defaultdict(float)
    for (one, _), weight in weights.items():
        held[one] += weight
    expected = total**2 - sum(h * h for h in held.values())
    if not total or not expected:
        return None
    differing = sum(weight for (one, other), weight in weights.items() if one != other)
    return 1 - (total - 1) * differing / expected


def flip_rate(rows: Sequence[Sequence[Told]]) -> float | None:
    """Over items, the mean share of pairs of repeats whose labels differ (EVALUATION 4.3).

    'No label' counts as a label of its own. None where no item has two repeats.
    """
    shares = [fmean(a != b for a, b in combinations(row, 2)) for row in rows if len(row) > 1]
    return fmean(shares) if shares else None


def variation(values: Sequence[float]) -> float | None:
    """The coefficient of variation, sigma / mean (DDR-31, where it is printed in %).

    sigma is the sample's (n - 1). None below two values and where the mean is 0.
    """
    if len(values) < 2 or not (mean := fmean(values)):
        return None
    return stdev(values) / mean


def icc(rows: Sequence[Sequence[float]]) -> float | None:
    """ICC(1): the share of the variance of single values that lies between items (one-way).

    Each item has the same number of repeats, two or more. None below two items and where nothing
    varies. Raises ValueError for unequal rows.
    """
    sizes = {len(row) for row in rows}
    if len(rows) < 2:
        return None
    if len(sizes) != 1 or (k := sizes.pop()) < 2:
        raise ValueError("ICC(1) needs the same number of repeats, at least two, of each item")
    means = [fmean(row) for row in rows]
    grand = fmean(means)
    between = k * sum((mean - grand) ** 2 for mean in means) / (len(rows) - 1)
    inside = [(v - m) ** 2 for row, m in zip(rows, means, strict=True) for v in row]
    within = sum(inside) / (len(rows) * (k - 1))
    spread = between + (k - 1) * within
    return (between - within) / spread if spread else None


def bootstrap(
    rows: Sequence[Row],
    clusters: Sequence[Hashable],
    statistic: Callable[[Sequence[Row]], float | None],
    *,
    seed: int,
    rounds: int = ROUNDS,
) -> tuple[float, float] | None:
    """The percentile 95 % interval of a statistic; whole clusters (entities) are drawn.

    None below two clusters. Draws in which the statistic is not defined are left out.
    """
    grouped: Mapping[Hashable, list[Row]] = defaultdict(list)
    for row, cluster in zip(rows, clusters, strict=True):
        grouped[cluster].append(row)
    groups = list(grouped.values())
    if len(groups) < 2:
        return None
    draw = random.Random(seed)
    found = []
    for _ in range(rounds):
        drawn = [row for group in draw.choices(groups, k=len(groups)) for row in group]
        if (value := statistic(drawn)) is not None:
            found.append(value)
    if not found:
        return None
    found.sort()
    return found[int(0.025 * (len(found) - 1))], found[-1 - int(0.025 * (len(found) - 1))]


def _both(one: Sequence[Told], other: Sequence[Told]) -> list[tuple[Hashable, Hashable]]:
    pairs = zip(one, other, strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]
