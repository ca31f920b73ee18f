"""Who the twin's patients are, when they are in hospital, and when in intensive care."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import UsageError
from databases.patients.twin.axis import Axis, expand

if TYPE_CHECKING:
    from databases.patients.twin.draws import Draws, Ints

LEAST_ROWS = 200
"""Rows per patient below which there is no room for a history."""
MOST_PEOPLE = 100_000
DAY = 24 * 60
SPAN = 3 * 365 * DAY
"""How long a patient is followed, minutes."""
_BLOCK_ROWS = 500_000
_IDS = 9_999_991
"""A prime: multiplying below it hands every number out once, in an order that tells nothing."""


@dataclass(frozen=True)
class Crowd:
    """All patients: what has to be known before the first one is written."""

    subject: Ints
    budget: Ints
    """Rows of each patient."""

    @classmethod
    def drawn(cls, draws: Draws, people: int, rows: int) -> Crowd:
        """So many patients with about so many rows together. Raises UsageError where that cannot be."""
        import numpy as np

        if not 1 <= people <= MOST_PEOPLE:
            raise UsageError(f"--entities is 1 to {MOST_PEOPLE:,} with --synthetic, not {people:,}")
        if rows < people * LEAST_ROWS:
            raise UsageError(
                f"--rows is at least {LEAST_ROWS} per patient: {people * LEAST_ROWS:,}, not {rows:,}"
            )
        everyone = np.arange(people)
        subject = 10_000_000 + np.cumsum(draws.between("subject", 1, 89, everyone))
        weight = draws.between("size", 70, 130, everyone)
        return cls(subject, rows * weight // int(weight.sum()))

    def blocks(self, draws: Draws) -> Iterator[Block]:
        """The patients in blocks whose rows fit into memory many times over."""
        import numpy as np

        part = np.cumsum(self.budget) // _BLOCK_ROWS
        for number in np.unique(part):
            entity = np.flatnonzero(part == number)
            yield Block.drawn(draws, entity, self.subject[entity], self.budget[entity])


@dataclass(frozen=True)
class Block:
    """Some patients and their stays, by patient and time. Times are minutes since 1970."""

    entity: Ints
    """Their places among all patients, which every draw is made from."""
    subject: Ints
    budget: Ints
    age: Ints
    year: Ints
    start: Ints
    stays: Ints
    """Stays in hospital per patient."""
    owner: Ints
    """Of each stay: the patient's place in the block."""
    number: Ints
    """Of each stay: which of the patient's, from 0."""
    admitted: Ints
    discharged: Ints
    hadm: Ints
    icu: Ints
    """Places of the stays that lead to intensive care."""
    icu_in: Ints
    icu_out: Ints
    stay: Ints
    """stay_id."""

    @classmethod
    def drawn(cls, draws: Draws, entity: Ints, subject: Ints, budget: Ints) -> Block:
        """The patients at these places."""
        import numpy as np

        year = draws.between("year", 2110, 2190, entity)
        start = (year - 1970).astype("datetime64[Y]").astype("datetime64[m]").astype(np.int64)
        most = np.clip(budget // 60, 2, 10)
        stays = draws.between("stays", 2, most, entity)
        owner, number = expand(stays)
        who = entity[owner]
        slot = SPAN // stays[owner]
        admitted = start[owner] + number * slot + draws.below("admitted", slot // 2, who, number)
        usual = draws.between("usual stay", 2, 9, entity)[owner]
        days = draws.between("days", usual, usual + 5, who, number)
        length = days * DAY + draws.between("minutes", -600, 600, who, number)
        intensive = draws.between("intensive", 250, 850, entity)[owner]
        # The first stay of all but a few: intensive care has something to tell of nearly everyone.
        chance = np.where(number == 0, np.maximum(intensive, 800), intensive)
        icu = np.flatnonzero(draws.chance("icu", chance, who, number))
        icu_in = admitted[icu] + draws.between("icu in", 60, 900, who[icu], number[icu])
        part = draws.between("icu part", 300, 700, who[icu], number[icu])
        return cls(
            entity=entity,
            subject=subject,
            budget=budget,
            age=draws.between("age", 21, 88, entity),
            year=year,
            start=start,
            stays=stays,
            owner=owner,
            number=number,
            admitted=admitted,
            discharged=admitted + length,
            hadm=20_000_000 + _scattered(who * 10 + number),
            icu=icu,
            icu_in=icu_in,
            icu_out=icu_in + length[icu] * part // 1000,
            stay=30_000_000 + _scattered(who[icu] * 10 + number[icu]),
        )

    @property
    def people(self) -> int:
        """How many patients."""
        return len(self.entity)

    def in_hospital(self) -> Axis:
        """The stays; events fall evenly into them."""
        length = self.discharged - self.admitted
        return Axis(self.owner, self.admitted, length, length, self.people)

    def in_intensive_care(self) -> Axis:
        """The same of intensive care; some patients have none."""
        length = self.icu_out - self.icu_in
        return Axis(self.owner[self.icu], self.icu_in, length, length, self.people)

    def whole_time(self, inside: int) -> Axis:
        """All the time a patient is followed; `inside` of a thousand events fall into stays.

        Stretches come in pairs: the time before a stay, then the stay. Odd ones are stays, and
        stretch // 2 is the place of the stay.
        """
        import numpy as np

        before = np.where(self.number == 0, self.start[self.owner], np.roll(self.discharged, 1))
        gap, length = self.admitted - before + 1, self.discharged - self.admitted
        out, within = np.zeros(self.people, np.int64), np.zeros(self.people, np.int64)
        np.add.at(out, self.owner, gap)
        np.add.at(within, self.owner, length)
        heavy = np.maximum(
            length * out[self.owner] * inside // (within[self.owner] * max(1, 1000 - inside)), 1
        )
        light = gap if inside < 1000 else np.ones_like(gap)

        def paired(one: Ints, other: Ints) -> Ints:
            return np.stack([one, other], axis=1).reshape(-1)

        return Axis(
            paired(self.owner, self.owner),
            paired(before, self.admitted),
            paired(gap, length),
            paired(light, heavy),
            self.people,
        )


def _scattered(numbers: Ints) -> Ints:
    return (numbers * 7_368_787 + 1_234_567) % _IDS
