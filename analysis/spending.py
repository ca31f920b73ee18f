"""What a run took: tokens and money by role, reasoning, time in tools and models, calls made in vain."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from analysis.repeats import Asked, Loop, Repeats, asked, loops, repeats
from analysis.spent import Spent, spent, time_of
from analysis.statistics import median, quantile
from core.trajectory import NO_USAGE, ModelCall, Trajectory, Usage

ROLES: Final = ("agent", "insight", "report", "judge", "checker", "author")
TAIL: Final = 0.95


@dataclass(frozen=True)
class Reasoning:
    """Reasoning tokens of the agent's turns (DDR-24)."""

    per_turn: float | None
    """The mean over the turns whose call reports them; None where none does."""
    median: float | None
    turns: int
    """That report them."""
    of: int
    """Turns with a model call."""


@dataclass(frozen=True)
class ToolUse:
    """The calls of one tool."""

    tool: str
    calls: int
    """That were answered; what a limit of the run refused is left out."""
    errors: int
    kinds: Mapping[str, int]
    """Errors by kind, the most frequent first."""
    mean_s: float | None
    median_s: float | None
    p95_s: float | None
    """These and the next two are None where nobody measured."""
    total_s: float | None
    per_trajectory_s: float | None
    """Total / trajectories, those without a call included."""

    @property
    def success(self) -> float | None:
        """Share of the calls that did not fail; None without calls."""
        return 1 - self.errors / self.calls if self.calls else None


@dataclass(frozen=True)
class Exploration:
    """One trajectory."""

    trajectory_id: str
    entity_id: str
    trial: int
    turns: int
    calls: int
    errors: int
    tool_s: float | None
    """Time inside tools (DDR-22). None where nobody measured, as in logs of other programs."""
    agent_s: float | None
    """Time inside the agent's own model calls."""
    other_s: float | None
    """Time inside calls for insights and the report."""
    whole_s: float | None
    """From its start to its end; None where it has not ended."""
    repeats: Repeats
    loops: tuple[Loop, ...]


@dataclass(frozen=True)
class Costs:
    """Of one run, over the attempts that count."""

    name: str
    explorations: tuple[Exploration, ...]
    roles: tuple[Spent, ...]
    """In the order of ROLES, those that made a call."""
    lost: Spent | None
    """All calls of attempts that were broken off and explored again: paid for, and part of nothing
    else here. None without such calls."""
    reasoning: Reasoning
    tools: tuple[ToolUse, ...]
    """The one with most calls first."""
    is_seen: bool = True
    """Whether the agent's model calls pass us; else what is not there is not known."""
    reported: Usage | None = None
    """What the agent itself says that it took, over the trajectories of which it says so."""
    reporting: int = 0
    """Those trajectories."""

    @property
    def cost_usd(self) -> float | None:
        """Of all calls of the attempts that count; None where one of them is not known.

        What an agent out of sight took is not known: our own calls beside it are not the whole.
        """
        parts = [each.cost_usd for each in self.roles]
        known = [part for part in parts if part is not None]
        return sum(known) if self.is_seen and len(known) == len(parts) else None

    @property
    def queries(self) -> int:
        """SQL calls."""
        return sum(each.repeats.queries for each in self.explorations)

    @property
    def repeated(self) -> int:
        """Of them, those that say the same as an earlier one of their trajectory."""
        return sum(each.repeats.repeated for each in self.explorations)

    @property
    def after_error(self) -> int:
        """Of these, those whose earlier one had failed each time."""
        return sum(each.repeats.after_error for each in self.explorations)

    @property
    def loops(self) -> list[Loop]:
        """Of all trajectories."""
        return [loop for each in self.explorations for loop in each.loops]

    @property
    def looping(self) -> int:
        """Trajectories with a loop."""
        return sum(bool(each.loops) for each in self.explorations)

    def per_trajectory(self, name: str) -> float | None:
        """The mean of a field of Exploration over the trajectories of which it is known."""
        values = [value for each in self.explorations if (value := getattr(each, name)) is not None]
        return fmean(values) if values else None


