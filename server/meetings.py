"""What a judge is asked of each pair: in which orders, cut to a like length, or not at all."""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from core.ranking import SIDES, Comparison, Ranking, Side
from evaluator.adaptive import Cell
from evaluator.interviewing import Question
from evaluator.length_matching import length_matched
from evaluator.usefulness import Preference, question
from server.contest import Contest
from server.store.rankings import key_of

NOBODY: Final = "nothing novel was handed in"


@dataclass(frozen=True)
class Asked:
    """What a ranking is asked for, its judges apart."""

    evaluations: tuple[str, ...] = ()
    """Ids; each run's last unless given."""
    orders: Literal["both", "one"] = "both"
    pairs: Literal["all", "adaptive"] = "all"
    is_length_matched: bool = False
    seed: int = 0
    protocol: Literal["default", "ddr"] = "default"
    although_different: bool = False


@dataclass(frozen=True)
class Case:
    """One pair in one order, and what to ask of it."""

    blank: Comparison
    """Without its outcome."""
    question: Question[Preference]


class Meetings:
    """The pairs of one contest, as one ranking asks them."""

    def __init__(
        self,
        contest: Contest,
        asked: Asked,
        subjects: Mapping[str, str],
    ) -> None:
        """`subjects`: entity -> what a judge is told that it is about."""
        self._contest, self._asked, self._subjects = contest, asked, subjects

    def cases(
        self, ranking: Ranking, cells: Iterable[Cell], judge: str, kept: Container[str]
    ) -> Iterator[Case]:
        """What one judge is to be asked; what is kept (by its key) is left out."""
        for cell in cells:
            for first in self._orders(cell):
                case = self._case(ranking, cell, first, judge)
                if key_of(case.blank) not in kept:
                    yield case

    def forfeits(self, ranking: Ranking) -> Iterator[Comparison]:
        """The pairs that nobody is asked about, since one has nothing to show and loses by that."""
        for cell, winner in self._contest.forfeits:
            shown = self._contest.texts(cell.left, cell), self._contest.texts(cell.right, cell)
            yield _comparison(
                ranking,
                cell,
                shown,
                shown_first="left",
                winner="left" if winner == cell.left else "right",
                is_forfeit=True,
                reason=NOBODY,
                judge=None,
            )

    def _orders(self, cell: Cell) -> tuple[Side, ...]:
        # Both orders: judges favour the set shown first.
        if self._asked.orders == "both":
            return SIDES
        return (random.Random(self._seed(cell)).choice(SIDES),)

    def _case(self, ranking: Ranking, cell: Cell, first: Side, judge: str) -> Case:
        left, right = self._contest.texts(cell.left, cell), self._contest.texts(cell.right, cell)
        if self._asked.is_length_matched:
            left, right = length_matched(left, right, seed=self._seed(cell))
        blank = _comparison(
            ranking, cell, (left, right), shown_first=first, winner=None, judge=judge
        )
        shown = (left, right) if first == "left" else (right, left)
        subject = self._subjects.get(cell.entity, cell.entity)
        return Case(blank, question(subject, *shown))

    def _seed(self, cell: Cell) -> str:
        return f"{self._asked.seed}|{cell.entity}|{cell.trial}|{cell.left}|{cell.right}"


def _comparison(
    ranking: Ranking, cell: Cell, shown: tuple[tuple[str, ...], tuple[str, ...]], **fields: Any
) -> Comparison:
    left, right = shown
    return Comparison(
        ranking_id=ranking.id,
        entity_id=cell.entity,
        trial=cell.trial,
        left=cell.left,
        right=cell.right,
        left_insights=len(left),
        right_insights=len(right),
        left_characters=sum(map(len, left)),
        right_characters=sum(map(len, right)),
        **fields,
    )
