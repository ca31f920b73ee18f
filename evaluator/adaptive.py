"""Choose which pairs to ask next: those of whom it is least certain who is the better one."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Final

from evaluator.rating.results import Result

if TYPE_CHECKING:
    from evaluator.rating.scale import Scale

SHARE: Final = 0.25
"""Of all pairs that are asked at most."""
ROUNDS: Final = 8
"""So many at most; the first asks each two competitors alike often."""
_RESAMPLES: Final = 200


@dataclass(frozen=True)
class Cell:
    """Two competitors on one entity in one trial; `left` < `right`."""

    entity: str
    trial: int
    left: str
    right: str


def rounds(cells: Sequence[Cell], results: Sequence[Result], *, seed: int) -> Iterator[list[Cell]]:
    """The cells to ask, round by round, a quarter of them at most; but each two once, where they met.

    `results` is read anew before each round: it is to hold the games of the rounds before. The same
    seed and the same results give the same cells, so that what was broken off can be gone through
    again.
    """
    budget = int(len(cells) * SHARE)
    waiting: dict[tuple[str, str], list[Cell]] = {}
    for cell in sorted(cells, key=lambda c: (c.left, c.right, c.entity, c.trial)):
        waiting.setdefault((cell.left, cell.right), []).append(cell)
    for pair, theirs in waiting.items():
        random.Random(f"{seed}|{pair[0]}|{pair[1]}").shuffle(theirs)
    budget = max(budget, len(waiting))
    each = max(1, budget // (3 * len(waiting))) if waiting else 0
    first = [cell for theirs in waiting.values() for cell in _taken(theirs, each)]
    asked = len(first)
    if first:
        yield first
    while asked < budget and any(waiting.values()):
        size = min(budget - asked, max(1, ceil((budget - len(first)) / (ROUNDS - 1))))
        chosen = _least_certain(waiting, results, size, seed)
        asked += len(chosen)
        yield chosen


def _least_certain(
    waiting: dict[tuple[str, str], list[Cell]], results: Sequence[Result], size: int, seed: int
) -> list[Cell]:
    """Cells of the pairs whose order is least certain by what is known; each further one of a pair
    counts for less, as if it had been asked already."""
    from evaluator.rating.scale import rate

    names = sorted({name for pair in waiting for name in pair})
    scale = rate(results, names, seed=seed, bootstraps=_RESAMPLES)
    games = _games(results)
    doubt = {pair: _doubt(scale, pair) for pair in waiting}
    given = dict.fromkeys(waiting, 0)
    chosen: list[Cell] = []
    while len(chosen) < size:
        open_ = [pair for pair, theirs in waiting.items() if theirs]
        if not open_:
            break
        best = max(
            open_,
            key=lambda p: (doubt[p] / (1 + given[p] / (1 + games.get(p, 0))), -given[p], p),
        )
        given[best] += 1
        chosen += _taken(waiting[best], 1)
    return chosen


def _doubt(scale: Scale, pair: tuple[str, str]) -> float:
    """How likely the order of two is the wrong one; 1/2 where nothing is known."""
    chance = scale.beats.get(pair)
    return 0.5 if chance is None else max(min(chance, 1 - chance), 0.001)


def _games(results: Sequence[Result]) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for each in results:
        pair = (min(each.left, each.right), max(each.left, each.right))
        found[pair] = found.get(pair, 0) + 1
    return found


def _taken(cells: list[Cell], count: int) -> list[Cell]:
    """The next so many, which no longer wait."""
    found = cells[:count]
    del cells[:count]
    return found
