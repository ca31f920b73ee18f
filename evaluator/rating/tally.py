"""Games counted per entity and pair, so that a resample of entities is one product of matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from evaluator.rating.results import Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

WON, LOST, TIED = range(3)


@dataclass(frozen=True)
class Tally:
    """Of K competitors on G entities."""

    names: tuple[str, ...]
    counts: Floats
    """(G, 3, P, 3): per entity, who of the pair was shown first (0: nobody, 1: i, 2: j), pair i < j in
    the order of np.triu_indices, and how it ended for i (WON, LOST, TIED)."""

    @property
    def entities(self) -> int:
        """G."""
        return int(self.counts.shape[0])

    @cached_property
    def pairs(self) -> tuple[Ints, Ints]:
        """The P pairs: i and j of each."""
        import numpy as np

        one, other = np.triu_indices(len(self.names), 1)
        return one.astype(np.int64), other.astype(np.int64)

    @cached_property
    def total(self) -> Floats:
        """(3, P, 3): over all entities."""
        found: Floats = self.counts.sum(axis=0)
        return found

    @cached_property
    def beaten(self) -> Floats:
        """(K, K): how often the row won against the column; a tie is no win."""
        import numpy as np

        found = np.zeros((len(self.names),) * 2)
        whole, (one, other) = self.total.sum(axis=0), self.pairs
        found[one, other], found[other, one] = whole[:, WON], whole[:, LOST]
        return found

    @cached_property
    def tied(self) -> Floats:
        """(K, K), symmetric."""
        import numpy as np

        found = np.zeros((len(self.names),) * 2)
        whole, (one, other) = self.total.sum(axis=0), self.pairs
        found[one, other] = found[other, one] = whole[:, TIED]
        return found

    def resampled(self, times: int, seed: int) -> Floats:
        """(times, 3 or 1, P, 3): sums over as many entities as there are, drawn with replacement.

        1 where no game's order is told.
        """
        import numpy as np

        drawn = np.random.default_rng(seed).multinomial(
            self.entities, np.full(self.entities, 1 / self.entities), size=times
        )
        counts = self.counts if self.counts[:, 1:].any() else self.counts[:, :1]
        flat = counts.reshape(self.entities, -1)
        return (drawn.astype(float) @ flat).reshape(times, *counts.shape[1:])


def tally(results: Iterable[Result], names: Sequence[str], *, ordered: bool = False) -> Tally:
    """Count. `names`: the competitors, those without a game included; `ordered` keeps who was first.

    A game of one that is not named, or with itself, is an error: KeyError, ValueError.
    """
    import numpy as np

    games, size = list(results), len(names)
    place = {name: number for number, name in enumerate(names)}
    # In the order of their names, so that the order of the games decides no draw of a bootstrap.
    entities = {name: number for number, name in enumerate(sorted({game.entity for game in games}))}

    def column(values: Iterable[int]) -> Ints:
        return np.fromiter(values, dtype=np.int64, count=len(games))

    left = column(place[game.left] for game in games)
    right = column(place[game.right] for game in games)
    if (left == right).any():
        raise ValueError("somebody played against itself")
    ending = column(_ENDING[game.winner] for game in games)
    turned = left > right
    ending = np.where(turned & (ending != TIED), 1 - ending, ending)
    first = np.zeros(len(games), dtype=np.int64)
    if ordered:
        first = column(_FIRST[game.first] for game in games)
        first = np.where(turned & (first > 0), 3 - first, first)
    one, other = np.minimum(left, right), np.maximum(left, right)
    pair = one * (2 * size - one - 1) // 2 + other - one - 1
    entity = column(entities[game.entity] for game in games)
    pairs = size * (size - 1) // 2
    code = ((entity * 3 + first) * pairs + pair) * 3 + ending
    counted = np.bincount(code, minlength=len(entities) * 3 * pairs * 3)
    return Tally(tuple(names), counted.astype(float).reshape(len(entities), 3, pairs, 3))


_ENDING: Final = {"left": WON, "right": LOST, "tie": TIED}
_FIRST: Final = {None: 0, "left": 1, "right": 2}
