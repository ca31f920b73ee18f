"""An agent from outside: how it was let in, each call that it made, and how its calls are turns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final

from pydantic import Field

from core.record import Record, UtcTime
from core.trajectory import Client, ToolCall, ToolResult, Turn

Key = tuple[str, int]
"""(entity id, trial)"""

GET_TASK: Final = "get_task"
"""The one tool that moves a seat on to its next key."""
SUBMIT_INSIGHT: Final = "submit_insight"
FINISH: Final = "finish"
"""The one tool that ends a trajectory."""

UNANSWERED: Final = "unanswered"
"""The error_kind of a call that nobody answered yet, or whose process ended before it could."""

CANCELLED: Final = "client_cancelled"
"""The error_kind of a call that its client took back, or hung up on."""


class Outside(Record):
    """What was agreed with an agent from outside; part of its run's specification."""

    has_shell: bool | None = None
    """Whether it can run commands beside our tools; None = nobody said."""
    has_web: bool | None = None
    """Whether it can reach the web; None = nobody said."""
    queue: bool = False
    """Whether one connection takes all entities, one after the other."""
    idle_s: float = Field(default=1800.0, gt=0)
    """So long without a message, and it counts as gone."""
    most_insights: int = Field(default=500, ge=1)
    """Per trajectory; a further one is refused."""
    calls_at_once: int = Field(default=16, ge=1)
    """Per trajectory; a further one is refused."""
    calls_per_s: int = Field(default=50, ge=1)
    """Per trajectory, over the last second; a further one is refused."""
    enrolled_by: str | None = None
    """The owner of the token with which it was asked for over REST; None = at the command line."""


class Seat(Record):
    """What one connection is given: a path that nobody can guess, and what it is to explore."""

    path: str
    """Stands in the URL: /r/{path}/mcp."""
    run_id: str
    token_hash: str
    """sha-256 of the bearer token, which itself is kept nowhere."""
    keys: tuple[Key, ...] = Field(min_length=1)
    """In the order in which they are explored; one, or a whole queue."""
    created_at: UtcTime

    def url(self, base: str) -> str:
        """Where its agent connects, below the server's own address."""
        return f"{base.rstrip('/')}/r/{self.path}/mcp"


class Caller(Record):
    """Who sends a message, as far as the wire tells."""

    client: Client | None = None
    """None where the protocol's revision does not say it with each message."""
    request_id: str | None = None
    meta: dict[str, Any] = Field(default_factory=dict)
    """The request's own `_meta`, bounded by whoever fills it."""


class OutsideCall(Record):
    """One call of a tool by an agent from outside, as it came and as it was answered."""

    position: int = Field(ge=1)
    """Among all calls of its trajectory."""
    turn: int | None = None
    """None for a call that explores nothing: get_task, submit_insight, finish, and what was refused."""
    name: str
    arguments: str
    """The JSON text of what was sent."""
    caller: Caller = Caller()
    started_at: UtcTime
    result: ToolResult | None = None
    """None while it is under way, and for good where the process that served it was killed."""


class Contact(Record):
    """Messages of one kind from one client at one seat: the protocol's own chatter, counted."""

    method: str
    client: Client | None = None
    count: int = Field(ge=1)
    first_at: UtcTime
    last_at: UtcTime


def turns_of(calls: Iterable[OutsideCall]) -> tuple[Turn, ...]:
    """The turns that a trajectory's exploring calls make. Calls that overlapped share one."""
    exploring = sorted(
        (call for call in calls if call.turn is not None), key=lambda c: (c.turn, c.position)
    )
    return tuple(
        _turn(index, list(members))
        for index, members in groupby(exploring, key=lambda call: call.turn or 0)
    )


def _turn(index: int, calls: Sequence[OutsideCall]) -> Turn:
    began = min(call.started_at for call in calls)
    results = tuple(call.result or _unanswered(call) for call in calls)
    ends = (
        (call.started_at - began).total_seconds() + result.duration_s
        for call, result in zip(calls, results, strict=True)
    )
    return Turn(
        index=index,
        tool_calls=tuple(
            ToolCall(call_id=str(call.position), name=call.name, arguments=call.arguments)
            for call in calls
        ),
        tool_results=results,
        started_at=began,
        duration_s=max(0.0, *ends),
    )


def _unanswered(call: OutsideCall) -> ToolResult:
    return ToolResult(
        call_id=str(call.position),
        name=call.name,
        text="",
        is_error=True,
        error_kind=UNANSWERED,
        duration_s=0.0,
    )
