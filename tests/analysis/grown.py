"""Growths by hand: an entity a line, an exploration a tuple of where it found and where it stopped."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.axes import Axis
from analysis.growth import EntityGrowth, Exploration, Growth


def run(*places: float, end: float, first: float | None = 1.0) -> Exploration:
    """One exploration."""
    return Exploration(end, tuple(sorted(places)), first)


def entity(name: str, items: int, *runs: Exploration, cluster: str | None = None) -> EntityGrowth:
    """One entity with so many items."""
    return EntityGrowth(name, cluster or name, items, runs)


def grown(*entities: EntityGrowth, axis: Axis = "turn", name: str = "m") -> Growth:
    """A run of them."""
    return Growth(name, axis, tuple(entities))


def alike(count: int, items: int, places: Sequence[float], end: float) -> Growth:
    """So many entities which all did the same."""
    return grown(*(entity(f"{n:02d}", items, run(*places, end=end)) for n in range(count)))
