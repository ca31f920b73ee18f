"""Replace the model calls in stored records, wherever they hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from core.evaluation import Verdict
from core.record import Record
from core.trajectory import Insight, ModelCall, Nudge, Turn
from server.store.records import to_json
from server.store.tables import (
    EvaluationRow,
    InsightRow,
    NudgeRow,
    TrajectoryRow,
    TurnRow,
    VerdictRow,
)


def repriced(
    session: Session, run_id: str, price: Callable[[ModelCall], ModelCall]
) -> list[ModelCall]:
    """Write each call of a run anew; the new calls. Row by row: a run may be larger than memory."""
    calls = []
    for row, kind in _rows(session, run_id):
        said: Any = kind.model_validate_json(row.body)
        if said.call is None:
            continue
        calls.append(price(said.call))
        row.body = to_json(said.model_copy(update={"call": calls[-1]}))
    return calls


def _rows(session: Session, run_id: str) -> Iterator[tuple[Any, type[Record]]]:
    mine = select(TrajectoryRow.id).filter_by(run_id=run_id)
    parts: tuple[tuple[Any, type[Record]], ...] = (
        (TurnRow, Turn),
        (NudgeRow, Nudge),
        (InsightRow, Insight),
    )
    for table, kind in parts:
        for row in session.scalars(select(table).where(table.trajectory_id.in_(mine))):
            yield row, kind
    judged = select(EvaluationRow.id).filter_by(run_id=run_id)
    for row in session.scalars(select(VerdictRow).where(VerdictRow.evaluation_id.in_(judged))):
        yield row, Verdict
