"""The distinct numbers that some turns showed, sorted, with the turn that showed each first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from evaluator.tracing.observed import Observation

NEAR: Final = 0.25
"""The neighbourhood, as a share of the number, in which chance hits are counted."""
_HAIR: Final = 1e-9
"""What floating point may be off, relative."""


class Index:
    """Sizes (numbers without their signs) that can be searched by a window of values."""

    def __init__(self, numbers: Sequence[float], turns: Sequence[int]) -> None:
        signed, when = np.array(numbers, float), np.array(turns, np.int64)
        order = np.lexsort((when, signed))
        signed, once = np.unique(signed[order], return_index=True)
        when = when[order][once]
        order = np.argsort(np.abs(signed), kind="stable")
        self._signed, self._turns = signed[order], when[order]
        self._sizes = np.abs(self._signed)

    @classmethod
    def of(cls, observations: Sequence[Observation]) -> Index:
        """Of all that these showed."""
        numbers: list[float] = []
        turns: list[int] = []
        for each in observations:
            mine = [*each.singles]
            mine += [n for table in each.tables for row in table for n in row if n is not None]
            numbers += mine
            turns += [each.turn] * len(mine)
        return cls(numbers, turns)

    def find(self, low: float, high: float, until: int) -> int | None:
        """The first turn that showed a number in the window, up to `until`.

        A number without its sign may be a negative one in words ('fell by 3'), but not the reverse.
        """
        first, last = self._places(low, high)
        fits = self._turns[first:last] <= until
        if high < 0:
            fits &= self._signed[first:last] < 0
        turns = self._turns[first:last][fits]
        return int(turns.min()) if len(turns) else None

    def luck(self, low: float, high: float, until: int) -> float:
        """How many numbers would lie in a window of this width by chance, by those around it."""
        first, last = self._places(low, high)
        hits = int(np.count_nonzero(self._turns[first:last] <= until))
        return expected(self._sizes, self._turns, (low, high), hits, until)

    def _places(self, low: float, high: float) -> tuple[int, int]:
        small, great = sorted((abs(low), abs(high)))
        if low <= 0 <= high:
            small = 0.0
        hair = _HAIR * great
        first = np.searchsorted(self._sizes, small - hair, "left")
        last = np.searchsorted(self._sizes, great + hair, "right")
        return int(first), int(last)


def expected(
    sizes: np.ndarray, turns: np.ndarray, window: tuple[float, float], hits: int, until: int
) -> float:
    """Chance hits in a window, by the density of sorted `sizes` around it, its own hits left out."""
    low, high = sorted((abs(window[0]), abs(window[1])))
    middle, width = (low + high) / 2, max(high - low, 1e-12)
    half = max(NEAR * middle, 5 * width)
    start = int(np.searchsorted(sizes, middle - half, "left"))
    end = int(np.searchsorted(sizes, middle + half, "right"))
    near = int(np.count_nonzero(turns[start:end] <= until)) - hits
    room = middle + half - max(middle - half, 0.0) - width
    return max(near, 0) * width / room
