"""Where each turn of a trajectory ends along an axis: turns, calls, tokens, dollars, seconds.

What the agent itself took is counted, and nothing of the other roles: an insight, a report that was
asked for, a checker's or a judge's question move nothing along any axis (DDR-12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Literal, NamedTuple, get_args

from core.trajectory import ModelCall, StopReason, Trajectory, Usage

Axis = Literal["turn", "calls", "billed_tokens", "new_tokens", "cost_usd", "seconds"]
AXES: Final[tuple[Axis, ...]] = get_args(Axis)
Source = Literal["measured", "reported"]

TITLES: Final[Mapping[Axis, str]] = {
    "turn": "turn",
    "calls": "tool calls",
    "billed_tokens": "billed tokens",
    "new_tokens": "new tokens",
    "cost_usd": "cost ($)",
    "seconds": "seconds",
}
LOGARITHMIC: Final = frozenset({"billed_tokens", "new_tokens", "cost_usd", "seconds"})
"""Axes that are looked at on a log scale: what is spent on them differs by orders of magnitude."""

_DIGITS: Final = 12
"""Of a sum: three times $0.10 is $0.30, and is found by there."""

NO_MODEL: Final = "its agent asks no model"
UNREPORTED: Final = "a call reported no usage"
UNPRICED: Final = "a call has no price"
TOTAL_ALONE: Final = "its agent reported a total alone, and of that not this figure"


class Act(NamedTuple):
    """One thing that an agent did: a turn, a nudged reply, its finishing message, a failed call."""

    turn: int | None
    """The turn's number; None for what is no turn."""
    at_s: float
    """When it began, seconds from the trajectory's start."""
    duration_s: float
    tool_calls: int
    is_asked: bool
    """Whether a model was asked for it."""
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True)
class Trail:
    """What of a trajectory an axis needs; no text of it."""

    id: str
    entity_id: str
    trial: int
    attempt: int
    stop_reason: StopReason | None
    acts: tuple[Act, ...]
    """In the order in which they were done."""
    reported: Usage | None = None
    """What an agent from outside says that it took in all."""


@dataclass(frozen=True)
class Course:
    """A trajectory along one axis."""

    trajectory_id: str
    entity_id: str
    places: Mapping[int, float]
    """Where each turn ends; of a reported total all turns end there."""
    end: float
    """Where it stopped: what was spent in all, its finishing message included; 0 without any act."""
    source: Source = "measured"


def trail(trajectory: Trajectory) -> Trail:
    """The acts of a whole trajectory."""
    began = trajectory.started_at
    keyed: list[tuple[float, int, Act]] = []
    for turn in trajectory.turns:
        at_s = (turn.started_at - began).total_seconds()
        acted = act(turn.call, turn.index, at_s, turn.duration_s, len(turn.tool_calls))
        keyed.append((turn.index, 0, acted))
    keyed += [(n.after_turn, 1, _beside(n.call, trajectory)) for n in trajectory.nudges]
    for call in _agents(trajectory.failed_calls):
        before = [turn.index for turn in trajectory.turns if turn.started_at <= call.started_at]
        keyed.append((max(before, default=0), 2, _beside(call, trajectory)))
    finishing = [i.call for i in trajectory.insights if i.level == "trajectory" and i.call]
    keyed += [(float("inf"), 3, _beside(call, trajectory)) for call in _agents(finishing)]
    return Trail(
        id=trajectory.id,
        entity_id=trajectory.entity_id,
        trial=trajectory.trial,
        attempt=trajectory.attempt,
        stop_reason=trajectory.stop_reason,
        acts=in_order(keyed),
        reported=trajectory.reported_usage,
    )


def in_order(keyed: Iterable[tuple[float, int, Act]]) -> tuple[Act, ...]:
    """Acts by (the turn that each is or follows, its kind): a turn comes before what follows it."""
    return tuple(done for *_, done in sorted(keyed, key=lambda each: each[:2]))


def act(
    call: ModelCall | None, turn: int | None, at_s: float, duration_s: float, tool_calls: int
) -> Act:
    """An act with the usage of its call; None = no model was asked."""
    if call is None:
        return Act(turn, at_s, duration_s, tool_calls, False, 0, 0, 0.0)
    use = call.usage
    return Act(
        turn,
        at_s,
        duration_s,
        tool_calls,
        True,
        use.input_tokens,
        use.output_tokens,
        use.cost_usd,
    )


