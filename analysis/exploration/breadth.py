"""Breadth and depth over turns: what each turn read for the first time, and where it came back to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.exploration.fields import Fields, Reading


@dataclass(frozen=True)
class Look:
    """What one turn read. Each table of it is new, stayed with, or returned to: one of the three."""

    turn: int
    new_fields: int
    """Read for the first time."""
    fields_so_far: int
    new_tables: int
    stayed: int
    """Tables that the turn with a reading just before read as well."""
    returned: int
    """Tables that were read before, and not by the turn with a reading just before."""

    @property
    def tables(self) -> int:
        """All that it read."""
        return self.new_tables + self.stayed + self.returned


def looks(read: Sequence[Reading], fields: Fields, turns: Sequence[int]) -> list[Look]:
    """One for each turn, in order. A turn that reads nothing does not end a stay."""
    known: set[str] = set()
    tables: set[str] = set()
    before: set[str] = set()
    found = []
    for turn in turns:
        mine = {name for reading in read if reading.turn == turn for name in reading.fields}
        now = {fields.by_name[name].table for name in mine}
        found.append(
            Look(
                turn=turn,
                new_fields=len(mine - known),
                fields_so_far=len(known | mine),
                new_tables=len(now - tables),
                stayed=len(now & before),
                returned=len((now & tables) - before),
            )
        )
        known |= mine
        tables |= now
        before = now or before
    return found
