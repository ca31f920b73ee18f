"""Trace numbers to what was shown up to a turn: shown as they are, one step away, or nowhere."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Literal

import numpy as np

from core.trajectory import Turn
from evaluator.tracing.claimed import Claimed, Claims, Window
from evaluator.tracing.observed import Observation, numbers_in, observations
from evaluator.tracing.shown import Index, expected
from evaluator.tracing.steps import ALL_PAIRS, Pairs, Reached

State = Literal["observed", "derived", "unclear", "asked", "not found"]
"""observed: it was shown. derived: one step leads to it from numbers that were shown together.
unclear: a step does, but steps lead to so many numbers near it that this tells nothing. asked: it
stands in one of the agent's own queries (a threshold, a limit), and is no claim. not found: none."""

LUCK: Final = 0.1
"""Expected chance hits up to which a hit says something, and a step counts as derived."""
_TIME: Final = {
    "h": (("min", 60.0), ("s", 3600.0)),
    "min": (("s", 60.0), ("h", 1 / 60)),
    "day": (("h", 24.0), ("min", 1440.0)),
    "s": (("min", 1 / 60),),
}
_HAIR: Final = 1e-9


@dataclass(frozen=True)
class Traced:
    """A number of an insight, and where it comes from."""

    number: Claimed
    state: State
    turn: int | None = None
    """The turn that showed it."""
    how: str = ""
    luck: float | None = None
    """How many hits would have been expected by chance where it was found; None where it was not."""
    sought: tuple[Window, ...] = ()
    """What `turn` showed that it comes from: sizes (without signs) from, to. () where that is no single
    number, such as the sum of a column."""
    is_beside: bool = False
    """Whether it follows from other numbers of the insight, each of which was shown by itself."""

    @property
    def is_claim(self) -> bool:
        """Whether it counts: grounded or not."""
        return self.state in ("observed", "derived", "not found")

    @property
    def is_grounded(self) -> bool:
        """Whether it was shown or follows."""
        return self.state in ("observed", "derived")

    @property
    def is_sure(self) -> bool:
        """Whether it is grounded where so near a number would seldom be found by chance."""
        return self.is_grounded and self.luck is not None and self.luck <= LUCK


class Shown:
    """All that some observations showed, searchable by value."""

    def __init__(
        self, seen: Sequence[Observation], asked: Sequence[tuple[float, int]] = ()
    ) -> None:
        """`asked`: (number without sign, turn) of the agent's own queries."""
        self._seen = list(seen)
        self._asked = sorted(asked)
        self._by_turn: dict[int, Shown] = {}

    @classmethod
    def by(cls, turns: Sequence[Turn]) -> Shown:
        """What these turns showed and asked."""
        asked = [
            (number, turn.index)
            for turn in turns
            for call in turn.tool_calls
            for number in _in(call.arguments)
        ]
        return cls(observations(turns), asked)

    @cached_property
    def _index(self) -> Index:
        return Index.of(self._seen)

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs.of(self._seen)

    def _at(self, turn: int) -> Shown:
        """What one turn showed."""
        if turn not in self._by_turn:
            mine = [each for each in self._seen if each.turn == turn]
            self._by_turn[turn] = Shown(mine)
        return self._by_turn[turn]

    def trace(self, claims: Claims, *, until: int, own: int | None = None) -> tuple[Traced, ...]:
        """Each number by what was shown up to turn `until`; `own`: the turn it is about."""
        sources = [self._at(own), self] if own is not None else [self]
        direct = [_first(each._direct(n, until) for each in sources) for n in claims.numbers]
        stated = _by_clause(direct)
        return tuple(
            found or self._step(number, _beside(number, stated), sources, until)
            for number, found in zip(claims.numbers, direct, strict=True)
        )

    def _direct(self, number: Claimed, until: int) -> Traced | None:
        """As it was shown: as such, as a share of 1, in another unit of time."""
        for how, (low, high) in _readings(number):
            turn = self._index.find(low, high, until)
            if turn is not None:
                luck = self._index.luck(low, high, until)
                if how in {"as shown", "shown as a share"}:
                    return Traced(number, "observed", turn, how, luck, ((low, high),))
                if luck <= LUCK:
                    return Traced(number, "derived", turn, how, luck, ((low, high),))
        return None

    def _step(
        self, number: Claimed, stated: Sequence[float], sources: Sequence[Shown], until: int
    ) -> Traced:
        """What is not shown as it is: one step away, in the agent's own queries, or not found."""
        pairs = [(Pairs.between(stated, until), True)] if len(stated) > 1 else []
        pairs += [(each._pairs, False) for each in sources]
        unclear: Traced | None = None
        for source, is_beside in pairs:
            for reached in source.reached(number.unit, ratio=number.ratio):
                found = _hit(number, reached, until)
                if found is not None and is_beside:
                    found = replace(found, is_beside=True)
                if found is not None and found.is_sure:
                    return found
                unclear = unclear or found
        if (turn := self._asked_for(number, until)) is not None:
            return Traced(number, "asked", turn, "a number of its own query")
        if unclear is not None:
            return replace(unclear, state="unclear")
        return Traced(number, "not found")

    def _asked_for(self, number: Claimed, until: int) -> int | None:
        value = abs(number.value)
        for size in (value, value / 100) if number.unit == "%" else (value,):
            place = bisect_left(self._asked, (size * (1 - _HAIR), -1))
            for asked, turn in self._asked[place:]:
                if asked > size * (1 + _HAIR):
                    break
                if turn <= until:
                    return turn
        return None


