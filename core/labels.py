"""What people say: labels of items, scores of explorations, and the quality form of a data set."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from core.evaluation import Label, Level
from core.record import Record, UtcTime

Section = Literal["overview", "insights", "summary"]
BEST_OF_FORM: Final = 5


class PersonLabel(Record):
    """A person's verdict on an item at one level of one trajectory."""

    trajectory_id: str
    item_id: str
    level: Level
    label: Label
    note: str = ""
    is_blind: bool = True
    """Whether the judge's label was hidden."""
    created_at: UtcTime


class PersonRating(Record):
    """A person's score of what one exploration found, against what there was to find (IE-09)."""

    trajectory_id: str
    given: float
    best: float
    """The highest score that could be given: 10, or 1."""
    note: str = ""
    created_at: UtcTime

    @property
    def score(self) -> float:
        """0 to 1, as metrics are."""
        return self.given / self.best


class FormAnswer(Record):
    """A person's answer to one question on one data set (IB-11)."""

    entity_id: str
    section: Section
    question: str
    item_id: str | None = None
    """Of a question on one insight of the ground truth."""
    score: int = Field(ge=1, le=BEST_OF_FORM)
    note: str = ""
    created_at: UtcTime
