"""How a quantity goes over the course of trajectories of unlike length: its median in each tenth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from analysis.exploration.steps import Step
from analysis.statistics import median

PARTS: Final = 10


@dataclass(frozen=True)
class Quantity:
    """Something that a turn has one value of."""

    name: str
    title: str
    of: Callable[[Step], float | None]
    """None where the turn has none."""


def _mean(parts: Sequence[int]) -> float | None:
    return fmean(parts) if parts else None


QUANTITIES: Final = (
    Quantity("fields_so_far", "Fields read so far", lambda s: s.look.fields_so_far),
    Quantity("returns", "Tables returned to per turn", lambda s: s.look.returned),
    Quantity("queries", "Queries per turn", lambda s: s.queries),
    Quantity(
        "nodes", "Parse-tree nodes per query", lambda s: _mean([c.nodes for c in s.complexities])
    ),
    Quantity("characters", "Characters per answer", lambda s: _mean(s.characters)),
    Quantity("own_tokens", "New tokens by the model", lambda s: s.tokens.own),
    Quantity("tool_tokens", "New tokens from tools", lambda s: s.tokens.tools),
    Quantity("prompt_tokens", "New tokens from prompts", lambda s: s.tokens.prompts),
)
"""Read from left to right, two rows of four."""


@dataclass(frozen=True)
class CoursePoint:
    """One tenth of one quantity, over a group."""

    quantity: str
    part: int
    """From 1 to PARTS."""
    value: float | None
    """The median over trajectories; None where none has a value there."""
    n: int
    """Trajectories that have one."""


def course(steps: Mapping[str, Sequence[Step]]) -> list[CoursePoint]:
    """Every quantity in every tenth; `steps`: trajectory id to its turns."""
    found = []
    for quantity in QUANTITIES:
        rows = [parts_of([quantity.of(step) for step in own]) for own in steps.values()]
        for part in range(PARTS):
            known = [row[part] for row in rows]
            values = [value for value in known if value is not None]
            found.append(CoursePoint(quantity.name, part + 1, median(values), len(values)))
    return found


def parts_of(values: Sequence[float | None], parts: int = PARTS) -> list[float | None]:
    """One value per part of a trajectory, from one per turn.

    Turn i of n covers the stretch from (i - 1) / n to i / n; a part is the mean of the turns that it
    overlaps, weighted by how much, those without a value left out.
    """
    n = len(values)
    found: list[float | None] = []
    for part in range(parts):
        total = weight = 0.0
        for place, value in enumerate(values):
            # Both in units of 1 / (n * parts), so that no rounding makes a sliver of an overlap.
            overlap = min((place + 1) * parts, (part + 1) * n) - max(place * parts, part * n)
            if overlap > 0 and value is not None:
                total += overlap * value
                weight += overlap
        found.append(total / weight if weight else None)
    return found
