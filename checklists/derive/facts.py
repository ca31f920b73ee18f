"""What a model takes from a document, and what becomes of it on its way to an item."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from core.document import Document
from core.record import Record

Dropped = Literal[
    "unreadable",
    "not answerable",
    "no such column",
    "quote not in the text",
    "question gives the answer away",
    "duplicate",
    "not supported by the text",
]
"""Why a fact became no item."""


class Fact(Record):
    """One fact as it was extracted."""

    question: str = Field(min_length=8, max_length=500)
    answer: str = Field(min_length=2, max_length=1000)
    quote: str = Field(min_length=4, max_length=2000)
    category: str = Field(default="other", min_length=1, max_length=60)
    answerable: bool
    """Whether the tables that the model was shown could show it."""
    seen_in: tuple[str, ...] = Field(default=(), max_length=50)
    """Columns in which it could be seen: table.column."""


class Finding(Record):
    """A fact with the document that it was taken from."""

    document: Document
    fact: Fact


class Ruling(Record):
    """What the second model says of a fact."""

    supported: bool
    reason: str = Field(default="", max_length=2000)
    sql: str | None = Field(default=None, max_length=20_000)
    figure: str | None = Field(default=None, max_length=100)
    """As it stands in the answer."""
