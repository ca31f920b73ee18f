"""What the profiler asks and what it gets back, as plain values that need no event loop."""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from core.protocols import Observation

T = TypeVar("T")
QUERY = "execute_query"
"""The tool without which nothing can be asked."""

_CERTAIN = ("sql", "arguments", "unknown_tool", "refused", "timeout", "limit")
"""Kinds of errors that come again."""


@dataclass(frozen=True)
class Ask:
    """One tool call, and why it is made (it becomes the turn's text)."""

    tool: str
    arguments: Mapping[str, Any]
    why: str


@dataclass(frozen=True)
class Note:
    """What the last reply showed: the message-wise insight of its turn."""

    text: str


@dataclass(frozen=True)
class Reply:
    """A tool's answer. An error has no rows, so that a reader of rows need not ask first."""

    data: Mapping[str, Any] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] = ()
    error: str | None = None
    kind: str | None = None
    """The kind of the error."""
    truncated: bool = False

    @property
    def by_chance(self) -> bool:
        """Whether the same call may succeed if it is made again."""
        return self.error is not None and self.kind not in _CERTAIN

    @property
    def one(self) -> Mapping[str, Any]:
        """The first row; empty where there is none."""
        return self.rows[0] if self.rows else {}


Conversation = Generator[Ask | Note, Reply, T]
"""A line of questions: yields what it asks, is sent the replies, returns what it learnt."""


def read(observation: Observation) -> Reply:
    """An Observation as a Reply; never raises, whatever the tool sent."""
    if observation.is_error:
        said = observation.text or observation.error_kind or "the tool failed"
        return Reply(error=said, kind=observation.error_kind)
    data = observation.data
    if data is None:
        try:
            data = json.loads(observation.text)
        except ValueError:
            return Reply(error="the reply is not JSON")
    if not isinstance(data, Mapping):
        return Reply(error="the reply is not an object")
    names, found = data.get("columns"), data.get("rows")
    rows: tuple[Mapping[str, Any], ...] = ()
    if isinstance(names, list | tuple) and isinstance(found, list | tuple):
        labels = [str(name) for name in names]
        lists = (row for row in found if isinstance(row, list | tuple))
        rows = tuple(dict(zip(labels, row, strict=False)) for row in lists)
    return Reply(data=data, rows=rows, truncated=bool(data.get("truncated")))


def number(value: Any) -> float | None:
    """A finite number, from a number or from its text; None for everything else."""
    if isinstance(value, bool):
        return float(value)
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int:
    """A count; 0 where there is none."""
    return int(number(value) or 0)


def text(value: Any) -> str | None:
    """A value as the words of a sentence: one line, not long; None stays None."""
    if value is None:
        return None
    line = " ".join(str(value).split())
    return line if len(line) <= 60 else line[:57].rstrip() + "..."
