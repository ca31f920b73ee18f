"""Choose the attempts that count: the latest one of each entity and trial."""

from __future__ import annotations

from collections.abc import Sequence

from core.trajectory import Trajectory


def latest_attempts(trajectories: Sequence[Trajectory]) -> list[Trajectory]:
    """One trajectory per entity and trial, the highest attempt, in the order of first sight.

    An attempt that a killed process left behind is history: its turns never mix with those of
    the attempt that replaced it.
    """
    latest: dict[tuple[str, int], Trajectory] = {}
    for trajectory in trajectories:
        key = (trajectory.entity_id, trajectory.trial)
        if key not in latest or trajectory.attempt > latest[key].attempt:
            latest[key] = trajectory
    return list(latest.values())
