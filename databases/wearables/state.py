"""The hidden state behind a twin: what people are like, and how low their mood is from day to day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from databases.draws import Draws, Whole

    Mask = NDArray[np.bool_]

FULL: Final = 1000
"""The mood of the deepest low; 0 is none."""
_COURSES: Final = (30, 55, 75, 100)
"""Of a hundred people: so many go down and stay, dip and recover, come out of a low, stay as they are."""
PLACE: Final = 1 << 20
"""Days that a person's places may number."""


def bell(draws: Draws, name: str, at: Whole) -> Whole:
    """Draws near a normal one of mean 0, in 1/1024 of a standard deviation; none beyond three."""
    drawn = draws.whole(name, at, 1 << 30)
    lanes = (drawn & 1023) + ((drawn >> 10) & 1023) + (drawn >> 20)
    drawn_about: Whole = 2 * lanes - 3069
    return drawn_about


def around(draws: Draws, name: str, at: Whole, mean: int, sd: int) -> Whole:
    """Whole numbers about a mean."""
    return mean + sd * bell(draws, name, at) // 1024


@dataclass(frozen=True)
class People:
    """What every one of some people is like, and always stays; one number a person each."""

    draws: Draws
    who: Whole
    """Their numbers, counted over the whole study."""

    def between(self, name: str, least: int, most: int) -> Whole:
        """A trait between two bounds, evenly."""
        return self.draws.between(f"trait {name}", self.who, least, most)

    def around(self, name: str, mean: int, sd: int) -> Whole:
        """A trait about a mean: most people are much alike, four of ten are far off."""
        near = around(self.draws, f"trait {name}", self.who, mean, sd // 4)
        far = self.draws.between(f"trait {name} far", self.who, sd * 3 // 2, sd * 5 // 2)
        side = self.between(f"{name} side", 0, 19)
        return near + far * (side < 4) - far * (side > 15)

    def apart(self, name: str, mean: int, sd: int) -> Whole:
        """A trait in which most people are clearly below or above the mean, few near it."""
        lot = self.between(f"{name} side", 0, 24)
        side = np.select([lot < 3, lot < 14], [0, -1], 1)
        off: Whole = side * self.between(f"{name} off", sd, sd * 8 // 5)
        return mean + off

    def low(self, day: Whole, days: int) -> Whole:
        """How low everybody's mood is on some day of `days`, 0 to FULL: people x days."""
        course = np.searchsorted(_COURSES, self.between("course", 0, 99), side="right")
        turn = days * self.between("turn", 350, 600) // 1000
        back = turn + days * self.between("length", 250, 350) // 1000
        never = np.int64(PLACE)
        rise = np.select([course == 0, course == 1], [turn, days // 4 + turn // 8], never)
        fall = np.select([course == 1, course == 2], [back, turn], never)
        rise = np.where(course == 2, -never, rise)
        ramp = max(1, days // 10)
        up, down = (
            np.clip((day[None, :] - edge[:, None]) * FULL // ramp, 0, FULL) for edge in (rise, fall)
        )
        depth = self.between("depth", 600, FULL)
        low: Whole = (up - down) * depth[:, None] // FULL
        return low


@dataclass(frozen=True)
class Days:
    """Person by person, day by day: one row for each, and what is drawn for it."""

    people: People
    person: Whole
    """Each row's place among the people."""
    day: Whole
    """Days since the study began, on a Monday."""
    low: Whole
    """How far habits are shifted on that day, 0 to FULL."""

    @property
    def at(self) -> Whole:
        """The place of each row in a stream of draws."""
        return self.people.who[self.person] * PLACE + self.day

    @property
    def weekend(self) -> Mask:
        """Whether it is a Saturday or Sunday."""
        return (self.day % 7) >= 5

    def trait(self, name: str, least: int, most: int) -> Whole:
        """A trait between two bounds, of each row's person."""
        return self.people.between(name, least, most)[self.person]

    def typical(self, name: str, mean: int, sd: int) -> Whole:
        """A trait about a mean, of each row's person."""
        return self.people.around(name, mean, sd)[self.person]

    def apart(self, name: str, mean: int, sd: int) -> Whole:
        """A trait in which people differ clearly, of each row's person."""
        return self.people.apart(name, mean, sd)[self.person]

    def between(self, name: str, least: int, most: int) -> Whole:
        """A number between two bounds for each row."""
        return self.people.draws.between(name, self.at, least, most)

    def noise(self, name: str, sd: int) -> Whole:
        """A number about 0 for each row."""
        return around(self.people.draws, name, self.at, 0, sd)

    def outgoing(self, name: str, most: int) -> Whole:
        """What a day out and about adds, by person: up to `most` for one standard deviation."""
        out = bell(self.people.draws, "out", self.at)
        return out * self.trait(f"coupling of {name}", 0, most) // 1024

    def shift(self, name: str, least: int, most: int) -> Whole:
        """What the mood adds on each row: between the bounds, by person, in the deepest low."""
        return self.trait(f"shift of {name}", least, most) * self.low // FULL

    def scaled(self, name: str, value: Whole, least: int, most: int) -> Whole:
        """A value changed by the mood: by `least` to `most` thousandths, by person, in the deepest low."""
        return value * (1000 + self.shift(name, least, most)) // 1000

    def sensed(self, name: str, least: int, most: int) -> Mask:
        """Whether the device told anything that day: on `least` to `most` days of a thousand, by person."""
        return self.between(f"{name} sensed", 0, 999) < self.trait(f"{name} worn", least, most)

    @property
    def trip(self) -> Mask:
        """The one day of each ten weeks on which a person goes far."""
        far: Mask = self.day % 70 == self.trait("trip", 5, 64)
        return far
