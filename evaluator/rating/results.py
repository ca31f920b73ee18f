"""What a judge's two orders come to: one winner, a tie, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.ranking import Comparison, Side, Winner


class Result(NamedTuple):
    """One game between two competitors."""

    entity: str
    """What intervals cluster by."""
    left: str
    right: str
    winner: Winner
    first: Side | None = None
    """Who was shown first; None where both orders were asked, or nobody."""
    asked: Comparison | None = None
    """What it comes from: the one comparison, or the first of two. Its winner is not the game's."""

    @property
    def is_forfeit(self) -> bool:
        """Whether one side had nothing to show, so that nobody was asked."""
        return self.asked is not None and self.asked.is_forfeit


@dataclass(frozen=True)
class Settled:
    """All games, and what the two orders of a pair had to say of each other."""

    results: list[Result]
    both_orders: int
    """Pairs of which both orders could be read."""
    flipped: int
    """Of them, those in which each order names another winner."""
    wavering: int
    """Of them, those in which one order names a winner and the other a tie."""
    half_read: int
    """Pairs of which one order could be read, and the other could not: they are left out."""
    unscored: dict[str, int]
    """Comparisons without a winner, by reason."""

    @property
    def flip_rate(self) -> float | None:
        """Flipped / both orders; None where no pair was asked in both."""
        return self.flipped / self.both_orders if self.both_orders else None


def settle(comparisons: Iterable[Comparison], *, both_orders: bool) -> Settled:
    """The games of a ranking.

    The one rule for two orders: they name the same winner and it has won, or the game is a tie. A
    winner in one order and a tie in the other is a tie too. Where one order is unscored the game is
    left out, for the half that is there favours a slot. With `both_orders` False each comparison is a
    game. A forfeit is a game whatever was asked of the rest.
    """
    listed = list(comparisons)
    missing = [each.unscored_reason or "no reason given" for each in listed if each.winner is None]
    unscored = dict(Counter(missing))
    if not both_orders:
        return Settled(singly(listed), 0, 0, 0, 0, unscored)
    results = singly(each for each in listed if each.is_forfeit)
    halves: dict[tuple[str, int, str, str, str | None], list[Comparison]] = {}
    for each in listed:
        if each.is_forfeit:
            continue
        turned = each.left > each.right
        pair = (each.right, each.left) if turned else (each.left, each.right)
        halves.setdefault((each.entity_id, each.trial, *pair, each.judge), []).append(each)
    flipped = wavering = both = half_read = 0
    for asked in halves.values():
        read = [each for each in asked if each.winner is not None]
        if len({_first(each) for each in read}) < 2:
            half_read += bool(read)
            continue
        both += 1
        named = {_winner(each) for each in read}
        flipped += len(named) == 2 and None not in named
        wavering += len(named) == 2 and None in named
        winner = _side(read[0], named.pop()) if len(named) == 1 else "tie"
        one = read[0]
        results.append(Result(one.entity_id, one.left, one.right, winner, None, one))
    return Settled(results, both, flipped, wavering, half_read, unscored)


def singly(comparisons: Iterable[Comparison]) -> list[Result]:
    """Each order as a game of its own, with who was shown first: for a term of order."""
    return [
        Result(c.entity_id, c.left, c.right, c.winner, None if c.is_forfeit else c.shown_first, c)
        for c in comparisons
        if c.winner is not None
    ]


def agreement(results: Sequence[Result]) -> dict[tuple[str, str], tuple[int, int]]:
    """Per two judges: on how many games they agree, of how many that both judged."""
    said: dict[tuple[str, int, str, str], dict[str, str]] = {}
    for each in results:
        asked = each.asked
        if asked is None or asked.judge is None:
            continue
        turned = each.left > each.right
        pair = (each.right, each.left) if turned else (each.left, each.right)
        winner = {"left": each.left, "right": each.right, "tie": ""}[each.winner]
        said.setdefault((each.entity, asked.trial, *pair), {})[asked.judge] = winner
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for by_judge in said.values():
        judges = sorted(by_judge)
        for place, one in enumerate(judges):
            for other in judges[place + 1 :]:
                alike, all_ = found.get((one, other), (0, 0))
                found[one, other] = (alike + (by_judge[one] == by_judge[other]), all_ + 1)
    return found


def _first(each: Comparison) -> str:
    return each.left if each.shown_first == "left" else each.right


def _winner(each: Comparison) -> str | None:
    """By name; None for a tie."""
    return {"left": each.left, "right": each.right}.get(each.winner or "tie")


def _side(each: Comparison, name: str | None) -> Winner:
    if name is None:
        return "tie"
    return "left" if name == each.left else "right"
