"""Every failure that a caller can name, drawn as the boundary that it crossed.

DdrError
├── UsageError            the person typed something that cannot be done
│   ├── UnknownNameError  a name that nothing answers to; lists those that do
│   └── ConfigError       a file or key that cannot be read, with its place
├── ScenarioError         a scenario's files are missing, half built or changed
│   └── DatabaseError     the database itself: missing, locked, corrupt
├── ChecklistError        a checklist that cannot be loaded or does not hold
├── ToolError             a tool call that failed; its text helps the agent
├── SandboxError          the Python sandbox cannot be had, or broke
├── ProviderError         a language model's endpoint failed
├── CheckerError          a checker failed; its items stay unscored
├── LogError              the log of another program cannot be read
├── BundleError           a run's bundle does not hold what it should
└── StoreError            what we keep could not be kept or found
    ├── EndedError        what has ended takes nothing more
    └── LockedError       somebody else writes, and nothing can be kept in that moment
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Literal, TypeVar

_Name = TypeVar("_Name", bound=str)
_PARTS = re.compile(r"[0-9]+|[^0-9]+")


class DdrError(Exception):
    """The root: its text is written for the reader who must act on it."""

    exit_code = 1


class UsageError(DdrError):
    """What was asked for cannot be done as it was asked."""

    exit_code = 2


class UnknownNameError(UsageError):
    """A name that nothing answers to; the text lists the names that do, and how many it leaves out."""

    def __init__(self, kind: str, name: str, known: Iterable[str], *, unlisted: int = 0) -> None:
        self.kind, self.name, self.known = kind, name, sorted(known, key=_by_numbers)
        near = _nearest(name, self.known)
        hint = f" (did you mean {near!r}?)" if near else ""
        listed = ", ".join(self.known) or "none"
        others = f" and {unlisted} others" if unlisted else ""
        super().__init__(f"unknown {kind} {name!r}{hint}; known: {listed}{others}")


def one_of(kind: str, name: str, known: Iterable[_Name]) -> _Name:
    """The one of the known names that this is. Raises UnknownNameError."""
    listed = tuple(known)
    for each in listed:
        if each == name:
            return each
    raise UnknownNameError(kind, name, listed)


def _by_numbers(name: str) -> list[tuple[int, int, str]]:
    """Sorts 'turn 10' behind 'turn 9': a run of digits counts as the number that it is."""
    parts = _PARTS.findall(name)
    return [(0, int(part), part) if part[0] in "0123456789" else (1, 0, part) for part in parts]


def _nearest(name: str, known: list[str]) -> str | None:
    """The same but for case and leading zeros, so '03' for '3'; else what is spelt most like it."""
    same = [each for each in known if _plain(each) == _plain(name)]
    near = same or difflib.get_close_matches(name, known, n=1)
    return near[0] if near else None


def _plain(name: str) -> list[str]:
    return [part.lstrip("0") for part in _PARTS.findall(name.casefold())]


class ConfigError(UsageError):
    """A configuration file or key that cannot be read; the text names file and key."""


class ScenarioError(DdrError):
    """A scenario cannot be used: missing, half built, or changed since."""


class DatabaseError(ScenarioError):
    """The database file is missing, locked by a writer, or corrupt."""


class ChecklistError(DdrError):
    """A checklist cannot be loaded, or an item does not hold on its database."""


class ToolError(DdrError):
    """A tool call failed. The text reaches the agent, so it helps and leaks nothing."""

    def __init__(self, text: str, *, kind: str, violations: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.kind = kind
        self.violations = violations


class SandboxError(DdrError):
    """The Python sandbox cannot be started here, or broke; the text says why and what to do."""


ProviderFault = Literal[
    "auth",
    "rate_limit",
    "server",
    "timeout",
    "connection",
    "context_length",
    "malformed",
    "bad_request",
]


class ProviderError(DdrError):
    """A language model's endpoint failed; typed by its kind, and its HTTP status where it has one."""

    def __init__(
        self, text: str, *, status_code: int | None = None, kind: ProviderFault | None = None
    ) -> None:
        super().__init__(text)
        self.status_code = status_code
        self.kind = kind


class CheckerError(DdrError):
    """A checker failed. Never a wrong answer of the model: its items stay unscored."""


class LogError(DdrError):
    """The log of another program cannot be read; the text names the file, and the line or key."""


class BundleError(DdrError):
    """A bundle cannot be read, or does not hold what it should; the text names the file and the line."""


class StoreError(DdrError):
    """A record could not be stored or found."""


class EndedError(StoreError):
    """What has ended, or was taken back, takes nothing more."""


class LockedError(StoreError):
    """Somebody else writes to the store; whoever comes again a little later can keep what it has."""
