"""Draw whole numbers for places of several parts: a patient and the number of an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from databases import draws

if TYPE_CHECKING:
    Ints: TypeAlias = NDArray[np.int64]
    Flags: TypeAlias = NDArray[np.bool_]

_PART = np.uint64(0xD1342543DE82EF95)
_SPREAD = 18_919
"""Standard deviation of the sum of four uniform 15-bit numbers."""


class Draws:
    """databases.draws.Draws for places of several parts, with chances and noise.

    All is in integers, since the last digit of a sine or an exponential differs between machines.
    """

    def __init__(self, seed: str) -> None:
        self._draws = draws.Draws(seed)

    def below(self, name: str, bound: Ints | int, *place: Ints | int) -> Ints:
        """Numbers from 0 to bound - 1, evenly; `place` says whose they are. A bound is under 2^31."""
        return self._draws.whole(name, _one(place), bound)

    def between(self, name: str, low: Ints | int, high: Ints | int, *place: Ints | int) -> Ints:
        """Numbers from low to high, both included."""
        found: Ints = low + self.below(name, high - low + 1, *place)
        return found

    def chance(self, name: str, permille: Ints | int, *place: Ints | int) -> Flags:
        """True in so many of a thousand places."""
        return np.asarray(self.below(name, 1000, *place) < permille)

    def noise(self, name: str, spread: Ints | int, *place: Ints | int) -> Ints:
        """Whole numbers around 0, nearly normal, with this standard deviation; never beyond 3.5 of it."""
        at = _one(place)
        both = [self._draws.whole(f"{name}: {half}", at, 1 << 31) for half in ("one", "other")]
        parts = [part for half in both for part in (half >> 16, half & 0x7FFF)]
        centred: Ints = parts[0] + parts[1] + parts[2] + parts[3] - 2 * 32_767
        found: Ints = (centred * spread + _SPREAD // 2) // _SPREAD
        return found


def _one(place: tuple[Ints | int, ...]) -> NDArray[np.uint64]:
    """The parts as one number, other for other parts: a polynomial modulo 2^64."""
    found = np.zeros(1, np.uint64)
    with np.errstate(over="ignore"):
        for part in place:
            found = found * _PART + np.asarray(part).astype(np.uint64)
    return found
