"""How a trajectory stands in the store: its head in one row, each of its parts in rows of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.outside import OutsideCall, turns_of
from core.trajectory import Insight, Nudge, Trajectory, Turn
from server.store.records import to_json
from server.store.tables import CallRow, InsightRow, NudgeRow, TrajectoryRow, TurnRow

PARTS: Final = frozenset({"turns", "nudges", "insights"})
"""What of a trajectory is kept in rows of its own."""


def attempt_id(run_id: str, entity_id: str, trial: int, attempt: int) -> str:
    """What the store calls it."""
    return f"{run_id}.{entity_id}.{trial}.{attempt}"


def head_json(trajectory: Trajectory) -> str:
    """The body of its row: it without its parts."""
    return to_json(trajectory, without=PARTS)


def rows_of(session: Session, run_id: str) -> Sequence[TrajectoryRow]:
    """Those of a run, by entity, trial and attempt."""
    order = (TrajectoryRow.entity_id, TrajectoryRow.trial, TrajectoryRow.attempt)
    return session.scalars(select(TrajectoryRow).filter_by(run_id=run_id).order_by(*order)).all()


def whole(session: Session, row: TrajectoryRow) -> Trajectory:
    """It with all its parts."""
    turns = session.scalars(
        select(TurnRow.body).filter_by(trajectory_id=row.id).order_by(TurnRow.turn)
    )
    insights = session.scalars(
        select(InsightRow.body).filter_by(trajectory_id=row.id).order_by(InsightRow.position)
    )
    nudges = session.scalars(
        select(NudgeRow.body).filter_by(trajectory_id=row.id).order_by(NudgeRow.position)
    )
    exploring = select(CallRow.body).where(
        CallRow.trajectory_id == row.id, CallRow.turn.is_not(None)
    )
    # An agent from outside has calls, and its turns are what they make.
    calls = session.scalars(exploring.order_by(CallRow.turn, CallRow.position))
    theirs = turns_of(OutsideCall.model_validate_json(body) for body in calls)
    return Trajectory.model_validate_json(row.body).model_copy(
        update={
            "nudges": tuple(Nudge.model_validate_json(body) for body in nudges),
            "turns": tuple(Turn.model_validate_json(body) for body in turns) or theirs,
            "insights": tuple(Insight.model_validate_json(body) for body in insights),
        }
    )
