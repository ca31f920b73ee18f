"""Runs with how far each is, a page at a time: no trajectory is read for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, tuple_
from sqlalchemy.orm import Session

from core.outside import Key
from core.run import RunSpec
from core.trajectory import StopReason
from server.store.repository import Repository
from server.store.tables import RunRow, TrajectoryRow


@dataclass(frozen=True)
class Overview:
    """A run, and how the attempt that counts at each (entity, trial) ended."""

    spec: RunSpec
    stops: Mapping[Key, StopReason | None]
    """Of what was begun; None where it goes on."""

    @property
    def wanted(self) -> int:
        """(entity, trial) pairs."""
        return len(self.spec.keys)

    @property
    def ended(self) -> int:
        """Of them, those that are over and are not to be explored again."""
        return sum(1 for stop in self.stops.values() if stop not in (None, StopReason.CANCELLED))

    @property
    def open(self) -> int:
        """Those under way."""
        return sum(1 for stop in self.stops.values() if stop is None)

    @property
    def is_finished(self) -> bool:
        """Whether nothing is under way and nothing is left to explore."""
        return self.ended >= self.wanted


def overview(store: Repository, run_id: str) -> Overview | None:
    """Of the run with exactly this id."""
    return overviews_of(store, [run_id]).get(run_id)


def overviews_of(store: Repository, run_ids: Sequence[str]) -> dict[str, Overview]:
    """Of those among these runs that are there."""
    query = select(RunRow).where(RunRow.id.in_(run_ids))
    with store.reading() as session:
        found = _with_stops(session, session.scalars(query).all())
    return {each.spec.id: each for each in found}


def overviews(store: Repository, *, before: str | None, count: int) -> list[Overview]:
    """At most `count` runs, the newest first; those older than the run `before`, where given."""
    query = select(RunRow).order_by(RunRow.created_at.desc(), RunRow.id.desc()).limit(count)
    with store.reading() as session:
        if before is not None:
            last = session.get(RunRow, before)
            if last is None:
                return []
            place = tuple_(RunRow.created_at, RunRow.id)
            query = query.where(place < tuple_(last.created_at, last.id))
        return _with_stops(session, session.scalars(query).all())


def _with_stops(session: Session, rows: Iterable[RunRow]) -> list[Overview]:
    specs = [RunSpec.model_validate_json(row.body) for row in rows]
    # SQLite takes the columns beside max() from the row that has the maximum.
    latest = (
        select(
            TrajectoryRow.run_id,
            TrajectoryRow.entity_id,
            TrajectoryRow.trial,
            TrajectoryRow.stop_reason,
            func.max(TrajectoryRow.attempt),
        )
        .where(TrajectoryRow.run_id.in_([spec.id for spec in specs]))
        .group_by(TrajectoryRow.run_id, TrajectoryRow.entity_id, TrajectoryRow.trial)
    )
    stops: dict[str, dict[Key, StopReason | None]] = {spec.id: {} for spec in specs}
    for row in session.execute(latest):
        stop = StopReason(row.stop_reason) if row.stop_reason else None
        stops[row.run_id][row.entity_id, row.trial] = stop
    return [Overview(spec, stops[spec.id]) for spec in specs]
