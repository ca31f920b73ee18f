"""Which attempt counts, which (entity, trial) is still to do, and what all attempts cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.run import RunSpec
from core.trajectory import NO_USAGE, StopReason, Trajectory, Usage

Key = tuple[str, int]
"""(entity id, trial)"""

_OPEN = (None, StopReason.CANCELLED)
"""Broken off from outside: always explored again, as a fresh attempt."""


def counting(attempts: Iterable[Trajectory]) -> list[Trajectory]:
    """Per (entity, trial) the latest attempt, the one that counts; the rest are history."""
    latest = {_key(attempt): attempt for attempt in sorted(attempts, key=_order)}
    return list(latest.values())


def to_do(spec: RunSpec, attempts: Iterable[Trajectory], *, retry_errors: bool) -> list[Key]:
    """What the store lacks, entity by entity; with `retry_errors` also what ended by a fault."""
    done = {
        _key(t)
        for t in counting(attempts)
        if t.stop_reason not in _OPEN and not (retry_errors and _faulty(t))
    }
    return [key for key in spec.keys if key not in done]


def _faulty(trajectory: Trajectory) -> bool:
    reason = trajectory.stop_reason
    if reason is None or reason is StopReason.CONTEXT_LENGTH:
        return False  # its error is the endpoint's word for an ending that no retry changes
    return not reason.scored or trajectory.error is not None


@dataclass(frozen=True)
class Totals:
    """What every attempt of a run took together; derived, never stored."""

    usage: Usage
    turns: int
    tool_calls: int
    active_s: float
    """Time in which an attempt was under way, summed; pauses between attempts are not in it."""
    attempts: int


def totals(attempts: Sequence[Trajectory]) -> Totals:
    """Sum over attempts, the broken ones included: they were paid for too."""
    usage = NO_USAGE
    for attempt in attempts:
        usage = usage + attempt.usage(role=None)
    return Totals(
        usage=usage,
        turns=sum(len(attempt.turns) for attempt in attempts),
        tool_calls=sum(attempt.tool_calls for attempt in attempts),
        active_s=sum(active_s(attempt) for attempt in attempts),
        attempts=len(attempts),
    )


def active_s(attempt: Trajectory) -> float:
    """Seconds from the start to the end, or to the last turn's end where the process died."""
    if attempt.ended_at is not None:
        return (attempt.ended_at - attempt.started_at).total_seconds()
    if not attempt.turns:
        return 0.0
    last = attempt.turns[-1]
    return (last.started_at - attempt.started_at).total_seconds() + last.duration_s


def _key(trajectory: Trajectory) -> Key:
    return trajectory.entity_id, trajectory.trial


def _order(trajectory: Trajectory) -> tuple[str, int, int]:
    return trajectory.entity_id, trajectory.trial, trajectory.attempt
