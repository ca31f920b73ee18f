"""Who came to the seats of an agent from outside, trajectory by trajectory, read from the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.contact import Met, met
from core.outside import Key, OutsideCall
from core.run import RunSpec
from core.trajectory import StopReason, Trajectory
from server.store import Repository
from server.store.callbook import CallBook
from server.store.seats import Seats, SeatState

_Place = tuple[str, int]
"""(path, place among the seat's keys)"""


class Contacts:
    """A run's; of an agent of our own there are none."""

    def __init__(self, spec: RunSpec, store: Repository) -> None:
        self._store = store
        self.seats: list[SeatState] = Seats(store).of_run(spec.id) if spec.outside else []
        self._places = _places(self.seats, store.heads(spec.id)) if spec.outside else {}

    def calls(self, trajectory: Trajectory) -> list[OutsideCall]:
        """Every call of a trajectory, those that explored nothing too."""
        return CallBook(self._store).calls(trajectory.id)

    def of(self, trajectory: Trajectory, calls: Sequence[OutsideCall] | None = None) -> Met:
        """What was heard in one trajectory; `calls` where they were read already."""
        place = self._places.get(trajectory.id)
        heard = Seats(self._store).contacts(*place) if place else []
        return met(trajectory, heard, self.calls(trajectory) if calls is None else calls)


def reported(trajectory: Trajectory) -> dict[str, Any]:
    """What an agent says of itself and of what it took; never mixed with what was measured."""
    usage = trajectory.reported_usage
    return {
        "agent": trajectory.reported_agent,
        "model": trajectory.reported_model,
        "usage": usage.model_dump() if usage else None,
    }


def _places(seats: Sequence[SeatState], heads: Sequence[Trajectory]) -> dict[str, _Place]:
    """Where each trajectory with contact was explored.

    A seat begins one trajectory for each of its keys, in order, and fresh seats are given out after the
    earlier ones were taken back: so the attempts at a key stand in the order of its seats.
    """
    begun: dict[Key, list[_Place]] = {}
    for state in seats:
        reached = state.place + 1 if state.trajectory_id is not None else 0
        for place, key in enumerate(state.seat.keys[:reached]):
            begun.setdefault(key, []).append((state.seat.path, place))
    attempts: dict[Key, list[Trajectory]] = {}
    for head in sorted(heads, key=lambda head: head.attempt):
        if head.stop_reason is not StopReason.NO_CONTACT:
            attempts.setdefault((head.entity_id, head.trial), []).append(head)
    return {
        head.id: place
        for key, mine in attempts.items()
        for head, place in zip(mine, begun.get(key, ()), strict=False)
    }
