"""Join each checklist item with the trajectory that was to find it and the verdicts on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.checklist import ChecklistItem
from core.evaluation import Level, Verdict
from core.trajectory import Trajectory


@dataclass(frozen=True)
class Judged:
    """One item of one trajectory, with what the checker said at both levels."""

    item: ChecklistItem
    trajectory: Trajectory | None
    """None = the entity was never run."""
    message: Verdict | None
    report: Verdict | None

    def verdict(self, level: Level) -> Verdict | None:
        """The verdict at one level; None = there is none."""
        return self.message if level == "message" else self.report

    def supported(self, level: Level) -> bool:
        """Whether the item was found at this level."""
        found = self.verdict(level)
        return found is not None and found.label == "supported"

    def unscored_reason(self, level: Level) -> str | None:
        """Why there is no label at this level; None where there is one."""
        found = self.verdict(level)
        if found is not None:
            return None if found.label else found.unscored_reason or "no reason was stored"
        if self.trajectory is None:
            return "the entity was never run"
        stop = self.trajectory.stop_reason
        if stop is None:
            return "the trajectory has not ended"
        if not stop.scored:
            return f"the trajectory ended by {stop.value}, which is no fault of the agent"
        return "not judged yet"


def join(
    items: Sequence[ChecklistItem],
    trajectories: Sequence[Trajectory],
    verdicts: Sequence[Verdict],
) -> list[Judged]:
    """One row per item and trajectory of its entity, in the order of the items.

    An item whose entity was never run has one row without a trajectory.
    """
    said = {(v.trajectory_id, v.item_id, v.level): v for v in verdicts}
    rows = []
    for item in items:
        own: list[Trajectory | None] = [t for t in trajectories if t.entity_id == item.entity_id]
        for trajectory in own or [None]:
            key = (trajectory.id if trajectory else "", item.id)
            rows.append(
                Judged(
                    item,
                    trajectory,
                    said.get((*key, "message")),
                    said.get((*key, "trajectory")),
                )
            )
    return rows
