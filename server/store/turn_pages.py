"""Read a trajectory some turns at a time: a long one fits no single answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select

from core.errors import StoreError
from core.outside import OutsideCall, turns_of
from core.trajectory import Insight, Nudge, Trajectory, Turn
from server.store.repository import Repository
from server.store.tables import CallRow, InsightRow, NudgeRow, TrajectoryRow, TurnRow


@dataclass(frozen=True)
class TurnPage:
    """A trajectory with some of its turns; its insights and nudges are whole."""

    trajectory: Trajectory
    next_turn: int | None
    """From which to go on; None where these were the last."""


def turn_page(store: Repository, trajectory_id: str, *, first: int, count: int) -> TurnPage:
    """At most `count` turns from the number `first` on. Raises StoreError where there is none."""
    past = first + count
    with store.reading() as session:
        row = session.get(TrajectoryRow, trajectory_id)
        if row is None:
            raise StoreError(f"no trajectory {trajectory_id}")

        def bodies(table: type[InsightRow | NudgeRow]) -> Any:
            query = select(table.body).filter_by(trajectory_id=trajectory_id)
            return session.scalars(query.order_by(table.position))

        turns = select(TurnRow.body).filter_by(trajectory_id=trajectory_id)
        calls = select(CallRow.body).filter_by(trajectory_id=trajectory_id)
        own = turns.where(TurnRow.turn >= first, TurnRow.turn < past).order_by(TurnRow.turn)
        theirs = calls.where(CallRow.turn >= first, CallRow.turn < past)
        theirs = theirs.order_by(CallRow.turn, CallRow.position)
        found = tuple(Turn.model_validate_json(body) for body in session.scalars(own))
        last = max(session.scalar(_last(table, trajectory_id)) or 0 for table in (TurnRow, CallRow))
        whole = Trajectory.model_validate_json(row.body).model_copy(
            update={
                "turns": found
                or turns_of(
                    OutsideCall.model_validate_json(each) for each in session.scalars(theirs)
                ),
                "insights": tuple(map(Insight.model_validate_json, bodies(InsightRow))),
                "nudges": tuple(map(Nudge.model_validate_json, bodies(NudgeRow))),
            }
        )
    return TurnPage(whole, past if past <= last else None)


def _last(table: type[TurnRow | CallRow], trajectory_id: str) -> Select[Any]:
    return select(func.max(table.turn)).filter_by(trajectory_id=trajectory_id)
