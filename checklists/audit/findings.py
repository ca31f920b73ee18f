"""The faults that an audit finds in items: InsightEval's E1 to E5, and what a reader would object to."""

from __future__ import annotations

from typing import Final, Literal

from core.record import Record

Check = Literal["E1", "E2", "E3", "E4", "E5", "duplicate", "given_away", "evidence"]

CHECKS: Final[dict[Check, str]] = {
    "E1": "the goal names nothing that the database has",
    "E2": "the type of insight is none that is defined",
    "E3": "the question is about something that the database does not have",
    "E4": "the answer is an error or a refusal",
    "E5": "two answers of one entity say much the same",
    "duplicate": "the same question twice about one entity",
    "given_away": "the question gives the answer away",
    "evidence": "the evidence cannot be run on the database",
}
"""What each check looks for (EVALUATION 2.2 IE-12, 3.2)."""


class Finding(Record):
    """One fault, and where."""

    check: Check
    entity_id: str
    item_ids: tuple[str, ...]
    """Empty where the entity's goal is meant."""
    text: str
    """What was found, in words."""
    score: float | None = None
    """The cosine of E5; None elsewhere."""
