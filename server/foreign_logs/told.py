"""One exploration as another program's log tells it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeGuard

from core.trajectory import ModelCall, Nudge, Preamble, StopReason, Turn, Usage

NO_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Where a log tells no time."""
MOST_TRIALS: Final = 1_000
MOST_TURNS: Final = 1_000_000
MOST_TOKENS: Final = 10**15
"""Of any one count. What a log says beyond these is no number of anything."""
SILENT: Final = Usage(cost_reason="the log does not say")
"""Of a call of which a log tells no tokens."""


@dataclass(frozen=True)
class Told:
    """A trajectory's parts. Turns count from 1."""

    entity: str
    """As the log calls it."""
    where: str
    """File and line or sample, for errors and notes."""
    turns: tuple[Turn, ...] = ()
    nudges: tuple[Nudge, ...] = ()
    insights: tuple[tuple[int | None, str], ...] = ()
    """(turn, text) of each message-wise insight; None = the log dates it to no turn."""
    report: str | None = None
    stop_reason: StopReason = StopReason.FINISHED
    error: str | None = None
    model: str | None = None
    """Whose words they are, where the log says it."""
    preamble: Preamble | None = None
    usage: Usage | None = None
    """The whole trajectory's, as the log sums it."""
    started_at: datetime = NO_TIME
    ended_at: datetime = NO_TIME
    trial: int | None = None
    """None = in the order of the log."""


def is_number(said: Any, most: int, *, least: int = 1) -> TypeGuard[int]:
    """Whether it is a whole number in these bounds."""
    return type(said) is int and least <= said <= most


def silent_call(model: str | None, at: datetime, seconds: float = 0.0) -> ModelCall:
    """A call of the agent's model of which the log tells no tokens."""
    return ModelCall(
        role="agent",
        model_asked=model or "unknown",
        usage=SILENT,
        started_at=at,
        duration_s=seconds,
    )


def entity_meant(said: str, known: Collection[str]) -> str | None:
    """The entity of a scenario that a log means, leading zeros aside; None where there is none."""
    if said in known:
        return said
    bare = {each.lstrip("0"): each for each in known if each.isdecimal()}
    return bare.get(said.lstrip("0")) if said.isdecimal() else None
