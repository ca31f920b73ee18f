"""A question that may be put: its query, how surprising its answer may be, and how to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from agent.profiler.long import Long
from agent.profiler.relation import Relation
from agent.profiler.reply import Reply
from agent.profiler.roles import Column, Role
from agent.profiler.sentences import Voice

T = TypeVar("T")


class Theme(StrEnum):
    """The headings of the report."""

    VOLUME = "How much there is"
    LEVEL = "Levels against the rest"
    KINDS = "One kind of number at a time"
    MISSING = "Missing values"
    MIX = "What it is made of"
    TIME = "Over time"
    GROUPS = "Differences inside"
    EXTREMES = "Extremes"
    RELATED = "Through related tables"
    CONDITIONS = "Under conditions"
    TOGETHER = "What goes together"


@dataclass(frozen=True)
class Finding:
    """A true sentence and how much it tells."""

    text: str
    surprise: float
    theme: Theme
    about: tuple[str, ...] = ()
    family: str = ""
    """The probe's family; filled in by whoever put the probe."""


@dataclass(frozen=True)
class Probe:
    """One query, so one turn."""

    family: str
    key: str
    """With the family, what tells it from others."""
    about: tuple[str, ...]
    """Columns and groupings by whose earlier answers its worth is judged."""
    prior: float
    """The surprise expected before anything is known."""
    why: str
    query: str
    read: Callable[[Reply], tuple[list[Finding], list[Probe]]]
    limit: int = 200
    table: str = ""
    """Whose rows it is about; filled in by whoever puts it on the agenda."""


@dataclass(frozen=True)
class Scene:
    """Where probes are made: a relation and the voice in which they speak."""

    relation: Relation
    voice: Voice
    echoes: frozenset[str] = frozenset()
    """Columns that repeat what another column of the relation says."""
    fixed: frozenset[str] = frozenset()
    """Measures that a category all but fixes, as a route fixes its length: hardly outcomes."""
    longs: tuple[Long, ...] = ()
    """Columns that hold numbers of many kinds."""
    nested: frozenset[str] = frozenset()
    """The entity's own keys: no other entity can have their values, so that there is nothing to compare."""


def filled(column: Column, share: float = 0.02) -> bool:
    """Whether there are enough values to speak of."""
    return column.figures.filled >= max(5.0, share * column.figures.rows)


def is_outcome(scene: Scene, column: Column) -> bool:
    """Whether it is a measure that can turn out one way or another."""
    return column.role is Role.MEASURE and column.key not in scene.fixed


def batches(things: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """In order, so many at a time."""
    for start in range(0, len(things), size):
        yield things[start : start + size]
