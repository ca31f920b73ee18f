"""The figures of InsightBench and InsightEval of one run, once they are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from checklists.audit.redundancy import Redundancy
from core.checklist import Checklist
from core.record import Record
from evaluator.metrics.asking import Replies
from evaluator.metrics.measures import Measure
from evaluator.metrics.novelty import Novelty
from evaluator.metrics.rating import Pair, Rated
from evaluator.metrics.sets import InsightSet
from evaluator.metrics.wording import prompts_hash
from server.metrics_asked import Asked, name_of
from server.spending import Spending


class Rater(Record):
    """What one model gave."""

    judge: str
    rated: int
    with_chances: int
    """Of these, ratings that are means over what the model might have said."""
    failed: dict[str, int]
    """Why questions have no answer, with how often."""


@dataclass(frozen=True)
class Metrics:
    """All figures of one run."""

    run_id: str
    checklist: Checklist
    asked: Asked
    sets: tuple[InsightSet, ...]
    left_out: tuple[str, ...]
    """Entities whose ground truth is error text."""
    measures: tuple[Measure, ...]
    redundancy: Redundancy | None
    """Of the predictions inside each set; None where the suite has none."""
    novelty: Novelty | None
    raters: tuple[Rater, ...]
    matching_failed: int
    """Sets for which no matches could be read."""
    served: tuple[str, ...]
    spending: Spending

    @property
    def clusters(self) -> int:
        """Sets with the same table are one; in the raw view each is by itself."""
        return len({each.cluster for each in self.sets})

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "run": self.run_id,
            "suite": self.asked.suite,
            "checklist": self.checklist.id,
            "checklist_version": self.checklist.version,
            "checklist_hash": self.checklist.hash,
            "prompt_hash": prompts_hash(),
            "sets": len(self.sets),
            "clusters": self.clusters,
            "sets_scored": sum(not each.missing for each in self.sets),
            "left_out": self.left_out,
            "predictions": sum(len(each.predictions) for each in self.sets),
            "ground_truths": sum(len(each.truths) for each in self.sets),
            "measures": [each.model_dump(mode="json") for each in self.measures],
            "redundancy": self.redundancy.model_dump(mode="json") if self.redundancy else None,
            "novelty": self.novelty.model_dump(mode="json") if self.novelty else None,
            "raters": [each.model_dump(mode="json") for each in self.raters],
            "matching_failed": self.matching_failed,
            "judges_asked": [name_of(spec) for spec in self.asked.judges.specs],
            "judges_served": self.served,
            "parameters": self.asked.judges.parameters,
            **self.spending.as_json(),
        }


def rater(replies: Replies[Pair, Rated]) -> Rater:
    """What came of one model's ratings."""
    failed: dict[str, int] = {}
    for reason in replies.failed.values():
        failed[reason] = failed.get(reason, 0) + 1
    return Rater(
        judge=replies.judge,
        rated=len(replies.found),
        with_chances=sum(each.has_chances for each in replies.found.values()),
        failed=failed,
    )
