"""A text about an entity that agents never see: checklists are made from it."""

from __future__ import annotations

import datetime as dt

from pydantic import Field

from core.record import Record


class Document(Record):
    """One text: a discharge note, an item of an annual report, the answers to a survey."""

    id: str = Field(min_length=1)
    """Unique in its scenario."""
    entity_id: str = Field(min_length=1)
    kind: str = Field(min_length=1)
    """What it is: note, item-1a, survey, ..."""
    title: str = ""
    text: str
    written_on: dt.date | None = None
    """Where the text bears a date."""
    values: dict[str, float | str] = Field(default_factory=dict)
    """What it says in figures, where its source has them as such: a survey's scores."""