def costs(
    name: str,
    trajectories: Sequence[Trajectory],
    lost: Iterable[ModelCall] = (),
    *,
    dialect: str = "duckdb",
    is_seen: bool = True,
) -> Costs:
    """Of the attempts that count; `lost`: the calls of the others. `dialect`: sqlglot's name.

    `is_seen`: whether the agent's model calls pass us; where they do not, none is not nothing.
    """
    calls = [asked(each) for each in trajectories]
    by_role: dict[str, list[ModelCall]] = defaultdict(list)
    for trajectory in trajectories:
        for call in trajectory.calls:
            by_role[call.role].append(call)
    gone = list(lost)
    reported = [each.reported_usage for each in trajectories if each.reported_usage is not None]
    return Costs(
        name=name,
        explorations=tuple(
            _exploration(each, own, dialect, is_seen=is_seen)
            for each, own in zip(trajectories, calls, strict=True)
        ),
        roles=tuple(spent(role, by_role[role]) for role in ROLES if by_role[role]),
        lost=spent("lost", gone) if gone else None,
        reasoning=_reasoning(trajectories),
        tools=_tools([each for own in calls for each in own], len(trajectories)),
        is_seen=is_seen or bool(by_role["agent"]),
        reported=sum(reported, NO_USAGE) if reported else None,
        reporting=len(reported),
    )


def _reasoning(trajectories: Sequence[Trajectory]) -> Reasoning:
    asked_of = [turn.call for each in trajectories for turn in each.turns if turn.call is not None]
    counts = [
        float(call.usage.reasoning_tokens)
        for call in asked_of
        if call.usage.reasoning_tokens is not None
    ]
    return Reasoning(
        per_turn=fmean(counts) if counts else None,
        median=median(counts),
        turns=len(counts),
        of=len(asked_of),
    )


def _exploration(
    trajectory: Trajectory, calls: Sequence[Asked], dialect: str, *, is_seen: bool
) -> Exploration:
    models = [call for call in trajectory.calls if not call.is_recalled]
    agents = [call.duration_s for call in models if call.role == "agent"]
    ended = trajectory.ended_at
    return Exploration(
        trajectory_id=trajectory.id,
        entity_id=trajectory.entity_id,
        trial=trajectory.trial,
        turns=len(trajectory.turns),
        calls=len(calls),
        errors=sum(each.has_failed for each in calls),
        tool_s=time_of([each.result.duration_s for each in calls if each.result]),
        agent_s=time_of(agents) if agents or is_seen else None,
        other_s=time_of([call.duration_s for call in models if call.role != "agent"]),
        whole_s=(ended - trajectory.started_at).total_seconds() or None if ended else None,
        repeats=repeats(calls, dialect),
        loops=tuple(loops(calls)),
    )


def _tools(calls: Sequence[Asked], trajectories: int) -> tuple[ToolUse, ...]:
    by_tool: dict[str, list[Asked]] = defaultdict(list)
    for each in calls:
        if each.result is not None:
            by_tool[each.call.name].append(each)
    found = [_tool(name, own, trajectories) for name, own in by_tool.items()]
    return tuple(sorted(found, key=lambda each: (-each.calls, each.tool)))


def _tool(name: str, calls: Sequence[Asked], trajectories: int) -> ToolUse:
    answered = [each.result.duration_s for each in calls if each.result]
    total = time_of(answered)
    seconds = answered if total is not None else []
    kinds = Counter(
        each.result.error_kind or "unknown" for each in calls if each.result and each.has_failed
    )
    return ToolUse(
        tool=name,
        calls=len(calls),
        errors=kinds.total(),
        kinds=dict(kinds.most_common()),
        mean_s=fmean(seconds) if seconds else None,
        median_s=median(seconds),
        p95_s=quantile(seconds, TAIL),
        total_s=total,
        per_trajectory_s=None if total is None else total / trajectories,
    )
