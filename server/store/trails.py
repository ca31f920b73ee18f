"""Read what an axis needs of a run's trajectories, and of its verdicts what a curve needs: no text."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from analysis.axes import Act, Axis, Trail, act, in_order
from analysis.growth import Dating, Find
from core.evaluation import Level
from core.trajectory import ModelCall, Role, StopReason, Usage
from server.store.repository import Repository
from server.store.tables import (
    CallRow,
    InsightRow,
    NudgeRow,
    TrajectoryRow,
    TurnRow,
    VerdictRow,
)

_AGENT: Final[Role] = "agent"
_Keyed = tuple[float, int, Act]
"""(the turn that it is or follows, its kind, the act), as analysis.axes.in_order sorts them."""


def trails(store: Repository, run_id: str, axes: Sequence[Axis]) -> list[Trail]:
    """Every attempt of a run, with what these axes need of it.

    By turns alone no body is read, and only the first and the last turn stand in for all: 300
    trajectories take a few milliseconds. Along other axes each turn's body is read through.
    """
    turns_alone = set(axes) <= {"turn"}
    with store.reading() as session:
        found: dict[str, list[_Keyed]] = defaultdict(list)
        if turns_alone:
            _numbers(session, run_id, found)
            usages: dict[str, Usage | None] = {}
        else:
            began, usages = _heads(session, run_id, found)
            _turns(session, run_id, began, found)
            _outside(session, run_id, began, found)
            _asked(session, run_id, began, found)
        rows = session.execute(
            select(
                TrajectoryRow.id,
                TrajectoryRow.entity_id,
                TrajectoryRow.trial,
                TrajectoryRow.attempt,
                TrajectoryRow.stop_reason,
            )
            .filter_by(run_id=run_id)
            .order_by(TrajectoryRow.entity_id, TrajectoryRow.trial, TrajectoryRow.attempt)
        ).all()
    return [
        Trail(
            id=row.id,
            entity_id=row.entity_id,
            trial=row.trial,
            attempt=row.attempt,
            stop_reason=StopReason(row.stop_reason) if row.stop_reason else None,
            acts=in_order(found[row.id]),
            reported=usages.get(row.id),
        )
        for row in rows
    ]


def supported(
    store: Repository, evaluation_id: str, *, level: Level = "message", dating: Dating = "first"
) -> list[Find]:
    """The finds of an evaluation, as analysis.growth.finds has them."""
    body = VerdictRow.body
    query = (
        select(
            VerdictRow.trajectory_id,
            VerdictRow.item_id,
            func.json_extract(body, "$.supporting_turns"),
        )
        .where(
            VerdictRow.evaluation_id == evaluation_id,
            VerdictRow.level == level,
            func.json_extract(body, "$.label") == "supported",
        )
        .order_by(VerdictRow.trajectory_id, VerdictRow.item_id)
    )
    pick = min if dating == "first" else max
    with store.reading() as session:
        return [
            Find(trajectory_id, item_id, pick(json.loads(turns or "[]"), default=None))
            for trajectory_id, item_id, turns in session.execute(query)
        ]


def roles(store: Repository, run_id: str) -> dict[str, Usage]:
    """What the calls of each role took that explored, over all attempts of a run."""
    told: dict[str, Usage] = {}
    for call in store.calls(run_id):
        before = told.get(call.role)
        told[call.role] = call.usage if before is None else before + call.usage
    return told


def _of_run(query: Any, column: Any, run_id: str) -> Select[Any]:
    """Of the run's trajectories alone; `query` is a Select of any columns."""
    mine = select(TrajectoryRow.id).filter_by(run_id=run_id)
    narrowed: Select[Any] = query.where(column.in_(mine))
    return narrowed


def _numbers(session: Session, run_id: str, found: dict[str, list[_Keyed]]) -> None:
    """The first and the last turn alone: all that lies between ends at its own number."""
    own = select(TurnRow.trajectory_id, func.min(TurnRow.turn), func.max(TurnRow.turn))
    theirs = select(CallRow.trajectory_id, func.min(CallRow.turn), func.max(CallRow.turn))
    theirs = theirs.where(CallRow.turn.is_not(None))
    for query, column in ((own, TurnRow.trajectory_id), (theirs, CallRow.trajectory_id)):
        for name, *ends in session.execute(_of_run(query, column, run_id).group_by(column)):
            found[name] += [(turn, 0, act(None, turn, 0.0, 0.0, 0)) for turn in dict.fromkeys(ends)]


