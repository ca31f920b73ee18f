"""Draw whole numbers from a seed so that every machine draws the same: hashes, no generator's state."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

Whole = NDArray[np.int64]
"""Whole numbers, one per row or entity."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


class Draws:
    """Draws that hang on a seed, a name and a place alone: in any order, in any pieces.

    Row 7 of "delay" is the same number whether it is drawn alone, in a block, or after others.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def whole(self, name: str, at: ArrayLike, below: ArrayLike) -> Whole:
        """One number from 0 to `below` - 1 (1 <= below <= 2^31) for each place in `at`."""
        high = self._bits(name, at) >> np.uint64(32)
        return ((high * np.asarray(below).astype(np.uint64)) >> np.uint64(32)).astype(np.int64)

    def between(self, name: str, at: ArrayLike, least: int, most: int) -> Whole:
        """One number from `least` to `most`, both included, for each place."""
        return least + self.whole(name, at, most - least + 1)

    def order(self, name: str, count: int) -> Whole:
        """The numbers from 0 to `count` - 1, shuffled."""
        return np.argsort(self._bits(name, np.arange(count)), kind="stable").astype(np.int64)

    def _bits(self, name: str, at: ArrayLike) -> NDArray[np.uint64]:
        """The generator splitmix64 at these places of a stream of the name's own."""
        key = hashlib.sha256(f"{self._seed}|{name}".encode()).digest()[:8]
        start = np.array(int.from_bytes(key, "big"), dtype=np.uint64)
        # Products and sums wrap around on purpose: they are meant modulo 2^64.
        with np.errstate(over="ignore"):
            z = start + np.asarray(at).astype(np.uint64) * _GOLDEN
            z = (z ^ (z >> np.uint64(30))) * _FIRST
            z = (z ^ (z >> np.uint64(27))) * _SECOND
        drawn: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
        return drawn


class Traits:
    """What entities are like: one draw an entity and trait, and all of them alike at intensity 0."""

    def __init__(self, draws: Draws, count: int, intensity: float) -> None:
        self._draws, self._who = draws, np.arange(count)
        self._strength = round(intensity * 1000)

    def any(self, name: str, below: int) -> Whole:
        """A trait without a middle (which month, which category): it shows by its strength alone."""
        return self._draws.whole(name, self._who, below)

    def own(self, name: str, neutral: Whole | int, least: Whole | int, most: Whole | int) -> Whole:
        """A trait of strength: between `least` and `most`, nearer to the neutral one the less intense."""
        own = least + self._draws.whole(name, self._who, most - least + 1)
        mixed: Whole = neutral + (own - neutral) * self._strength // 1000
        return mixed


class Wheels:
    """A wheel of fortune per entity, with slots of whole weights, turned for many rows at once."""

    def __init__(self, weights: Whole) -> None:
        """`weights`: entities x slots, none negative, each entity's sum at least 1."""
        self.totals: Whole = weights.sum(axis=1)
        """Per entity, what a position must be below."""
        self._weights = weights
        self._ends: Whole = np.cumsum(weights, axis=1)
        self._step = int(self.totals.max()) + 1
        steps = np.arange(len(weights), dtype=np.int64)[:, None] * self._step
        self._flat = (self._ends + steps).ravel()

    def drawn(self, draws: Draws, name: str, entity: Whole, at: ArrayLike) -> Whole:
        """A slot by lot for each place in `at`, of each one's entity."""
        return self.slot(entity, draws.whole(name, at, self.totals[entity]))

    def slot(self, entity: Whole, position: Whole) -> Whole:
        """The slot in which each position lies; higher positions lie in no lower slot."""
        found = np.searchsorted(self._flat, entity * self._step + position, side="right")
        slot: Whole = found.astype(np.int64) - entity * self._weights.shape[1]
        return slot

    def within(self, entity: Whole, position: Whole, parts: ArrayLike) -> tuple[Whole, Whole]:
        """The slot, and how far into it: 0 to `parts` - 1, in the order of the positions."""
        slot = self.slot(entity, position)
        weight = self._weights[entity, slot]
        into = position - (self._ends[entity, slot] - weight)
        return slot, into * np.asarray(parts) // weight


def apportioned(total: int, weights: Whole) -> Whole:
    """`total` shared out by weight, in whole numbers that sum to it; earlier ones round down."""
    ends = np.cumsum(weights) * total // int(weights.sum())
    return np.diff(ends, prepend=0).astype(np.int64)
