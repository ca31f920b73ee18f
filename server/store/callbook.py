"""Write each call of an agent from outside down as it begins, and its answer before that is sent."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import (
    BindParameter,
    LargeBinary,
    bindparam,
    cast,
    func,
    insert,
    null,
    select,
    text,
    update,
)

from core.errors import EndedError
from core.outside import FINISH, GET_TASK, Caller, Key, Outside, OutsideCall
from core.run import Limits
from core.trajectory import RUN_LIMIT, StopReason, ToolResult, Trajectory
from server.store.driver import Prepared
from server.store.engine import driver_of
from server.store.records import to_json
from server.store.repository import Repository
from server.store.seats import Draft, count, start
from server.store.tables import CallRow, SeatRow, TrajectoryRow

MOST_CALLS: Final = 100_000
"""Kept per trajectory."""
MOST_BESIDE: Final = 2_000
"""Kept of calls that explore nothing."""
MOST_BYTES: Final = 256 << 20
"""Kept per trajectory, in calls and answers, the latest left out: past it only the end is taken."""
MOST_LAST: Final = 100
"""Kept of attempts at the end beyond both: it stays possible to finish."""

ENDED: Final = "ended"
"""The error_kind of a call that comes after the end."""
CLOSED: Final = "this seat was taken back; nothing more is taken"


@dataclass(frozen=True)
class Asked:
    """A call on its way in."""

    name: str
    arguments: str
    caller: Caller
    now: datetime
    worker: str
    """The process that is to carry it out."""
    explores: bool
    """Whether it is one of those that make turns."""


@dataclass(frozen=True)
class Rules:
    """What the calls at one seat are held to."""

    keys: Sequence[Key]
    """The seat's."""
    outside: Outside
    limits: Limits
    draft: Draft
    is_alive: Callable[[str], bool]
    """Whether a worker still works: the calls of one that does not hold nobody up."""


@dataclass(frozen=True)
class Begun:
    """A call that is in the book."""

    trajectory_id: str
    key: Key
    call: OutsideCall
    is_kept: bool
    """False where so many were kept that this one was only counted."""
    turn: int
    """The latest turn of the trajectory, this call's own included."""
    stop_reason: StopReason | None
    """Of the trajectory, where it has ended."""
    refusal: tuple[str, str] | None
    """Error kind and text, where it may not go on."""