def _first(found: Iterator[Traced | None]) -> Traced | None:
    return next((each for each in found if each is not None), None)


def _readings(number: Claimed) -> Iterator[tuple[str, tuple[float, float]]]:
    low, high = number.window
    yield "as shown", (low, high)
    if number.unit in ("%", "pp"):
        yield "shown as a share", (low / 100, high / 100)
    for unit, factor in _TIME.get(number.unit, ()):
        yield f"shown in {unit}", (low * factor, high * factor)


def _by_clause(direct: Sequence[Traced | None]) -> dict[int, list[float]]:
    """The shown numbers that each clause states."""
    found: dict[int, list[float]] = {}
    for each in direct:
        if each is not None:
            found.setdefault(each.number.clause, []).append(each.number.value)
    return found


def _beside(number: Claimed, stated: Mapping[int, list[float]]) -> list[float]:
    """Those of its clause and of the one before; none where they are too many to be meant."""
    found = [*stated.get(number.clause - 1, ()), *stated.get(number.clause, ())]
    return found if len(found) <= ALL_PAIRS else []


def _hit(number: Claimed, reached: Reached, until: int) -> Traced | None:
    """The step that leads to a number; it is sure where chance hits near it are seldom."""
    low, high = sorted((abs(number.window[0]), abs(number.window[1])))
    hair = _HAIR * high
    first = int(np.searchsorted(reached.values, low - hair, "left"))
    last = int(np.searchsorted(reached.values, high + hair, "right"))
    fits = reached.turns[first:last] <= until
    if reached.step in ("difference", "sum"):
        # To add next to nothing is no step.
        less = np.fmin(np.abs(reached.first[first:last]), np.abs(reached.second[first:last]))
        fits &= less >= 2 * number.step
    hits = np.flatnonzero(fits)
    if not len(hits):
        return None
    luck = expected(reached.values, reached.turns, (low, high), len(hits), until)
    place = first + int(hits[0])
    a, b = float(reached.first[place]), float(reached.second[place])
    operands = f"{a:g} and {b:g}"
    if np.isnan(b):
        operands = "a column" if reached.step == "sum" else f"{a:g}"
    how = f"{reached.step} of {operands}"
    known = [abs(each) for each in (a, b) if not np.isnan(each)]
    if reached.step == "sum" and np.isnan(b):
        known = []  # a column's sum stands nowhere
    sought = tuple((each * (1 - _HAIR), each * (1 + _HAIR)) for each in known)
    return Traced(number, "derived", int(reached.turns[place]), how, luck, sought)


def _in(arguments: str) -> list[float]:
    """The numbers of a call, without their signs."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = arguments
    parts = given.values() if isinstance(given, dict) else [given]
    return [abs(number) for part in parts for number in numbers_in(str(part))]
