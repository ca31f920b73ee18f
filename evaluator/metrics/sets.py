"""What one trajectory found, beside what is known of its entity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.checklist import Checklist
from core.record import Record
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator.metrics.rating import Pair
from evaluator.outcomes import NEVER_RUN, NOT_ENDED, latest_attempts


class Truth(Record):
    """One insight of the ground truth."""

    id: str
    text: str
    type: str
    """descriptive, diagnostic, ..., other."""


class InsightSet(Record):
    """One trajectory on one data set."""

    entity_id: str
    trial: int
    cluster: str
    """Sets with the same table are one draw: intervals count them together (EVALUATION 0.5)."""
    category: str
    difficulty: str
    """'unknown' where nobody has said."""
    goal: str | None = None
    truths: tuple[Truth, ...]
    summary: str | None = None
    """The ground truth's; None where it has none."""
    predictions: tuple[str, ...] = ()
    """The message-wise insights that say something, in the order of turns."""
    report: str | None = None
    """The agent's own summary."""
    missing: str | None = None
    """Why nothing can be scored (EVALUATION 1.2); None = it is scored, even where it is empty."""

    @property
    def key(self) -> tuple[str, int]:
        """Of the set among all."""
        return self.entity_id, self.trial

    @property
    def pairs(self) -> Iterator[Pair]:
        """Every prediction with every ground truth."""
        for truth in self.truths:
            for prediction in self.predictions:
                yield Pair(truth.text, prediction)

    @property
    def summaries(self) -> Pair | None:
        """Both summaries; None where one of them is missing."""
        has_both = self.summary is not None and self.report is not None
        return Pair(str(self.summary), str(self.report)) if has_both else None


def insight_sets(
    checklist: Checklist,
    trajectories: Sequence[Trajectory],
    entities: Sequence[Entity],
) -> list[InsightSet]:
    """One for each entity and trial, and one for an entity that was never explored.

    The ground truth of an entity is its accepted open items; entities without any are left out. What
    an agent wrote at message level are its predictions, its report is its summary.
    """
    latest = latest_attempts(trajectories)
    found: list[InsightSet] = []
    for entity in entities:
        items = [item for item in checklist.of(entity.id) if item.kind == "open"]
        if not items:
            continue
        known = {
            "entity_id": entity.id,
            "cluster": entity.cluster,
            "category": items[0].category,
            "difficulty": items[0].difficulty or "unknown",
            "goal": entity.goal,
            "truths": [Truth(id=i.id, text=i.answer, type=i.insight_type) for i in items],
            "summary": checklist.summary.get(entity.id),
        }
        said = [_said(trajectory) for trajectory in latest.get(entity.id, ())]
        said = said or [{"trial": 1, "missing": NEVER_RUN}]
        found += [InsightSet.model_validate({**known, **each}) for each in said]
    return found


def _said(trajectory: Trajectory) -> Mapping[str, object]:
    stop, trial = trajectory.stop_reason, trajectory.trial
    if stop is None or not stop.scored:
        return {"trial": trial, "missing": NOT_ENDED if stop is None else str(stop)}
    texts = (insight.text for insight in trajectory.message_insights)
    report = trajectory.report
    return {
        "trial": trial,
        "predictions": tuple(text for text in texts if text and text.strip()),
        "report": report if report and report.strip() else None,
    }
