"""The calibration set as it is kept: pages of insights, and questions on them with their true labels."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

from core.checklist import ChecklistItem
from core.evaluation import Label, Level
from core.record import Record
from core.trajectory import Insight, StopReason, Trajectory

CLASSES: Final[tuple[Label, ...]] = ("supported", "contradicted", "insufficient")
_FILE: Final = Path(__file__).parent / "set.json"
_BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)


class Case(Record):
    """One question on a page, with what is true of it by construction."""

    id: str
    question: str
    answer: str
    options: tuple[str, ...] = ()
    """Of a closed item."""
    label: Label
    how: str
    """What was done to the true fact: 'plain', 'rounded', 'other entity', ..."""
    criteria: tuple[str, ...] = ()
    """Under which criteria alone the label is certain; () = under all."""

    def holds(self, criteria: str) -> bool:
        """Whether its label is certain under these criteria."""
        return not self.criteria or criteria in self.criteria


class Page(Record):
    """The insights of one exploration, true and false, and the questions that are put to them."""

    id: str
    entity_id: str
    level: Level
    insights: tuple[tuple[int, str], ...]
    """(turn, text); at trajectory level they are the parts of one report."""
    cases: tuple[Case, ...]

    def items(self) -> list[ChecklistItem]:
        """Its questions as a checker is handed them."""
        return [
            ChecklistItem(
                id=case.id,
                entity_id=self.entity_id,
                question=case.question,
                answer=case.answer,
                kind="closed" if case.options else "open",
                options=case.options,
                category=case.how,
                source="calibration",
            )
            for case in self.cases
        ]

    def trajectory(self, *injected: str) -> Trajectory:
        """An exploration that handed its insights in; `injected` ones come after its own."""
        own = [*self.insights]
        own += [(own[-1][0] + n, text) for n, text in enumerate(injected, 1)]
        base = {"trajectory_id": self.id, "author": "calibration", "level": self.level}
        if self.level == "message":
            insights = [
                Insight.model_validate(
                    {**base, "id": f"{self.id}-{turn}", "turn": turn, "text": text}
                )
                for turn, text in own
            ]
        else:
            report = "\n\n".join(text for _, text in own)
            insights = [Insight.model_validate({**base, "id": self.id, "text": report})]
        return Trajectory(
            id=self.id,
            run_id="calibration",
            scenario_id="calibration",
            scenario_fingerprint="calibration",
            entity_id=self.entity_id,
            agent="calibration",
            insights=tuple(insights),
            stop_reason=StopReason.FINISHED,
            started_at=_BEGAN,
            ended_at=_BEGAN,
        )


class CalibrationSet(Record):
    """All pages."""

    source: str
    pages: tuple[Page, ...]

    @property
    def hash(self) -> str:
        """sha-256 of all that a judge may be shown and of the true labels."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()

    def cases(self) -> Iterator[tuple[Page, Case]]:
        """Every case with its page."""
        return ((page, case) for page in self.pages for case in page.cases)

    def under(self, criteria: str) -> CalibrationSet:
        """Only the cases whose label is certain under these criteria."""
        return self.only({case.id for _, case in self.cases() if case.holds(criteria)})

    def only(self, ids: Collection[str]) -> CalibrationSet:
        """Only these cases; the pages keep all their insights."""
        kept = [
            page.model_copy(update={"cases": tuple(c for c in page.cases if c.id in ids)})
            for page in self.pages
        ]
        return self.model_copy(update={"pages": tuple(page for page in kept if page.cases)})

    def sample(self, n: int, *, seed: int) -> CalibrationSet:
        """`n` cases, as many of each class as can be; the same ones each time. All where n is more."""
        draw = random.Random(seed)
        classes: dict[str, list[str]] = {label: [] for label in CLASSES}
        for _, case in self.cases():
            classes[case.label].append(case.id)
        for ids in classes.values():
            draw.shuffle(ids)
        queues: Sequence[list[str]] = [ids for ids in classes.values() if ids]
        chosen: set[str] = set()
        while len(chosen) < n and any(queues):
            for ids in queues:
                if ids and len(chosen) < n:
                    chosen.add(ids.pop())
        return self.only(chosen)


@cache
def shipped() -> CalibrationSet:
    """The set that comes with the program."""
    return CalibrationSet.model_validate_json(_FILE.read_bytes())
