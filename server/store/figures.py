"""Keep what Python cells drew, beside the turns whose answers say that they did."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import func, select

from core.trajectory import Trajectory
from server.store.repository import Repository
from server.store.tables import FigureRow

MOST_BYTES: Final = 24_000_000
"""Of one trajectory's figures; what comes after is not kept."""
Call = tuple[int, int]
"""(turn, number of the call in it, from 1)"""
Figure = tuple[int, int]
"""(place of the call among those that drew, number among its figures), both from 1."""


class Figures:
    """PNGs by trajectory. Each method is one transaction."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def add(self, trajectory_id: str, answer: str, pngs: Sequence[bytes]) -> int:
        """Keep what one call drew, in whose answer this text stands; how many there was room for."""
        mine = {"trajectory_id": trajectory_id}
        with self._store.writing() as session:
            query = select(
                func.coalesce(func.max(FigureRow.place), 0),
                func.coalesce(func.sum(func.length(FigureRow.png)), 0),
            ).filter_by(**mine)
            last, size = session.execute(query).one()
            kept = 0
            for number, png in enumerate(pngs, 1):
                size += len(png)
                if size > MOST_BYTES:
                    break
                session.add(
                    FigureRow(
                        **mine, place=last + 1, number=number, answer=_digest(answer), png=png
                    )
                )
                kept += 1
            return kept

    def of(self, trajectory: Trajectory) -> Mapping[Call, tuple[Figure, ...]]:
        """Which figures each of its calls drew; the calls in order, then stray results, are its turn's."""
        query = select(FigureRow.place, FigureRow.number, FigureRow.answer)
        query = query.filter_by(trajectory_id=trajectory.id)
        with self._store.reading() as session:
            rows = session.execute(query.order_by(FigureRow.place, FigureRow.number)).all()
        drawn: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            drawn[row.answer][row.place].append(row.number)
        found: dict[Call, tuple[Figure, ...]] = {}
        for turn in trajectory.turns if rows else ():
            for number, result in turn.answers:
                # Of calls with the same answer the first in the story drew first.
                if places := drawn.get(_digest(result.text)):
                    place = min(places)
                    found[turn.index, number] = tuple((place, k) for k in places.pop(place))
        return found

    def png(self, trajectory_id: str, figure: Figure) -> bytes | None:
        """One picture; None where there is none."""
        with self._store.reading() as session:
            row = session.get(FigureRow, (trajectory_id, *figure))
            return None if row is None else row.png


def _digest(answer: str) -> str:
    return hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
