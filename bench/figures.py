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
        return told if self.reason is None else {**told, "reason": self.reason}


@dataclass(frozen=True)
class Bench:
    """What a probe is handed."""

    home: Path
    """$DDR_HOME/bench: data is made here once and kept."""
    say: Say


@dataclass(frozen=True)
class Probe:
    """One measurement that gives one or more figures."""

    goals: tuple[Goal, ...]
    measure: Callable[[Bench], Mapping[str, float]]
    """Returns a value per goal's name."""


def take(probe: Probe, bench: Bench) -> list[Figure]:
    """Measure. A probe that fails, or leaves a name out, gives figures without a value."""
    reason = "the probe gave no such figure"
    values: Mapping[str, float] = {}
    try:
        values = probe.measure(bench)
    except Exception as exc:  # noqa: BLE001 - one broken part must not hide the other figures
        reason = f"{type(exc).__name__}: {exc}"
    figures = []
    for goal in probe.goals:
        value = values.get(goal.name)
        if value is None or not math.isfinite(value):
            figures.append(Figure(goal, None, reason if value is None else f"it is {value}"))
        else:
            figures.append(Figure(goal, float(f"{value:.4g}")))
    return figures
