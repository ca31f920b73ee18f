"""Read the twin's words and figures: items as arrays that rows can be looked up in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from databases.patients.twin.draws import Ints


@dataclass(frozen=True)
class Measures:
    """Things that are measured, one per place in the arrays; figures in units of their last digit."""

    itemid: Ints
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    """Fluid of a laboratory item, the short name of another."""
    categories: tuple[str, ...]
    units: tuple[str, ...]
    digits: Ints
    scale: Ints
    low: Ints
    high: Ints
    typical: Ints
    between: Ints
    """Standard deviation between people."""
    noise: Ints
    effects: NDArray[np.int64]
    """By item and course: what full severity adds."""
    panels: Ints
    """Of laboratory items: which are taken together."""


@dataclass(frozen=True)
class Things:
    """Things that are given, done or charted."""

    itemid: Ints
    labels: tuple[str, ...]
    units: tuple[str, ...]
    typical: Ints
    course: Ints
    """The course that it belongs to; -1 = none."""


@dataclass(frozen=True)
class Drugs:
    """Drugs of the hospital's formulary; those that treat a course come last."""

    names: tuple[str, ...]
    strengths: tuple[str, ...]
    forms: tuple[str, ...]
    doses: tuple[str, ...]
    units: tuple[str, ...]
    routes: tuple[str, ...]
    a_day: Ints
    course: Ints

    @property
    def usual(self) -> int:
        """How many treat no course."""
        return int((self.course < 0).sum())

    def treating(self) -> Ints:
        """By course: the place of its drug."""
        import numpy as np

        return np.array([int(np.flatnonzero(self.course == c)[0]) for c in range(len(courses()))])


@cache
def words() -> Mapping[str, Any]:
    """The whole file as it is written."""
    text = resources.files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def courses() -> Sequence[str]:
    """The courses of illness, in the order of every array over them."""
    found: Sequence[str] = words()["courses"]
    return found


def listed(name: str) -> tuple[str, ...]:
    """A list of plain words."""
    return tuple(words()["background"][name])


def coded(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A list of codes and one of what they mean."""
    codes, meanings = zip(*words()["background"][name], strict=True)
    return tuple(map(str, codes)), tuple(meanings)


@cache
def laboratory() -> Measures:
    """What the laboratory measures."""
    rows = words()["lab"]["items"]
    return _measures([(*row[:4], *row[5:]) for row in rows], [row[4] for row in rows])


@cache
def charted(name: str) -> Measures:
    """Vital signs (`vital`) or what leaves the body (`output`)."""
    return _measures(words()[name]["items"], [])


@cache
def things(name: str) -> Things:
    """`input`, `ingredient`, `procedure` or `datetime`."""
    import numpy as np

    itemid, labels, units, typical, course = zip(*words()[name]["items"], strict=True)
    return Things(np.array(itemid), labels, units, np.array(typical), _places(course))


@cache
def drugs() -> Drugs:
    """The formulary."""
    import numpy as np

    columns = list(zip(*words()["drugs"]["items"], strict=True))
    names, strengths, forms, doses, units, routes, a_day, course = columns
    shown = tuple(str(dose) for dose in doses)
    return Drugs(names, strengths, forms, shown, units, routes, np.array(a_day), _places(course))


def _measures(rows: Sequence[Sequence[Any]], panels: Sequence[int]) -> Measures:
    import numpy as np

    columns = list(zip(*rows, strict=True))
    itemid, labels, kinds, categories, units, digits, *figures, effects = columns
    scale = np.array([10**d for d in digits], np.int64)

    def whole(values: Sequence[float]) -> Ints:
        return np.array([round(v * int(s)) for v, s in zip(values, scale, strict=True)], np.int64)

    low, high, typical, between, noise = map(whole, figures)
    moved = [whole([effect.get(course, 0) for effect in effects]) for course in courses()]
    return Measures(
        itemid=np.array(itemid),
        labels=labels,
        kinds=kinds,
        categories=categories,
        units=units,
        digits=np.array(digits),
        scale=scale,
        low=low,
        high=high,
        typical=typical,
        between=np.maximum(between, 1),
        noise=np.maximum(noise, 1),
        effects=np.stack(moved, axis=1),
        panels=np.array(panels, np.int64),
    )


def _places(named: Sequence[str]) -> Ints:
    import numpy as np

    known = list(courses())
    return np.array([known.index(name) if name else -1 for name in named], np.int64)
