"""The counts of a run: by category, by stop reason, by entity, and the attempts to look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.joined import Judged
from core.checklist import ChecklistItem
from core.evaluation import Level
from core.trajectory import Trajectory

DIFFICULTIES = ("easy", "medium", "hard")
UNKNOWN = "unknown"
"""The group of those of which nobody has said how difficult they are."""


@dataclass(frozen=True)
class Share:
    """How many of how many, and how many of these without a label."""

    found: int
    of: int
    unscored: int = 0

    @property
    def value(self) -> float | None:
        """The strict share; None of nothing, or where nothing was scored."""
        return self.found / self.of if self.of > self.unscored else None


@dataclass(frozen=True)
class Group:
    """One category or difficulty at both levels."""

    name: str
    message: Share
    report: Share


@dataclass(frozen=True)
class Stop:
    """One stop reason and how many trajectories ended by it."""

    reason: str
    count: int
    self_terminated: bool


@dataclass(frozen=True)
class Attempt:
    """One attempt to look where nothing is to be seen."""

    trajectory: Trajectory
    turn: int
    tool: str
    what: str


def share(rows: Sequence[Judged], level: Level) -> Share:
    """How many of the rows are supported at one level."""
    return Share(
        found=sum(row.supported(level) for row in rows),
        of=len(rows),
        unscored=sum(row.unscored_reason(level) is not None for row in rows),
    )


def by_category(rows: Sequence[Judged]) -> list[Group]:
    """The categories in alphabetical order."""
    return _groups(rows, lambda item: item.category, sorted({r.item.category for r in rows}))


def by_difficulty(rows: Sequence[Judged]) -> list[Group]:
    """Easy, medium, hard, unknown; those without an item are left out."""
    have = {row.item.difficulty or UNKNOWN for row in rows}
    names = [name for name in (*DIFFICULTIES, UNKNOWN) if name in have]
    return _groups(rows, lambda item: item.difficulty or UNKNOWN, names)


def by_insight_type(rows: Sequence[Judged]) -> list[Group]:
    """The types of insight, in alphabetical order."""
    names = sorted({row.item.insight_type for row in rows})
    return _groups(rows, lambda item: item.insight_type, names)


def stops(trajectories: Sequence[Trajectory]) -> list[Stop]:
    """Why trajectories ended, the most frequent first."""
    counted = Counter(
        (t.stop_reason.value, t.stop_reason.self_terminated)
        if t.stop_reason
        else ("not ended", False)
        for t in trajectories
    )
    return [Stop(reason, n, own) for (reason, own), n in counted.most_common()]


@dataclass(frozen=True)
class Explored:
    """How far a run came with its entities."""

    done: int
    """With a trajectory that ended by no fault of ours or a provider's."""
    failed: int
    """With trajectories of which none did, and at least one ended by a fault or was cancelled."""
    open: int
    """With trajectories of which none has ended."""


def explored(trajectories: Sequence[Trajectory]) -> Explored:
    """The entities by how their trajectories ended; each is counted once, at its best trial."""
    best: dict[str, int] = {}
    for one in trajectories:
        rank = 0 if one.stop_reason is None else 2 if one.stop_reason.scored else 1
        best[one.entity_id] = max(rank, best.get(one.entity_id, 0))
    counted = Counter(best.values())
    return Explored(done=counted[2], failed=counted[1], open=counted[0])


def attempts(trajectories: Sequence[Trajectory]) -> list[Attempt]:
    """Every violation that a tool recorded, in order (field case F56)."""
    return [
        Attempt(trajectory, turn.index, result.name, what)
        for trajectory in trajectories
        for turn in trajectory.turns
        for result in turn.tool_results
        for what in result.violations
    ]


def errors(trajectory: Trajectory) -> int:
    """How many of a trajectory's tool calls failed."""
    return sum(result.is_error for turn in trajectory.turns for result in turn.tool_results)


def _groups(
    rows: Sequence[Judged], key: Callable[[ChecklistItem], str], names: Sequence[str]
) -> list[Group]:
    found = []
    for name in names:
        own = [row for row in rows if key(row.item) == name]
        found.append(Group(name, share(own, "message"), share(own, "trajectory")))
    return found
