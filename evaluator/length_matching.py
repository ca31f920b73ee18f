"""Cut two sets of insights to a like length, by whole insights, so that length cannot decide."""

from __future__ import annotations

import random
from collections.abc import Sequence


def length_matched(
    one: Sequence[str], other: Sequence[str], *, seed: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The shorter set whole, and of the longer one so many, drawn by seed, as come nearest to its length.

    Characters are counted. One insight at least stays of each set that has any; those that stay keep
    their order. Same seed, same cut; whose set is which does not matter.
    """
    lengths = _length(one), _length(other)
    if lengths[0] > lengths[1]:
        return _cut(one, lengths[1], seed), tuple(other)
    if lengths[1] > lengths[0]:
        return tuple(one), _cut(other, lengths[0], seed)
    return tuple(one), tuple(other)


def _cut(texts: Sequence[str], wanted: int, seed: str) -> tuple[str, ...]:
    """Drawn one by one; each stays that brings the length nearer to the wanted one."""
    order = list(range(len(texts)))
    random.Random(seed).shuffle(order)
    kept: list[int] = []
    length = 0
    for place in order:
        longer = length + len(texts[place])
        if not kept or abs(longer - wanted) < abs(length - wanted):
            kept.append(place)
            length = longer
    return tuple(texts[place] for place in sorted(kept))


def _length(texts: Sequence[str]) -> int:
    return sum(map(len, texts))
