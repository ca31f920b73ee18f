"""Draw what is to be judged again from a run: items at levels that a judge is asked about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from core.checklist import Checklist, ChecklistItem
from core.evaluation import LEVELS, Level
from core.trajectory import Trajectory
from evaluator.calibration.sitting import Sheet
from evaluator.outcomes import latest_attempts
from server.drawing import drawn

Asked = tuple[Trajectory, ChecklistItem, Level]
"""A question that a judge is asked."""


def questions(trajectories: Sequence[Trajectory], checklist: Checklist) -> list[Asked]:
    """All of a run: of latest attempts that are scored, at the levels at which something was said."""
    found: list[Asked] = []
    for entity_id, some in sorted(latest_attempts(trajectories).items()):
        for each in some:
            if each.stop_reason is None or not each.stop_reason.scored:
                continue
            said = {
                "message": any(i.text and i.text.strip() for i in each.message_insights),
                "trajectory": bool(each.report and each.report.strip()),
            }
            levels = [level for level in LEVELS if said[level]]
            found += [(each, i, level) for i in checklist.of(entity_id) for level in levels]
    return found


def sampled_sheets(
    trajectories: Sequence[Trajectory], checklist: Checklist, sample: str | None, *, seed: int
) -> list[Sheet]:
    """A sample of the questions, by trajectory."""
    every = questions(trajectories, checklist)
    chosen: dict[str, list[Asked]] = defaultdict(list)
    for asked in drawn(every, sample, seed=seed) if every else []:
        chosen[asked[0].id].append(asked)
    sheets = []
    for some in chosen.values():
        wanted = {(item.id, level) for _, item, level in some}
        items = tuple({item.id: item for _, item, _ in some}.values())
        left = frozenset(
            (i.id, level) for i in items for level in LEVELS if (i.id, level) not in wanted
        )
        sheets.append(Sheet(some[0][0], items, unasked=left))
    return sheets
