"""Spread events over the stretches of time in which they can happen, in order of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from databases.patients.twin.draws import Draws, Ints


@dataclass(frozen=True)
class Spread:
    """Events of a block of patients, by patient and time."""

    owner: Ints
    """The patient's place in the block."""
    place: Ints
    """Counts the patient's events from 0."""
    stretch: Ints
    """The stretch of time that it fell into."""
    time: Ints
    """Minutes since 1970."""


@dataclass(frozen=True)
class Axis:
    """Stretches of time by patient and time, each with a weight: how many events it draws."""

    owner: Ints
    start: Ints
    length: Ints
    weight: Ints
    """At least 1."""
    people: int

    def totals(self) -> Ints:
        """The weight of each patient's stretches together; 0 where there are none."""
        import numpy as np

        found = np.zeros(self.people, np.int64)
        np.add.at(found, self.owner, self.weight)
        return found

    def spread(self, counts: Ints, draws: Draws, name: str, entity: Ints) -> Spread:
        """So many events per patient. A patient without a stretch must have a count of 0."""
        import numpy as np

        owner, place = expand(counts)
        totals = self.totals()
        ends = np.cumsum(self.weight)
        base = np.concatenate([[0], np.cumsum(totals)])[:-1]
        # One event per equal part of the patient's own axis: the order of time needs no sorting.
        total, number = totals[owner], counts[owner]
        low = place * total // number
        room = np.maximum((place + 1) * total // number - low, 1)
        where = base[owner] + low + draws.below(name, room, entity[owner], place)
        stretch = np.searchsorted(ends, where, side="right")
        inside = where - (ends[stretch] - self.weight[stretch])
        time = self.start[stretch] + inside * self.length[stretch] // self.weight[stretch]
        return Spread(owner, place, stretch, time)


def expand(counts: Ints) -> tuple[Ints, Ints]:
    """For each of so many things per parent: the parent's place, and the thing's number from 0."""
    import numpy as np

    owner = np.repeat(np.arange(len(counts)), counts)
    starts = np.cumsum(counts) - counts
    return owner, np.arange(len(owner)) - starts[owner]
