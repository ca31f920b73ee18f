"""The hidden state: when each course of illness begins, how severe it is, and how it answers to its drug.

A course is a level from 0 to 1000 over time, which moves every value that the vocabulary gives it an
effect on. Chronic courses (diabetes, anaemia, heart failure) are there from the start, grow, and fall
once their drug is given: at a stay in the first half of the time. Acute ones (kidney injury, infection)
come in some stays: they rise after admission, are treated at their height, and have fallen at discharge.
All of it is piecewise linear in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from databases.patients.twin import vocabulary
from databases.patients.twin.people import DAY, SPAN, Block

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from databases.patients.twin.draws import Draws, Ints

CHRONIC_FALL = 240 * DAY
"""How long a chronic course takes to answer."""


@dataclass(frozen=True)
class State:
    """The courses of a block of patients. Arrays by patient (or stay) and course."""

    block: Block
    intensity: int
    """1000 = as the vocabulary has it; 0 = nobody is ill, and nobody has habits."""
    severity: NDArray[np.int64]
    """By patient and course, 0 to 1000."""
    residual: NDArray[np.int64]
    """What is left of it under treatment, of a thousand."""
    treated: NDArray[np.int64]
    """By patient and course: minute at which a chronic course is first treated."""
    episodes: NDArray[np.bool_]
    """By stay and course: whether an acute course runs in it."""
    chronic: NDArray[np.bool_]
    """By course."""

    @classmethod
    def drawn(cls, draws: Draws, block: Block, intensity: int) -> State:
        """The state of every patient of a block, from the seed alone."""
        import numpy as np

        names = vocabulary.courses()
        chronic = np.array([name in vocabulary.words()["chronic"] for name in names])
        course = np.arange(len(names))
        who = block.entity[:, None]
        main = draws.below("main course", len(names), block.entity)
        has = (course == main[:, None]) | draws.chance("course", 300, who, course)
        severity = draws.between("severity", 450, 1000, who, course) * intensity // 1000
        halfway = np.maximum(block.stays // 2, 1)
        first = draws.below("treated at", halfway, block.entity)
        starts = np.cumsum(block.stays) - block.stays
        begun = block.admitted[starts + first] + 6 * 60
        stay_who, number = block.entity[block.owner][:, None], block.number[:, None]
        severe = np.where(has, severity, 0)
        runs = draws.chance("episode", 550, stay_who, number, course) | (number == 0)
        return cls(
            block=block,
            intensity=intensity,
            severity=severe,
            residual=draws.between("residual", 80, 350, who, course),
            treated=np.repeat(begun[:, None], len(names), axis=1),
            episodes=runs & ~chronic & (severe[block.owner] > 0),
            chronic=chronic,
        )

    def levels(self, owner: Ints, time: Ints, stay: Ints) -> NDArray[np.int64]:
        """Levels by moment and course. `stay` is the place of the stay it falls into; -1 = none."""
        import numpy as np

        found = np.zeros((len(owner), len(self.chronic)), np.int64)
        for course, is_chronic in enumerate(self.chronic):
            severity = self.severity[owner, course]
            if is_chronic:
                found[:, course] = self._chronic(course, owner, time, severity)
            else:
                found[:, course] = self._acute(course, time, stay, severity)
        return found

    def under_treatment(self, owner: Ints, time: Ints, stay: Ints) -> NDArray[np.bool_]:
        """By moment and course: whether its drug is given."""
        import numpy as np

        found = np.zeros((len(owner), len(self.chronic)), bool)
        for course, is_chronic in enumerate(self.chronic):
            if is_chronic:
                begun = time >= self.treated[owner, course]
                found[:, course] = begun & (self.severity[owner, course] > 0)
            else:
                share = self._share_of_stay(time, stay)
                found[:, course] = self.episodes[stay, course] & (stay >= 0) & (share >= 300)
        return found

    def in_stay(self) -> NDArray[np.bool_]:
        """By stay and course: whether it is there, and would be coded."""
        import numpy as np

        ill = self.severity[self.block.owner] > 0
        return np.where(self.chronic, ill, self.episodes)

    def _chronic(self, course: int, owner: Ints, time: Ints, severity: Ints) -> Ints:
        import numpy as np

        treated = self.treated[owner, course]
        # Three quarters at the start, all of it when treatment begins.
        grown = np.minimum(750 + 250 * (time - self.block.start[owner]) // (SPAN // 2), 1000)
        fallen = np.clip((time - treated) * 1000 // CHRONIC_FALL, 0, 1000)
        left = 1000 - fallen * (1000 - self.residual[owner, course]) // 1000
        level: Ints = severity * grown // 1000 * left // 1000
        return level

    def _acute(self, course: int, time: Ints, stay: Ints, severity: Ints) -> Ints:
        import numpy as np

        share = self._share_of_stay(time, stay)
        rise = np.minimum(share * 1000 // 300, 1000)
        fall = np.clip((share - 300) * 1000 // 600, 0, 1000)
        level = severity * np.minimum(rise, 1000 - fall * 95 // 100) // 1000
        return np.where((stay >= 0) & self.episodes[stay, course], level, 0)

    def _share_of_stay(self, time: Ints, stay: Ints) -> Ints:
        """How much of the stay is over, of a thousand."""
        begun, ended = self.block.admitted[stay], self.block.discharged[stay]
        share: Ints = (time - begun) * 1000 // (ended - begun)
        return share

    def habit(self, draws: Draws, name: str, options: int, *place: Ints) -> Ints:
        """One of so many options: mostly what the patient is used to, else any.

        `place` begins with the patient's place among all; without intensity there are no habits.
        """
        import numpy as np

        used_to = draws.below(f"{name}: habit", options, place[0])
        first = draws.below(f"{name}: drawn", options, *place)
        second = draws.below(f"{name}: again", options, *place)
        near = (used_to + np.minimum(first, second)) % options
        return np.where(
            draws.chance(f"{name}: kept", self.intensity * 8 // 10, *place), near, first
        )


def measured(
    draws: Draws,
    items: vocabulary.Measures,
    state: State,
    levels: NDArray[np.int64],
    *,
    name: str,
    who: Ints,
    item: Ints,
    place: Ints,
) -> Ints:
    """Values in units of their last digit: what is typical, the person, the courses, and noise."""
    import numpy as np

    personal = draws.noise(f"{name}: person", items.between[item], who, item)
    value = items.typical[item] + personal * state.intensity // 1000
    for course in range(levels.shape[1]):
        value = value + items.effects[item, course] * levels[:, course] // 1000
    value = value + draws.noise(f"{name}: noise", items.noise[item], who, place)
    found: Ints = np.maximum(value, 0)
    return found
