"""Keep what an agent from outside hands in: each insight once, and its last word."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, func, select

from core.run import Limits
from core.trajectory import Insight, StopReason, Usage
from server.store.callbook import CallBook
from server.store.repository import Repository
from server.store.seats import Seats
from server.store.tables import InsightRow


@dataclass(frozen=True)
class Taken:
    """What became of an insight."""

    insight_id: str
    count: int
    """How many of its trajectory are kept now."""
    is_new: bool
    """False for one that was there already, and for one too many."""
    is_kept: bool


class HandedIn:
    """Each method is one transaction."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def insight(self, insight: Insight, *, most: int) -> Taken:
        """Keep a message-wise insight unless one of its id is there, or `most` are.

        Raises EndedError for a new one of a trajectory that has ended.
        """
        mine = InsightRow.trajectory_id == insight.trajectory_id
        counting = _count(insight.trajectory_id)
        finding = select(InsightRow.id).where(mine, InsightRow.id == insight.id)
        with self._store.together() as store, store.writing() as session:
            count = session.scalar(counting) or 0
            is_there = session.scalar(finding) is not None
            is_new = not is_there and count < most
            if is_new:
                store.add_insight(insight)
                count += 1
            return Taken(insight.id, count, is_new=is_new, is_kept=is_there or is_new)

    def count(self, trajectory_id: str) -> int:
        """How many message-wise insights of a trajectory are kept."""
        with self._store.reading() as session:
            return session.scalar(_count(trajectory_id)) or 0

    def has_report(self, trajectory_id: str) -> bool:
        """Whether a last word was kept."""
        query = select(InsightRow.id).where(
            InsightRow.trajectory_id == trajectory_id, _LEVEL == "trajectory"
        )
        with self._store.reading() as session:
            return session.scalar(query) is not None

    def finish(
        self, report: Insight, usage: Usage | None, *, limits: Limits, now: datetime
    ) -> StopReason:
        """Keep the report and end the trajectory; why it ended.

        One that was told before that a limit is reached did not choose its end. Raises EndedError.
        """
        mine = report.trajectory_id
        with self._store.together() as store:
            calls, reason = CallBook(store), StopReason.FINISHED
            if calls.met_limit(mine):
                most = limits.max_turns
                is_full = most is not None and calls.turns(mine) >= most
                reason = StopReason.MAX_TURNS if is_full else StopReason.MAX_SECONDS
            store.add_insight(report)
            if usage is not None:
                Seats(store).amend(mine, reported_usage=usage)
            store.end_trajectory(
                mine, reason, ended_at=now, report_forced=not reason.self_terminated
            )
            return reason


def _count(trajectory_id: str) -> Select[int]:
    mine = InsightRow.trajectory_id == trajectory_id
    return select(func.count()).select_from(InsightRow).where(mine, _LEVEL == "message")


_LEVEL = func.json_extract(InsightRow.body, "$.level")