def _heads(
    session: Session, run_id: str, found: dict[str, list[_Keyed]]
) -> tuple[dict[str, datetime], dict[str, Usage | None]]:
    """When each trajectory began and what was reported of it; its failed calls go to `found`."""
    body = TrajectoryRow.body
    query = select(
        TrajectoryRow.id,
        func.json_extract(body, "$.started_at"),
        func.json_extract(body, "$.reported_usage"),
        func.json_extract(body, "$.failed_calls"),
    ).where(TrajectoryRow.run_id == run_id)
    began: dict[str, datetime] = {}
    usages: dict[str, Usage | None] = {}
    for name, started, reported, failed in session.execute(query):
        began[name] = datetime.fromisoformat(started)
        usages[name] = Usage.model_validate_json(reported) if reported else None
        for each in json.loads(failed or "[]"):
            call = ModelCall.model_validate(each)
            if call.role == _AGENT:
                found[name].append((call.started_at.timestamp(), 2, _beside(call, began[name])))
    return began, usages


def _parts(body: Any) -> tuple[ColumnElement[Any], ...]:
    usage = "$.call.usage"
    return (
        func.json_extract(body, "$.call.role"),
        func.json_extract(body, f"{usage}.input_tokens"),
        func.json_extract(body, f"{usage}.output_tokens"),
        func.json_extract(body, f"{usage}.cost_usd"),
    )


def _turns(
    session: Session, run_id: str, began: dict[str, datetime], found: dict[str, list[_Keyed]]
) -> None:
    """Our own agents' turns, and the places of failed calls among them."""
    body = TurnRow.body
    query = select(
        TurnRow.trajectory_id,
        TurnRow.turn,
        func.json_extract(body, "$.started_at"),
        func.json_extract(body, "$.duration_s"),
        func.json_array_length(body, "$.tool_calls"),
        *_parts(body),
    )
    started: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for name, turn, at, took, calls, role, *use in session.execute(
        _of_run(query, TurnRow.trajectory_id, run_id)
    ):
        when = datetime.fromisoformat(at)
        started[name].append((when.timestamp(), turn))
        at_s = (when - began[name]).total_seconds()
        used = use if role else (0, 0, 0.0)
        found[name].append((turn, 0, Act(turn, at_s, took, calls, role is not None, *used)))
    for name, mine in found.items():
        for place, (key, kind, done) in enumerate(mine):
            if kind == 2:
                before = [turn for when, turn in started[name] if when <= key]
                mine[place] = (max(before, default=0), kind, done)


def _outside(
    session: Session, run_id: str, began: dict[str, datetime], found: dict[str, list[_Keyed]]
) -> None:
    """The turns that an outside agent's calls make (core.outside.turns_of)."""
    body = CallRow.body
    query = select(
        CallRow.trajectory_id,
        CallRow.turn,
        func.count(),
        func.min(CallRow.started_at),
        func.max(
            CallRow.started_at + func.coalesce(func.json_extract(body, "$.result.duration_s"), 0.0)
        ),
    ).where(CallRow.turn.is_not(None))
    grouped = _of_run(query, CallRow.trajectory_id, run_id).group_by(
        CallRow.trajectory_id, CallRow.turn
    )
    for name, turn, calls, first, last in session.execute(grouped):
        at_s = first - began[name].timestamp()
        found[name].append((turn, 0, act(None, turn, at_s, last - first, calls)))


def _asked(
    session: Session, run_id: str, began: dict[str, datetime], found: dict[str, list[_Keyed]]
) -> None:
    """Nudged replies and finishing messages."""
    after = func.json_extract(NudgeRow.body, "$.after_turn")
    nudges = select(
        NudgeRow.trajectory_id, func.json_extract(NudgeRow.body, "$.call"), after
    ).order_by(NudgeRow.position)
    level = func.json_extract(InsightRow.body, "$.level")
    call = func.json_extract(InsightRow.body, "$.call")
    finishes = select(InsightRow.trajectory_id, call).where(
        level == "trajectory", call.is_not(None)
    )

    def told() -> Iterator[tuple[str, float, int, ModelCall]]:
        for name, text, turn in session.execute(_of_run(nudges, NudgeRow.trajectory_id, run_id)):
            yield name, turn, 1, ModelCall.model_validate_json(text)
        for name, text in session.execute(_of_run(finishes, InsightRow.trajectory_id, run_id)):
            yield name, float("inf"), 3, ModelCall.model_validate_json(text)

    for name, turn, kind, asked in told():
        if asked.role == _AGENT:
            found[name].append((turn, kind, _beside(asked, began[name])))


def _beside(call: ModelCall, began: datetime) -> Act:
    return act(call, None, (call.started_at - began).total_seconds(), call.duration_s, 0)
