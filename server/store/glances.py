"""Glance at a run's attempts for pages: counts and sums that SQLite makes, without reading what was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Integer,
    Subquery,
    and_,
    case,
    func,
    literal_column,
    null,
    select,
    union_all,
)

from core.outside import Key
from core.trajectory import StopReason
from server.store.repository import Repository
from server.store.tables import (
    CallRow,
    InsightRow,
    NudgeRow,
    RevisionRow,
    StandingRow,
    TrajectoryRow,
    TurnRow,
)

_COUNTED: Final = ("turns", "insights", "reports", "calls", "priced", "cost")


@dataclass(frozen=True)
class Taken:
    """What model calls of all roles took, those that failed apart."""

    calls: int = 0
    priced: int = 0
    """Those whose cost is known."""
    cost_usd: float | None = None
    """The sum of what is known; None where nothing is."""

    def __add__(self, other: Taken) -> Taken:
        known = [each for each in (self.cost_usd, other.cost_usd) if each is not None]
        return Taken(
            self.calls + other.calls,
            self.priced + other.priced,
            sum(known) if known else None,
        )


@dataclass(frozen=True)
class Glance:
    """The attempt that counts at one (entity, trial)."""

    key: Key
    attempt: int
    stop: StopReason | None
    """None while it goes on, or where its process died."""
    error: str | None
    started_at: datetime
    ended_at: datetime | None
    turns: int
    insights: int
    """Message-wise ones that say something."""
    has_report: bool
    taken: Taken


def glances(store: Repository, run_id: str, entity_ids: Sequence[str]) -> dict[Key, Glance]:
    """Of some entities of a run, what was begun."""
    latest = _latest(run_id, entity_ids)
    parts = _parts(latest).subquery()
    heads = (
        select(
            TrajectoryRow.id,
            TrajectoryRow.entity_id,
            TrajectoryRow.trial,
            TrajectoryRow.attempt,
            TrajectoryRow.stop_reason,
            func.json_extract(TrajectoryRow.body, "$.error").label("error"),
            func.json_extract(TrajectoryRow.body, "$.started_at").label("started_at"),
            func.json_extract(TrajectoryRow.body, "$.ended_at").label("ended_at"),
            *(parts.c[name] for name in _COUNTED),
        )
        .join(latest, latest.c.id == TrajectoryRow.id)
        .outerjoin(parts, parts.c.mine == TrajectoryRow.id)
        .order_by(TrajectoryRow.entity_id, TrajectoryRow.trial)
    )
    with store.reading() as session:
        return {(row.entity_id, row.trial): _glance(row) for row in session.execute(heads)}


def kept_summaries(store: Repository, run_ids: Sequence[str], formula: str) -> dict[str, str]:
    """Run -> what was summed up of it, where that still holds."""
    query = (
        select(StandingRow.subject, StandingRow.body)
        .join(
            RevisionRow,
            and_(
                RevisionRow.subject == StandingRow.subject,
                RevisionRow.revision == StandingRow.revision,
            ),
        )
        .where(StandingRow.subject.in_(run_ids), StandingRow.formula == formula)
    )
    with store.reading() as session:
        return {row.subject: row.body for row in session.execute(query)}


def revision(store: Repository, run_id: str) -> int:
    """How often what was stored of a run has changed; of a finished one nothing changes without it."""
    query = select(RevisionRow.revision).filter_by(subject=run_id)
    with store.reading() as session:
        return session.scalar(query) or 0


def moment(store: Repository, run_id: str) -> str:
    """Changes whenever something of a run may have: cheap to ask again and again."""
    places = [
        select(func.max(literal_column(f"{table.__tablename__}.rowid", Integer)))
        .select_from(table)
        .scalar_subquery()
        for table in (TurnRow, InsightRow, CallRow)
    ]
    changes = select(RevisionRow.revision).filter_by(subject=run_id).scalar_subquery()
    with store.reading() as session:
        return ".".join(str(each or 0) for each in session.execute(select(changes, *places)).one())


def _latest(run_id: str, entity_ids: Sequence[str]) -> Subquery:
    # SQLite takes the columns beside max() from the row that has the maximum.
    return (
        select(TrajectoryRow.id, func.max(TrajectoryRow.attempt).label("attempt"))
        .where(TrajectoryRow.run_id == run_id, TrajectoryRow.entity_id.in_(entity_ids))
        .group_by(TrajectoryRow.entity_id, TrajectoryRow.trial)
        .subquery()
    )


def _parts(latest: Subquery) -> Any:
    """Per trajectory: how many turns and insights, and what their calls took."""

    def of(table: type[TurnRow | NudgeRow | InsightRow], **counted: ColumnElement[Any]) -> Any:
        call = func.json_extract(table.body, "$.call")
        cost = func.json_extract(table.body, "$.call.usage.cost_usd")
        recalled = func.json_extract(table.body, "$.call.is_recalled")
        paid = and_(call.is_not(None), func.coalesce(recalled, 0) == 0)
        zero: ColumnElement[Any] = literal_column("0")
        return (
            select(
                table.trajectory_id.label("mine"),
                counted.get("turns", zero).label("turns"),
                counted.get("insights", zero).label("insights"),
                counted.get("reports", zero).label("reports"),
                func.sum(case((paid, 1), else_=0)).label("calls"),
                func.sum(case((and_(paid, cost.is_not(None)), 1), else_=0)).label("priced"),
                func.sum(case((paid, cost), else_=null())).label("cost"),
            )
            .where(table.trajectory_id.in_(select(latest.c.id)))
            .group_by(table.trajectory_id)
        )

    said = func.json_extract(InsightRow.body, "$.text").is_not(None)
    level = func.json_extract(InsightRow.body, "$.level")
    zero: ColumnElement[Any] = literal_column("0")
    outside = (
        select(
            CallRow.trajectory_id.label("mine"),
            func.count(CallRow.turn.distinct()).label("turns"),
            *(zero.label(name) for name in ("insights", "reports", "calls", "priced")),
            null().label("cost"),
        )
        .where(CallRow.trajectory_id.in_(select(latest.c.id)), CallRow.turn.is_not(None))
        .group_by(CallRow.trajectory_id)
    )
    every = union_all(
        of(TurnRow, turns=func.count()),
        of(NudgeRow),
        of(
            InsightRow,
            insights=func.sum(case((and_(said, level == "message"), 1), else_=0)),
            reports=func.sum(case((and_(said, level == "trajectory"), 1), else_=0)),
        ),
        outside,
    ).subquery()
    return select(
        every.c.mine, *(func.sum(every.c[name]).label(name) for name in _COUNTED)
    ).group_by(every.c.mine)


def _glance(row: Any) -> Glance:
    return Glance(
        key=(row.entity_id, row.trial),
        attempt=row.attempt,
        stop=StopReason(row.stop_reason) if row.stop_reason else None,
        error=row.error,
        started_at=datetime.fromisoformat(row.started_at),
        ended_at=datetime.fromisoformat(row.ended_at) if row.ended_at else None,
        turns=row.turns or 0,
        insights=row.insights or 0,
        has_report=bool(row.reports),
        taken=Taken(row.calls or 0, row.priced or 0, row.cost),
    )