def course(trail: Trail, axis: Axis) -> Course | str:
    """It along an axis; a text says why it has no places there, which is never taken for 0.

    billed_tokens: input and output of each call, re-sent history each time (Fig. 1 of the paper).
    new_tokens: each token of the conversation once, when it is first written or read (its Table 4):
    a call's output, and as much of its input as exceeds the input and output of the call before.
    Where an endpoint drops reasoning from later prompts, as much of what was read anew is not seen.
    cost_usd: by the prices stored with the calls.
    seconds: the time in which the agent thought and its tools worked; of an agent that asks no model
    of ours, the time since the start, for nobody sees it think.
    """
    if axis not in ("turn", "calls", "seconds") and not any(a.is_asked for a in trail.acts):
        return _reported(trail, axis)
    found = _along(trail, _steps(trail, axis))
    if found is None:
        return UNPRICED if axis == "cost_usd" else UNREPORTED
    return found


def courses(trails: Sequence[Trail], axis: Axis) -> tuple[dict[str, Course], dict[str, str]]:
    """(those with places on the axis, why the others have none), each by trajectory."""
    found = {each.id: course(each, axis) for each in trails}
    return (
        {name: each for name, each in found.items() if isinstance(each, Course)},
        {name: each for name, each in found.items() if isinstance(each, str)},
    )


def _steps(trail: Trail, axis: Axis) -> list[float | None]:
    """Where each act ends; None from the first on whose share nobody reported."""
    acts = trail.acts
    if axis == "turn":
        return [float(x) for x in accumulate((done.turn or 0 for done in acts), max)]
    if axis == "calls":
        return _summed(acts, lambda done: done.tool_calls)
    if axis == "seconds":
        if any(done.is_asked for done in acts):
            return _summed(acts, lambda done: done.duration_s)
        return [done.at_s + done.duration_s for done in acts]
    if axis == "billed_tokens":
        return _summed(acts, _billed)
    if axis == "cost_usd":
        return _summed(acts, lambda done: done.cost_usd)
    return _new(acts)


def _summed(acts: Sequence[Act], share: Callable[[Act], float | None]) -> list[float | None]:
    total: float | None = 0
    ends: list[float | None] = []
    for done in acts:
        took = share(done)
        total = None if took is None or total is None else round(total + took, _DIGITS)
        ends.append(total)
    return ends


def _billed(done: Act) -> int | None:
    if done.input_tokens is None or done.output_tokens is None:
        return None
    return done.input_tokens + done.output_tokens


def _new(acts: Sequence[Act]) -> list[float | None]:
    total: float | None = 0
    held, ends = 0, []
    for done in acts:
        if total is None or done.input_tokens is None or done.output_tokens is None:
            total = None
        elif done.is_asked:
            total += max(0, done.input_tokens - held) + done.output_tokens
            held = done.input_tokens + done.output_tokens
        ends.append(total)
    return ends


def _along(trail: Trail, ends: Sequence[float | None]) -> Course | None:
    """None where the end of a turn is unknown; what comes after the last turn may be."""
    places: dict[int, float] = {}
    for done, end in zip(trail.acts, ends, strict=True):
        if done.turn is None:
            continue
        if end is None:
            return None
        places[done.turn] = end
    known = [end for end in ends if end is not None]
    return Course(trail.id, trail.entity_id, places, max(known, default=0))


def _reported(trail: Trail, axis: Axis) -> Course | str:
    """All turns at the total that an agent from outside reported: where in it each ended is unknown."""
    use = trail.reported
    if use is None:
        return NO_MODEL
    if axis == "cost_usd":
        total: float | None = use.cost_usd
    elif axis == "billed_tokens" and use.input_tokens is not None and use.output_tokens is not None:
        total = use.input_tokens + use.output_tokens
    else:
        total = None
    if total is None:
        return TOTAL_ALONE
    turns = [done.turn for done in trail.acts if done.turn is not None]
    return Course(trail.id, trail.entity_id, dict.fromkeys(turns, total), total, "reported")


def _beside(call: ModelCall, trajectory: Trajectory) -> Act:
    at_s = (call.started_at - trajectory.started_at).total_seconds()
    return act(call, None, at_s, call.duration_s, 0)


def _agents(calls: Iterable[ModelCall]) -> list[ModelCall]:
    return [call for call in calls if call.role == "agent"]
