"""Keep what agents from outside were given, and the messages of theirs that are no calls."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BindParameter, bindparam, func, insert, select, text, update
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.orm import Session

from core.errors import StoreError
from core.outside import Contact, Key, Seat
from core.trajectory import Client, StopReason, Trajectory
from server.store.driver import Prepared
from server.store.engine import driver_of
from server.store.records import to_json
from server.store.repository import Repository
from server.store.tables import CallRow, CancelRow, ContactRow, SeatRow, TrajectoryRow
from server.store.trajectories import attempt_id, head_json

MOST_CONTACTS: Final = 200
"""Kinds of message times clients that are told apart at one seat."""
CANCEL_S: Final = 60.0
"""How long a cancel notice waits for the worker that it means."""

Draft = Callable[[Key], Trajectory]
"""A fresh trajectory of an entity and trial, as the store is to begin it."""


@dataclass(frozen=True)
class Heard:
    """A message that is no call, in the book."""

    trajectory_id: str
    key: Key


@dataclass(frozen=True)
class SeatState:
    """A seat and how far it is."""

    seat: Seat
    place: int
    """Which of its keys is explored now, from 0."""
    trajectory_id: str | None
    """None until there was contact."""
    heard_at: datetime | None
    """When the last message came, or the last call was answered; None before the first."""
    asked_at: datetime | None
    """When the latest of the calls began that have no answer yet."""
    is_closed: bool

    @property
    def key(self) -> Key:
        """What is explored now."""
        return self.seat.keys[self.place]


class Seats:
    """Each method is one transaction."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def add(self, seats: Sequence[Seat]) -> None:
        """Keep what was given out, behind the seats that their run has."""
        if not seats:
            return
        bodies = [to_json(seat) for seat in seats]  # before the lock, which holds everybody up
        with self._store.writing("a seat of this path is stored already") as session:
            last = select(SeatRow.run_id, func.max(SeatRow.position)).group_by(SeatRow.run_id)
            runs = {seat.run_id for seat in seats}
            taken = dict(session.execute(last.where(SeatRow.run_id.in_(runs))).all())
            rows = []
            for seat, body in zip(seats, bodies, strict=True):
                position = taken[seat.run_id] = taken.get(seat.run_id, 0) + 1
                rows.append(
                    {
                        "path": seat.path,
                        "run_id": seat.run_id,
                        "position": position,
                        "token_hash": seat.token_hash,
                        "place": 0,
                        "is_closed": False,
                        "body": body,
                    }
                )
            session.execute(insert(SeatRow), rows)

    def of_run(self, run_id: str) -> list[SeatState]:
        """All that were ever given out for a run, in order."""
        query = _SEATS.where(SeatRow.run_id == run_id).order_by(SeatRow.position)
        with self._store.reading() as session:
            return [_state(*found) for found in session.execute(query)]

    def is_closed(self, path: str) -> bool:
        """Whether the seat of this path is not there, or was taken back. Quick: asked all the time."""
        with self._store.glancing() as driver:
            closed: int | None = _CLOSED.value(driver, {"path": path})
            return closed != 0

    def at(self, path: str) -> SeatState | None:
        """The seat of this path; None where nobody was given it."""
        with self._store.reading() as session:
            found = session.execute(_SEATS.where(SeatRow.path == path)).one_or_none()
            return None if found is None else _state(*found)

    def in_use(self) -> list[SeatState]:
        """Those, of all runs, at which a trajectory is under way."""
        query = _SEATS.join(TrajectoryRow, TrajectoryRow.id == SeatRow.trajectory_id).where(
            TrajectoryRow.stop_reason.is_(None), SeatRow.is_closed.is_(False)
        )
        with self._store.reading() as session:
            return [_state(*found) for found in session.execute(query)]

    def close(self, run_id: str, *, paths: Iterable[str] | None = None) -> None:
        """Take back what was given out for a run, or some of it: every further message is refused."""
        closing = update(SeatRow).filter_by(run_id=run_id).values(is_closed=True)
        if paths is not None:
            closing = closing.where(SeatRow.path.in_(list(paths)))
        with self._store.writing() as session:
            session.execute(closing)

    def miss(
        self, missed: Sequence[Trajectory], *, ended_at: datetime, error: str | None = None
    ) -> None:
        """Keep fresh attempts that nobody came to, ended as no_contact; their ids are the store's.

        No two of them are of the same entity and trial.
        """
        if not missed:
            return
        why = StopReason.NO_CONTACT
        end = {"stop_reason": why, "ended_at": ended_at, "error": error}
        runs = {each.run_id for each in missed}
        made = (TrajectoryRow.run_id, TrajectoryRow.entity_id, TrajectoryRow.trial)
        last = select(*made, func.max(TrajectoryRow.attempt)).group_by(*made)
        with self._store.writing() as session:
            attempts = {
                (run, entity, trial): attempt
                for run, entity, trial, attempt in session.execute(
                    last.where(TrajectoryRow.run_id.in_(runs))
                )
            }
            rows = []
            for each in missed:
                key = (each.run_id, each.entity_id, each.trial)
                attempt = attempts.get(key, 0) + 1
                name = attempt_id(*key, attempt)
                head = each.model_copy(update={"id": name, "attempt": attempt, **end})
                rows.append(
                    {
                        "id": name,
                        "run_id": each.run_id,
                        "entity_id": each.entity_id,
                        "trial": each.trial,
                        "attempt": attempt,
                        "stop_reason": why.value,
                        "body": head_json(head),
                    }
                )
            session.execute(insert(TrajectoryRow), rows)

    def hear(
        self, path: str, method: str, client: Client | None, now: datetime, draft: Draft
    ) -> Heard | None:
        """Count a message that is no call; None where the seat is closed.

        The first message at a seat is where its first trajectory begins.
        """
        with self._store.together() as store, store.writing() as session:
            seat = session.get(SeatRow, path)
            if seat is None or seat.is_closed:
                return None
            if seat.trajectory_id is None:
                start(store, session, seat, draft, client)
            elif client is not None:
                _introduce(session, seat.trajectory_id, client)
            seat.heard_at = now.timestamp()
            session.flush()
            driver = driver_of(session.connection().connection)
            count(driver, path, seat.place, method=method, client=client, now=now)
            assert seat.trajectory_id is not None
            key = Seat.model_validate_json(seat.body).keys[seat.place]
            return Heard(seat.trajectory_id, key)

    def contacts(self, path: str, place: int | None = None) -> list[Contact]:
        """What was heard at a seat beside calls, the earliest first; `place`: while at one key."""
        query = select(ContactRow).filter_by(path=path).order_by(ContactRow.first_at)
        if place is not None:
            query = query.filter_by(place=place)
        with self._store.reading() as session:
            return [
                Contact(
                    method=row.method,
                    client=Client.model_validate_json(row.client) if row.client else None,
                    count=row.count,
                    first_at=moment(row.first_at),
                    last_at=moment(row.last_at),
                )
                for row in session.scalars(query)
            ]

    def amend(self, trajectory_id: str, **values: Any) -> None:
        """Keep what became known of a trajectory beside its turns (fields of Trajectory)."""
        with self._store.writing() as session:
            row = session.get(TrajectoryRow, trajectory_id)
            if row is None:
                raise StoreError(f"no trajectory {trajectory_id}")
            head = Trajectory.model_validate_json(row.body)
            # Through the check again: the values may come from an agent.
            row.body = head_json(Trajectory.model_validate({**dict(head), **values}))

    def cancel(self, path: str, request_id: str, now: datetime) -> None:
        """A client takes a request back; whichever worker has it finds the notice."""
        old = (now - timedelta(seconds=CANCEL_S)).timestamp()
        values = {"path": path, "request_id": request_id, "at": now.timestamp()}
        noting = upsert(CancelRow).values(**values)
        key = [CancelRow.path, CancelRow.request_id]
        with self._store.writing() as session:
            session.query(CancelRow).filter(CancelRow.at < old).delete()
            session.execute(
                noting.on_conflict_do_update(index_elements=key, set_={"at": values["at"]})
            )

    def cancelled(self, since: datetime) -> list[tuple[str, str, datetime]]:
        """The notices (path, request id, when) from a moment on. Quick: asked all the time."""
        with self._store.glancing() as driver:
            found = _CANCELLED.rows(driver, {"since": since.timestamp()})
            return [(path, request_id, moment(at)) for path, request_id, at in found]


