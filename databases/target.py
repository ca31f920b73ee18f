"""Which database stands behind a scenario, in terms of this machine; what an engine is opened with."""

from __future__ import annotations

from pydantic import Field

from core.errors import DatabaseError
from core.record import Record


class Target(Record):
    """One database. Never shown to an agent, and its place never printed: it may hold a password."""

    dialect: str
    """The name of an engine: duckdb, sqlite, postgresql, sqlalchemy, or one that a plug-in brings."""
    location: str = Field(repr=False)
    """An absolute path, or an SQLAlchemy URL (which may hold a password)."""
    fact_columns: dict[str, str] = Field(default_factory=dict)
    """Table to the column whose values name facts: a read of `facts` WHERE concept = 'Revenue' counts
    as the field `facts.concept=Revenue` (scenario.toml, `[facts]`)."""


class RoleError(DatabaseError):
    """The role of a URL can do more than read, or cannot read; `remedy` is what its owner must run."""

    def __init__(self, text: str, remedy: str) -> None:
        super().__init__(f"{text}. To be run by the database's owner:\n{remedy}")
        self.remedy = remedy
