"""What happened in a run since it was last looked at: each call, insight and end, once and in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from sqlalchemy import Integer, Row, literal_column, or_, select
from sqlalchemy.orm import Session

from core.outside import OutsideCall
from core.trajectory import Insight, StopReason, Trajectory
from server.store.repository import Repository
from server.store.tables import CallRow, InsightRow, TrajectoryRow

MOST: Final = 500
"""Calls, and insights, in one look."""
MOST_PENDING: Final = 256
"""Calls under way that are waited for; past them the oldest is told of without its answer."""
_FORM: Final = re.compile(
    r"(\d{1,18})\.((?:\d{1,18}-)*\d{1,18}|)\.(\d{1,18})\.([0-9a-f]{1,8192})", re.ASCII
)


@dataclass(frozen=True)
class Cursor:
    """How much of a run somebody has been told. Any process can go on from it."""

    calls: int = 0
    """The row of the latest call that was met."""
    pending: tuple[int, ...] = ()
    """Earlier ones that had no answer yet."""
    insights: int = 0
    ended: int = 0
    """A bit for each trajectory of the run, in the order in which they began."""

    def __str__(self) -> str:
        pending = "-".join(map(str, self.pending))
        return f"{self.calls}.{pending}.{self.insights}.{self.ended:x}"

    @staticmethod
    def read(text: str) -> Cursor:
        """The cursor that a text is. Raises ValueError for any other text."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise ValueError("this is no place in a run's events")
        pending = tuple(int(part) for part in found[2].split("-") if part)[:MOST_PENDING]
        return Cursor(int(found[1]), pending, int(found[3]), int(found[4], 16))


@dataclass(frozen=True)
class Happening:
    """One thing that happened, and the cursor from which to go on behind it."""

    after: Cursor
    kind: Literal["call", "insight", "end"]
    entity_id: str
    trial: int
    record: OutsideCall | Insight | Trajectory
    """An end's trajectory comes without its turns and insights."""


def happened(store: Repository, run_id: str, cursor: Cursor) -> list[Happening]:
    """What a cursor has not been told of, from one moment's view of the store.

    A call is told of once it is answered, or once its trajectory has ended without an answer. What
    comes after a trajectory's end is told of no more.
    """
    with store.reading() as session:
        mine = _trajectories(session, run_id, cursor)
        if not mine:
            return []
        found, cursor, all_calls = _calls(session, mine, cursor)
        insights, cursor, all_insights = _insights(session, mine, cursor)
        ends = _ends(session, mine, cursor) if all_calls and all_insights else []
        return [*found, *insights, *ends]


@dataclass(frozen=True)
class _Mine:
    """A trajectory whose end was not told of."""

    id: str
    bit: int
    entity_id: str
    trial: int
    stop_reason: StopReason | None


def _rowid(table: str) -> Any:
    return literal_column(f"{table}.rowid", Integer)


def _trajectories(session: Session, run_id: str, cursor: Cursor) -> dict[str, _Mine]:
    query = select(
        TrajectoryRow.id, TrajectoryRow.entity_id, TrajectoryRow.trial, TrajectoryRow.stop_reason
    ).filter_by(run_id=run_id)
    rows = session.execute(query.order_by(_rowid("trajectories")))
    return {
        row.id: _Mine(
            row.id,
            1 << place,
            row.entity_id,
            row.trial,
            StopReason(row.stop_reason) if row.stop_reason else None,
        )
        for place, row in enumerate(rows)
        if not cursor.ended >> place & 1
    }


def _calls(
    session: Session, mine: dict[str, _Mine], cursor: Cursor
) -> tuple[list[Happening], Cursor, bool]:
    rowid = _rowid("calls")
    query = (
        select(rowid.label("place"), CallRow.trajectory_id, CallRow.worker, CallRow.body)
        .where(CallRow.trajectory_id.in_(list(mine)))
        .where(or_(rowid > cursor.calls, rowid.in_(cursor.pending)))
        .order_by(rowid)
        .limit(MOST + len(cursor.pending))
    )
    rows: Sequence[Row[Any]] = session.execute(query).all()
    found: list[Happening] = []
    for row in rows:
        owner = mine[row.trajectory_id]
        rest = tuple(each for each in cursor.pending if each != row.place)
        cursor = replace(cursor, calls=max(cursor.calls, row.place), pending=rest)
        if row.worker is not None and owner.stop_reason is None and len(rest) < MOST_PENDING:
            cursor = replace(cursor, pending=(*rest, row.place))
            continue
        call = OutsideCall.model_validate_json(row.body)
        found.append(Happening(cursor, "call", owner.entity_id, owner.trial, call))
    return found, cursor, len(rows) < MOST


def _insights(
    session: Session, mine: dict[str, _Mine], cursor: Cursor
) -> tuple[list[Happening], Cursor, bool]:
    rowid = _rowid("insights")
    query = (
        select(rowid.label("place"), InsightRow.trajectory_id, InsightRow.body)
        .where(InsightRow.trajectory_id.in_(list(mine)), rowid > cursor.insights)
        .order_by(rowid)
        .limit(MOST)
    )
    found: list[Happening] = []
    for row in session.execute(query):
        owner = mine[row.trajectory_id]
        cursor = replace(cursor, insights=row.place)
        insight = Insight.model_validate_json(row.body)
        found.append(Happening(cursor, "insight", owner.entity_id, owner.trial, insight))
    return found, cursor, len(found) < MOST


def _ends(session: Session, mine: dict[str, _Mine], cursor: Cursor) -> list[Happening]:
    found: list[Happening] = []
    for each in mine.values():
        if each.stop_reason is None:
            continue
        cursor = replace(cursor, ended=cursor.ended | each.bit)
        row = session.get_one(TrajectoryRow, each.id)
        head = Trajectory.model_validate_json(row.body)
        found.append(Happening(cursor, "end", each.entity_id, each.trial, head))
    return found
