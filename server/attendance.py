"""End what agents from outside left open: who went silent, whose time is over, who never came."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

from core.errors import EndedError, StoreError
from core.outside import Key
from core.run import RunSpec
from core.trajectory import StopReason, Trajectory
from server.revision import code_revision
from server.store import Repository
from server.store.seats import Seats, SeatState

_LOG = logging.getLogger(__name__)

LAST_WORD_S = 60.0
"""Past max_seconds: tools answer nothing more, but the report may still be handed in."""
CALL_S = 180.0
"""No call takes longer; one that is older was cut off with its worker."""


def end_silent(store: Repository, now: datetime, specs: dict[str, RunSpec] | None = None) -> int:
    """End every open trajectory whose agent is gone; how many.

    Abandoned: no message for the run's idle_s. max_seconds: its time and the last word's are over.
    `specs`: the runs that an earlier look has read, to which this one adds.
    """
    specs = {} if specs is None else specs
    if not _silent(store, now, specs):
        return 0
    # Looked at again under the store's lock: whoever has just spoken is not gone.
    with store.together() as kept:
        gone = _silent(store, now, specs)
        return sum(_end(kept, state.trajectory_id, reason, now) for state, reason in gone)


def _silent(
    store: Repository, now: datetime, specs: dict[str, RunSpec]
) -> list[tuple[SeatState, StopReason]]:
    found = []
    for state in Seats(store).in_use():
        run_id = state.seat.run_id
        try:
            spec = specs.get(run_id) or specs.setdefault(run_id, store.run(run_id))
            reason = _over(spec, store, state, now)
        except StoreError:
            raise  # it is nothing of this seat's
        except Exception:  # noqa: BLE001 - one seat, whatever is wrong with it, keeps no other open
            _LOG.exception("nobody can tell whether the agent of a seat of %s is gone", run_id)
            continue
        if reason is not None:
            found.append((state, reason))
    return found


def close_run(
    spec: RunSpec,
    store: Repository,
    now: datetime,
    *,
    keys: frozenset[Key] | None = None,
    reason: StopReason = StopReason.ABANDONED,
    error: str | None = None,
) -> None:
    """Take the seats of a run back (those of `keys`, where given) and end what is open at them.

    What was met ends for `reason`; what never was met ends as no_contact. All of it, or nothing.
    """
    revision = code_revision()  # now: it may take a while, in which nobody else could write
    with store.together() as kept:
        mine = [
            state
            for state in Seats(store).of_run(spec.id)
            if not state.is_closed and (keys is None or keys.intersection(state.seat.keys))
        ]
        Seats(kept).close(spec.id, paths=[state.seat.path for state in mine])
        missed = list[Trajectory]()
        for state in mine:
            _end(kept, state.trajectory_id, reason, now, error)
            begun = state.place + (state.trajectory_id is not None)
            missed += [
                spec.draft(key, now, code_revision=revision) for key in state.seat.keys[begun:]
            ]
        Seats(kept).miss(missed, ended_at=now, error=error)


def _over(spec: RunSpec, store: Repository, state: SeatState, now: datetime) -> StopReason | None:
    if state.trajectory_id is None or state.is_closed or spec.outside is None:
        return None
    if state.heard_at is not None and not _waits(state, now):
        silent_s = (now - state.heard_at).total_seconds()
        if silent_s > spec.outside.idle_s:
            return StopReason.ABANDONED
    most = spec.limits.max_seconds
    if most is not None:
        began = store.head(state.trajectory_id).started_at
        # As numbers: a limit of many centuries is none that a timedelta can be.
        if (now - began).total_seconds() > most + LAST_WORD_S:
            return StopReason.MAX_SECONDS
    return None


def _waits(state: SeatState, now: datetime) -> bool:
    """Whether it is for us to speak."""
    return state.asked_at is not None and now - state.asked_at < timedelta(seconds=CALL_S)


def _end(
    store: Repository,
    trajectory_id: str | None,
    reason: StopReason,
    now: datetime,
    error: str | None = None,
) -> bool:
    if trajectory_id is None:
        return False
    try:
        store.end_trajectory(trajectory_id, reason, ended_at=now, error=error)
    except EndedError:
        return False
    return True
