"""A figure with its goal: what was measured, what it should be, and why it is missing if it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Say = Callable[[str], None]
"""Told in words what is being measured now."""


@dataclass(frozen=True)
class Goal:
    """What a figure should be."""

    name: str
    goal: float
    unit: str
    better: Literal["lower", "higher"]

    def met_by(self, value: float) -> bool:
        """Whether a value reaches the goal; the goal itself does."""
        return value <= self.goal if self.better == "lower" else value >= self.goal


@dataclass(frozen=True)
class Figure:
    """A goal and what was measured."""

    goal: Goal
    value: float | None
    """None = it could not be measured, which is a miss."""
    reason: str | None = None
    """Why there is no value."""
    detail: str | None = None
    """What the value was made of, in words."""

    @property
    def met(self) -> bool:
        """Whether the goal is reached; never by a figure that is missing."""
        return self.value is not None and self.goal.met_by(self.value)

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        told = {
            "value": self.value,
            "goal": self.goal.goal,
            "met": self.met,
            "unit": self.goal.unit,
            "better": self.goal.better,
        }
        said = {"reason": self.reason, "detail": self.detail}
        return told | {name: text for name, text in said.items() if text is not None}


@dataclass(frozen=True)
class Measured:
    """A value with the words that let a reader judge it."""

    value: float
    detail: str


@dataclass(frozen=True)
class Bench:
    """What a probe is handed."""

    home: Path
    """$DDR_HOME/bench: data is made here once and kept."""
    say: Say
    rows: int | None = None
    """Another size than the goals are for, as a trial; None = theirs. For benchmarks that make rows."""


@dataclass(frozen=True)
class Probe:
    """One measurement that gives one or more figures."""

    goals: tuple[Goal, ...]
    measure: Callable[[Bench], Mapping[str, float | Measured]]
    """Returns a value per goal's name."""


def take(probe: Probe, bench: Bench) -> list[Figure]:
    """Measure. A probe that fails, or leaves a name out, gives figures without a value."""
    reason = "the probe gave no such figure"
    given: Mapping[str, float | Measured] = {}
    try:
        given = probe.measure(bench)
    except Exception as exc:  # noqa: BLE001 - one broken part must not hide the other figures
        reason = f"{type(exc).__name__}: {exc}"
    return [_figure(goal, given.get(goal.name), reason) for goal in probe.goals]


def _figure(goal: Goal, given: float | Measured | None, reason: str) -> Figure:
    if given is None:
        return Figure(goal, None, reason)
    value, detail = (given.value, given.detail) if isinstance(given, Measured) else (given, None)
    if not math.isfinite(value):
        return Figure(goal, None, f"it is {value}", detail)
    return Figure(goal, float(f"{value:.4g}"), detail=detail)
