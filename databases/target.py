"""Which database stands behind a scenario, in terms of this machine; what an engine is opened with."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from pydantic import Field

from core import plugins
from core.errors import DatabaseError
from core.record import Record

OPENER = "tools.sql.engines:open_engine"
"""Databases lie below the tools: an engine comes to them by its name, as a plug-in does."""
BUILT_IN = "tools.sql.engines:ENGINES"
VOUCHED = "ddr_role=only-reads"
"""Query of a URL whose role scenario.toml vouches for."""


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
        self.says, self.remedy = text, remedy


def engine_names() -> list[str]:
    """Every engine that a scenario may name as its dialect."""
    return plugins.known("ddr.engines", plugins.load("ddr.engines", BUILT_IN, {}))


def has_password(url: str) -> bool:
    """Whether a URL holds a password, before its host or in its query."""
    parts = urlsplit(url)
    names = {part.partition("=")[0].lower() for part in parts.query.split("&")}
    return parts.password is not None or bool(names & {"password", "passwd", "pwd"})


def with_password(url: str, password: str) -> str:
    """The URL with the password of its user put in."""
    scheme, _, rest = url.partition("://")
    user, at, host = rest.partition("@")
    if not at:
        raise DatabaseError("a URL with a password must name its user: scheme://user@host/database")
    return f"{scheme}://{user}:{quote(password, safe='')}@{host}"


def vouched_for(url: str) -> str:
    """The URL with the word that its role can only read."""
    return f"{url}{'&' if '?' in url else '?'}{VOUCHED}"