class CallBook:
    """Each method is one transaction. What is done with every call does without the ORM."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def begin(self, path: str, asked: Asked, rules: Rules) -> Begun:
        """Write a call down before it is carried out, or refused.

        The first message at a seat begins its first trajectory, get_task the next one of a queue.
        Raises EndedError where the seat is not there, or was taken back before anybody came.
        """
        with self._store.driving() as driver:
            begun = enter(driver, path, asked, rules)
        if begun is not None:
            return begun
        with self._store.together() as store, store.writing() as session:
            seat = session.get_one(SeatRow, path)
            driver = driver_of(session.connection().connection)
            found = _look(driver, path)
            # Asked again: another client of this seat may have been quicker.
            if _begins(found, asked, rules):
                seat.place += seat.trajectory_id is not None
                start(store, session, seat, rules.draft, asked.caller.client)
                found = _look(driver, path)
            return _enter(driver, path, found, asked, rules)

    def complete(self, begun: Begun, result: ToolResult) -> None:
        """Write down what is to be sent. An answer that is there already stays."""
        with self._store.driving() as driver:
            complete(driver, begun, result)

    def calls(self, trajectory_id: str) -> list[OutsideCall]:
        """Every call of a trajectory, those that explored nothing too, in order."""
        query = select(CallRow.body).filter_by(trajectory_id=trajectory_id)
        with self._store.reading() as session:
            bodies = session.scalars(query.order_by(CallRow.position))
            return [OutsideCall.model_validate_json(body) for body in bodies]

    def made(self, trajectory_id: str, name: str, *, without: str) -> bool:
        """Whether a call of a tool was carried out, those under way in worker `without` left out."""
        with self._store.reading() as session:
            values = {"mine": trajectory_id, "name": name, "without": without}
            return session.connection().execute(_MADE, values).first() is not None

    def workers_at(self, path: str, request_id: str) -> list[str]:
        """The workers of those calls under way at a seat that answer a request of this id."""
        values = {"path": path, "asked": request_id}
        with self._store.reading() as session:
            found = session.connection().execute(_WORKERS, values).scalars()
            return [worker for worker in found if worker is not None]

    def met_limit(self, trajectory_id: str) -> bool:
        """Whether a call was refused because a limit of the run is reached."""
        values = {"mine": trajectory_id, "kind": RUN_LIMIT}
        with self._store.reading() as session:
            return session.connection().execute(_MET, values).first() is not None

    def turns(self, trajectory_id: str) -> int:
        """The latest turn; 0 before the first."""
        with self._store.reading() as session:
            return session.connection().execute(_TURNS, {"mine": trajectory_id}).scalar() or 0


def enter(driver: sqlite3.Connection, path: str, asked: Asked, rules: Rules) -> Begun | None:
    """CallBook.begin as part of a transaction, where no trajectory begins with the call; else None.

    Raises EndedError as that does.
    """
    found = _look(driver, path)
    return None if _begins(found, asked, rules) else _enter(driver, path, found, asked, rules)


def complete(driver: sqlite3.Connection, begun: Begun, result: ToolResult) -> None:
    """CallBook.complete as part of a transaction."""
    if not begun.is_kept:
        return
    values = {
        "mine": begun.trajectory_id,
        "at": begun.call.position,
        "answered": to_json(begun.call.model_copy(update={"result": result})),
    }
    _COMPLETE.run(driver, values)


class _Found(NamedTuple):
    """A seat, its trajectory, and the latest call and turn of that."""

    is_closed: int
    place: int
    trajectory_id: str | None
    stop_reason: str | None
    bytes: int
    last: int | None
    turn: int | None


def _look(driver: sqlite3.Connection, path: str) -> _Found:
    """Raises EndedError where no call can be."""
    row = _SEAT.first(driver, {"path": path})
    if row is None:
        raise EndedError(CLOSED)
    found = _Found(*row)
    if found.is_closed and found.trajectory_id is None:
        raise EndedError(CLOSED)
    return found


def _begins(found: _Found, asked: Asked, rules: Rules) -> bool:
    """Whether a trajectory begins with this call."""
    if found.is_closed:
        return False
    if found.trajectory_id is None:
        return True
    is_over = found.stop_reason is not None and found.place + 1 < len(rules.keys)
    return is_over and asked.name == GET_TASK


def _enter(
    driver: sqlite3.Connection, path: str, found: _Found, asked: Asked, rules: Rules
) -> Begun:
    mine, last, turn = found.trajectory_id or "", found.last or 0, found.turn or 0
    stop = StopReason(found.stop_reason) if found.stop_reason else None
    under_way = [
        its_turn
        for its_turn, worker in _UNDER_WAY.rows(driver, {"mine": mine})
        if worker == asked.worker or rules.is_alive(worker)
    ]
    # Calls that overlap are one act of the agent.
    next_turn = turn if turn and turn in under_way else turn + 1
    refusal = _ended(found, stop, rules) or _crowded(
        driver, mine, asked, rules.outside, last=last, under_way=len(under_way)
    )
    if refusal is None and asked.explores:
        refusal = _limited(driver, mine, asked.now, rules.limits, next_turn)
    counts = asked.explores and refusal is None
    call = OutsideCall(
        position=last + 1,
        turn=next_turn if counts else None,
        name=asked.name,
        arguments=asked.arguments,
        caller=asked.caller,
        started_at=asked.now,
    )
    spare = MOST_LAST if asked.name == FINISH and stop is None else 0
    is_kept = (
        last < MOST_CALLS + spare
        and (counts or _beside(driver, mine) < MOST_BESIDE + spare)
        and (found.bytes < MOST_BYTES or spare > 0)
    )
    if is_kept:
        values = {
            "trajectory_id": mine,
            "position": call.position,
            "turn": call.turn,
            "worker": asked.worker,
            "started_at": asked.now.timestamp(),
            "body": to_json(call),
        }
        _ADD.run(driver, values)
        _GROW.run(driver, {"path": path, "mine": mine, "at": last})
    else:
        count(driver, path, found.place, method="tools/call", now=asked.now)
        refusal = refusal or (RUN_LIMIT, "so much was asked that no more is taken: call finish")
    return Begun(
        trajectory_id=mine,
        key=rules.keys[found.place],
        call=call,
        is_kept=is_kept,
        turn=next_turn if counts and is_kept else turn,
        stop_reason=stop,
        refusal=refusal,
    )


def _ended(found: _Found, stop: StopReason | None, rules: Rules) -> tuple[str, str] | None:
    if found.is_closed:
        return ENDED, CLOSED
    if stop is None:
        return None
    if found.place + 1 == len(rules.keys):
        return ENDED, "this exploration has ended; nothing more is taken"
    return ENDED, f"this one has ended; call {GET_TASK} for the next one"


def _crowded(
    driver: sqlite3.Connection,
    mine: str,
    asked: Asked,
    outside: Outside,
    *,
    last: int,
    under_way: int,
) -> tuple[str, str] | None:
    if under_way >= outside.calls_at_once:
        return "busy", f"at most {outside.calls_at_once} calls at a time: wait for one to end"
    if last >= outside.calls_per_s:
        values = {"mine": mine, "at": last - outside.calls_per_s + 1}
        earlier = _STARTED.value(driver, values)
        if earlier is not None and 0 <= asked.now.timestamp() - earlier < 1.0:
            return "rate", f"at most {outside.calls_per_s} calls in a second: wait a moment"
    return None


def _limited(
    driver: sqlite3.Connection, mine: str, now: datetime, limits: Limits, turn: int
) -> tuple[str, str] | None:
    if limits.max_turns is not None and turn > limits.max_turns:
        return RUN_LIMIT, f"the limit of {limits.max_turns} turns is reached: call finish"
    if limits.max_seconds is not None:
        body = _HEAD.value(driver, {"mine": mine})
        began = Trajectory.model_validate_json(body).started_at
        if (now - began).total_seconds() > limits.max_seconds:
            return RUN_LIMIT, f"the limit of {limits.max_seconds:g} s is reached: call finish"
    return None


def _beside(driver: sqlite3.Connection, mine: str) -> int:
    return _BESIDE.value(driver, {"mine": mine}) or 0


# Made once: what is asked with every call must cost little.

_mine: BindParameter[str] = bindparam("mine")
_at: BindParameter[int] = bindparam("at")
_is_mine = CallRow.trajectory_id == _mine
_is_the_seats = CallRow.trajectory_id == SeatRow.trajectory_id
_SEAT = Prepared(
    select(
        SeatRow.is_closed,
        SeatRow.place,
        SeatRow.trajectory_id,
        TrajectoryRow.stop_reason,
        SeatRow.bytes,
        select(func.max(CallRow.position)).where(_is_the_seats).scalar_subquery().label("last"),
        select(func.max(CallRow.turn)).where(_is_the_seats).scalar_subquery().label("turn"),
    )
    .outerjoin(TrajectoryRow, TrajectoryRow.id == SeatRow.trajectory_id)
    .where(SeatRow.path == bindparam("path"))
)
_UNDER_WAY = Prepared(
    select(CallRow.turn, CallRow.worker).where(_is_mine, CallRow.worker.is_not(None))
)
_BESIDE = Prepared(
    select(func.count()).select_from(CallRow).where(_is_mine, CallRow.turn.is_(None))
)
_TURNS = select(func.max(CallRow.turn)).where(_is_mine)
_STARTED = Prepared(select(CallRow.started_at).where(_is_mine, CallRow.position == _at))
_HEAD = Prepared(select(TrajectoryRow.body).where(TrajectoryRow.id == _mine))
_ADD = Prepared(insert(CallRow))
_GROW = Prepared(
    update(SeatRow)
    .where(SeatRow.path == bindparam("path"))
    .values(
        bytes=SeatRow.bytes
        + func.coalesce(
            select(func.length(cast(CallRow.body, LargeBinary)))
            .where(_is_mine, CallRow.position == _at)
            .scalar_subquery(),
            text("0"),
        )
    )
)
_COMPLETE = Prepared(
    update(CallRow)
    .where(_is_mine, CallRow.position == _at, CallRow.worker.is_not(None))
    .values(worker=null(), body=bindparam("answered"))
)
_MADE = select(CallRow.position).where(
    _is_mine,
    CallRow.turn.is_not(None),
    func.coalesce(CallRow.worker, "") != bindparam("without"),
    func.json_extract(CallRow.body, "$.name") == bindparam("name"),
)
_WORKERS = (
    select(CallRow.worker)
    .join(SeatRow, SeatRow.trajectory_id == CallRow.trajectory_id)
    .where(
        SeatRow.path == bindparam("path"),
        CallRow.worker.is_not(None),
        func.json_extract(CallRow.body, "$.caller.request_id") == bindparam("asked"),
    )
)
_MET = select(CallRow.position).where(
    _is_mine,
    CallRow.turn.is_(None),
    func.json_extract(CallRow.body, "$.result.error_kind") == bindparam("kind"),
)