def moment(seconds: float) -> datetime:
    """A time as the store keeps it."""
    return datetime.fromtimestamp(seconds, UTC)


def start(
    store: Repository, session: Session, seat: SeatRow, draft: Draft, client: Client | None
) -> None:
    """Begin the trajectory of the key that a seat is at.

    Whoever does not say again who it is, is the client of the trajectory before.
    """
    if client is None and seat.trajectory_id is not None:
        before = session.get_one(TrajectoryRow, seat.trajectory_id)
        client = Trajectory.model_validate_json(before.body).client
    keys = Seat.model_validate_json(seat.body).keys
    begun = draft(keys[seat.place]).model_copy(update={"client": client})
    seat.trajectory_id, seat.bytes = store.start_trajectory(begun).id, 0
    session.flush()


def count(
    driver: sqlite3.Connection,
    path: str,
    place: int,
    *,
    method: str,
    client: Client | None = None,
    now: datetime,
) -> None:
    """One more message of this kind; past MOST_CONTACTS kinds, of the kind 'other'."""
    if _KINDS.value(driver, {"path": path}) >= MOST_CONTACTS:
        method, client = "other", None
    values = {
        "path": path,
        "place": place,
        "method": method,
        "client": to_json(client) if client else "",
        "at": now.timestamp(),
    }
    _COUNT.run(driver, values)


