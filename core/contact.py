"""How far an agent from outside came in one trajectory: connected, tools listed, calls, what failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from pydantic import Field

from core.outside import CANCELLED, UNANSWERED, Contact, OutsideCall
from core.record import Record, UtcTime
from core.trajectory import Client, StopReason, Trajectory

Stage = Literal["no contact", "connected", "tools listed", "calls"]

_LISTED: Final = "tools/list"

MOST_KINDS: Final = 20
"""Names that are told apart, and clients that are named: an agent may make up as many as it likes."""
OTHERS: Final = "(others)"
"""Stands for all names beyond these."""


class Met(Record):
    """What was heard of an agent in one trajectory: counts, and who it said that it is."""

    stage: Stage
    """The furthest that it came."""
    calls: int = 0
    """All that were kept: those that explored, that handed in, and that were refused."""
    explored: int = 0
    """Of them, those that make turns."""
    tools: dict[str, int] = Field(default_factory=dict)
    """Calls by tool, the most called first."""
    errors: dict[str, int] = Field(default_factory=dict)
    """Calls that failed, by error kind."""
    refused: int = 0
    """Calls that were not carried out: too many, too late, or not to be understood."""
    cancelled: int = 0
    """Calls that the client took back or hung up on."""
    unanswered: int = 0
    """Calls whose process ended before the answer, or that are under way."""
    messages: dict[str, int] = Field(default_factory=dict)
    """What it sent beside calls, by method, the most frequent first."""
    clients: tuple[Client, ...] = ()
    """Those that introduced themselves, the first one first."""
    first_at: UtcTime | None = None
    last_at: UtcTime | None = None


def met(trajectory: Trajectory, heard: Sequence[Contact], calls: Sequence[OutsideCall]) -> Met:
    """What the messages and calls of one trajectory come to."""
    kinds = Counter(
        call.result.error_kind or "unknown"
        for call in calls
        if call.result is not None and call.result.is_error
    )
    messages: Counter[str] = Counter()
    for contact in heard:
        messages[contact.method] += contact.count
    times = [at for contact in heard for at in (contact.first_at, contact.last_at)]
    times += [call.started_at for call in calls]
    introduced = [trajectory.client, *(c.client for c in heard), *(c.caller.client for c in calls)]
    return Met(
        stage=_stage(trajectory, messages, calls),
        calls=len(calls),
        explored=sum(call.turn is not None for call in calls),
        tools=_told(Counter(call.name for call in calls)),
        errors=_told(kinds),
        refused=sum(map(is_refused, calls)),
        cancelled=kinds[CANCELLED],
        unanswered=sum(call.result is None for call in calls) + kinds[UNANSWERED],
        messages=_told(messages),
        clients=tuple(dict.fromkeys(c for c in introduced if c is not None))[:MOST_KINDS],
        first_at=min(times, default=None),
        last_at=max(times, default=None),
    )


def beside(calls: Iterable[OutsideCall]) -> list[OutsideCall]:
    """The calls that are in no turn: what was asked for or handed in, and what was refused."""
    return [call for call in calls if call.turn is None]


def is_refused(call: OutsideCall) -> bool:
    """Whether a call that explores nothing came to nothing."""
    return call.turn is None and call.result is not None and call.result.is_error


def _told(found: Counter[str]) -> dict[str, int]:
    told = dict(found.most_common(MOST_KINDS))
    rest = found.total() - sum(told.values())
    return {**told, OTHERS: rest} if rest else told


def _stage(
    trajectory: Trajectory, messages: Mapping[str, int], calls: Sequence[OutsideCall]
) -> Stage:
    if calls:
        return "calls"
    if trajectory.stop_reason is StopReason.NO_CONTACT:
        return "no contact"
    # There is a trajectory from the first message on, whatever it was.
    return "tools listed" if messages.get(_LISTED) else "connected"
