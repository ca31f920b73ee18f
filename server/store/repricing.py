"""Replace the model calls in stored records, wherever they hang."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.evaluation import Verdict
from core.record import Record
from core.trajectory import Insight, ModelCall, Nudge, Turn
from evaluator.interviewing import summed
from server.store.records import to_json
from server.store.tables import (
    EvaluationRow,
    InsightRow,
    NudgeRow,
    TrajectoryRow,
    TurnRow,
    VerdictRow,
)

_CALLS = TypeAdapter(list[ModelCall])


def repriced(
    session: Session, run_id: str, price: Callable[[ModelCall], ModelCall]
) -> list[ModelCall]:
    """Write each call of a run anew; all its calls. Row by row: a run may be larger than memory.

    What a failed call took nobody said, so that no price gives it a cost: it stays as it is.
    """
    calls = list(failed_calls(session, run_id))
    for row, kind in _rows(session, run_id):
        said: Any = kind.model_validate_json(row.body)
        if said.call is None:
            continue
        if isinstance(said, Verdict) and said.votes:
            said = _by_vote(said, price)
            row.body = to_json(said)
            calls += said.calls
            continue
        if said.call.error is None:
            said = said.model_copy(update={"call": price(said.call)})
            row.body = to_json(said)
        calls.append(said.call)
    return calls


def _by_vote(verdict: Verdict, price: Callable[[ModelCall], ModelCall]) -> Verdict:
    """Each judge's call at its own price, and their sum."""
    votes = [
        vote.model_copy(update={"call": price(vote.call)})
        if vote.call is not None and vote.call.error is None
        else vote
        for vote in verdict.votes
    ]
    calls = [vote.call for vote in votes if vote.call is not None]
    return verdict.model_copy(update={"votes": tuple(votes), "call": summed(calls)})


def failed_calls(session: Session, run_id: str) -> Iterator[ModelCall]:
    """The calls that no turn, nudge or insight holds, of all attempts of a run."""
    listed = select(func.json_extract(TrajectoryRow.body, "$.failed_calls")).filter_by(
        run_id=run_id
    )
    for text in session.scalars(listed):
        yield from _CALLS.validate_json(text or "[]")  # an older store has none


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