_CLOSED = Prepared(select(SeatRow.is_closed).where(SeatRow.path == bindparam("path")))
_CANCELLED = Prepared(
    select(CancelRow.path, CancelRow.request_id, CancelRow.at).where(
        CancelRow.at >= bindparam("since")
    )
)
_KINDS = Prepared(
    select(func.count()).select_from(ContactRow).where(ContactRow.path == bindparam("path"))
)
_now: BindParameter[float] = bindparam("at")
_COUNT = Prepared(
    upsert(ContactRow)
    .values(
        path=bindparam("path"),
        place=bindparam("place"),
        method=bindparam("method"),
        client=bindparam("client"),
        count=text("1"),
        first_at=_now,
        last_at=_now,
    )
    .on_conflict_do_update(
        index_elements=[
            ContactRow.path,
            ContactRow.place,
            ContactRow.method,
            ContactRow.client,
        ],
        set_={"count": ContactRow.count + text("1"), "last_at": _now},
    )
)

_theirs = CallRow.trajectory_id == SeatRow.trajectory_id
_took = func.coalesce(func.json_extract(CallRow.body, "$.result.duration_s"), 0.0)
_ANSWERED = (
    select(CallRow.started_at + _took)
    .where(_theirs)
    .order_by(CallRow.position.desc())
    .limit(1)
    .scalar_subquery()
)
_ASKED = (
    select(func.max(CallRow.started_at))
    .where(_theirs, CallRow.worker.is_not(None))
    .scalar_subquery()
)
_SEATS = select(SeatRow, _ANSWERED, _ASKED)


def _state(row: SeatRow, answered_at: float | None, asked_at: float | None) -> SeatState:
    heard = [at for at in (row.heard_at, answered_at) if at is not None]
    return SeatState(
        seat=Seat.model_validate_json(row.body),
        place=row.place,
        trajectory_id=row.trajectory_id,
        heard_at=moment(max(heard)) if heard else None,
        asked_at=None if asked_at is None else moment(asked_at),
        is_closed=bool(row.is_closed),
    )


def _introduce(session: Session, trajectory_id: str | None, client: Client) -> None:
    """The first client that says who it is, is the trajectory's."""
    row = session.get(TrajectoryRow, trajectory_id)
    if row is None:
        return
    head = Trajectory.model_validate_json(row.body)
    if head.client is None:
        row.body = head_json(head.model_copy(update={"client": client}))
