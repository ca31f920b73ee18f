"""Render known facts of made-up domains as an analyst would, and spoil one slot of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from core.checklist import Magnitude, Signals
from core.scenario import Entity
from tests.evaluator.records import entity

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


@dataclass(frozen=True)
class World:
    """What one domain calls its entities and columns."""

    noun: str
    entities: tuple[Entity, ...]
    metrics: tuple[tuple[str, str, str], ...]
    """(reference, words, unit) of each column."""
    places: tuple[str, str, tuple[str, ...]]
    """(reference, words, values) of a column of categories."""


def _entities(noun: str, ids: str) -> tuple[Entity, ...]:
    return tuple(entity(each) for each in ids.split())


WORLDS = (
    World(
        "carrier",
        tuple(entity(f"{n:02}", name) for n, name in enumerate(("Heron", "Kestrel", "Osprey"), 3)),
        (
            ("@flights.departure_delay_min", "departure delay", "min"),
            ("@flights.distance_mi", "distance", "mi"),
            ("@aircraft.seat_count", "seat count", ""),
        ),
        ("@flights.destination_id", "destination", ("A017", "A044", "B1290")),
    ),
    World(
        "patient",
        _entities("patient", "10004235 10019003 10023771"),
        (
            ("@labs.glucose_level", "glucose level", ""),
            ("@stays.length_of_stay_days", "length of stay", "days"),
            ("@vitals.heart_rate", "heart rate", ""),
        ),
        ("@stays.ward_id", "ward", ("W7", "ICU2", "N31")),
    ),
    World(
        "zorp",
        _entities("zorp", "mivax toluq berenq"),
        (("@kavo.rilmet", "rilmet", ""), ("@kavo.suvo_min", "suvo", "min")),
        ("@kavo.tadiq", "tadiq", ("x9k2", "q77z", "b3b")),
    ),
)

UNIT_WORDS = {"min": " minutes", "mi": " miles", "days": " days", "": ""}


@dataclass(frozen=True)
class Known:
    """A fact with all that its sentences need."""

    world: World
    own: Entity
    metric: tuple[str, str, str]
    kind: str
    value: float
    rest: float
    month: int
    place: str

    @property
    def others(self) -> list[Entity]:
        """Every other entity of its world."""
        return [each for each in self.world.entities if each.id != self.own.id]

    @property
    def signals(self) -> Signals:
        """What the checklist would say of it."""
        reference, _, unit = self.metric
        where, _, _ = self.world.places
        base: dict[str, Any] = {"metric": (reference,), "kind": "level", "statistic": "mean"}
        magnitude = Magnitude(value=self.value, unit=unit)
        if self.kind == "mean":
            return Signals.model_validate(
                {**base, "magnitude": magnitude, "required": ("magnitude",)}
            )
        if self.kind == "month":
            month = f"{MONTHS[self.month]} 2019"
            slots: dict[str, Any] = {"period": (month,), "required": ("magnitude", "period")}
            return Signals.model_validate({**base, **slots, "magnitude": magnitude})
        if self.kind == "place":
            slots = {"scope": ((f"{where} {self.place}",),), "required": ("magnitude", "scope")}
            return Signals.model_validate({**base, **slots, "magnitude": magnitude})
        share = {"metric": (where,), "kind": "share", "statistic": "share"}
        slots = {"scope": ((self.place,),), "required": ("magnitude", "scope")}
        return Signals.model_validate(
            {**share, **slots, "magnitude": Magnitude(value=self.value, unit="%")}
        )


TEMPLATES = {
    "mean": (
        "{E}'s mean {m} is {v}.",
        "For {e} the mean of {m} is {v}, against {w} for the rest.",
        "The average {m} of {e} is {v}{u}.",
        "{E} has a mean {m} of {v}{u}, compared with {w} elsewhere.",
        "Compared with {w} for others, {e}'s average {m} is {v}{u}.",
        "{M}: {e} averages {v}{u} (others: {w}).",
        "**{E}** stands out. Its average {m} is about {v}{u}.",
        "With a mean {m} of {v}{u}, {e} is unlike its peers ({w}).",
        "| Measure | {E} | Others |\n|---|---|---|\n| mean {m} | {v} | {w} |",
    ),
    "month": (
        "{E}'s mean {m} is highest in {month} 2019 ({v}) and lowest in {other} 2019 ({w}).",
        "In {month} 2019 {e}'s mean {m} was {v}{u}.",
        "{E}'s average {m} peaked in {month} 2019 at {v}{u}.",
        "The mean {m} of {e} was {v}{u} in {month} 2019, after {w}{u} in {other} 2019.",
        "For {e} the mean {m} ranges from {w} ({other} 2019) to {v} ({month} 2019).",
    ),
    "place": (
        "{E}'s mean {m} is highest at {p} {value} ({v}) and lowest at {p} {rival} ({w}).",
        "At {p} {value} {e}'s mean {m} is {v}{u}.",
        "The average {m} of {e} is {v}{u} at {p} {value}, against {w} otherwise.",
        "For {e}, where {p} is {value}, the mean {m} is {v}{u}, against {w} otherwise.",
    ),
    "share": (
        "The most frequent {p} of {e} is {value}, with {v}% of its rows.",
        "{P} {value} makes up {v}% of {e}'s rows, against {w}% for the rest.",
        "Of {e}'s rows {v}% have {p} {value}, against {w}% for the rest.",
        "{E}'s top {p} is {value} ({v}%), followed by {rival} ({w}%).",
    ),
}

SPOILERS = ("figure", "entity", "denial", "hedge", "statistic", "period", "place", "swap")


def draw(random_: random.Random) -> Known:
    """A fact; the rest differ from it by more than any tolerance."""
    world = random_.choice(WORLDS)
    kind = random_.choice(tuple(TEMPLATES))
    value = round(random_.uniform(3, 97), 1)
    rest = round(value * random_.choice((0.4, 0.6, 1.5, 2.2)), 1)
    if kind == "share":
        rest = round(value * random_.choice((0.2, 0.4, 0.6)), 1)
    return Known(
        world=world,
        own=random_.choice(world.entities),
        metric=random_.choice(world.metrics),
        kind=kind,
        value=value,
        rest=rest,
        month=random_.randrange(12),
        place=random_.choice(world.places[2]),
    )


def fill(template: str, known: Known) -> str:
    """One template with the fact's words in it."""
    name = f"{known.world.noun} {known.own.id}"
    _, words, unit = known.metric
    place = known.world.places[1]
    rival = next(each for each in known.world.places[2] if each != known.place)
    return template.format(
        E=name[0].upper() + name[1:],
        e=name,
        m=words,
        M=words[0].upper() + words[1:],
        v=known.value,
        w=known.rest,
        u=UNIT_WORDS[unit],
        month=MONTHS[known.month],
        other=MONTHS[(known.month + 5) % 12],
        p=place,
        P=place[0].upper() + place[1:],
        value=known.place,
        rival=rival,
    )


def spoiled(known: Known, template: str, how: str) -> str | None:
    """The sentence with one slot made wrong; None where it has no such slot."""
    if how == "figure":
        return fill(template, replace(known, value=round(known.value * 1.37, 1)))
    if how == "entity":
        return fill(template, replace(known, own=known.others[0]))
    if how in ("hedge", "denial"):
        opening = "Perhaps " if how == "hedge" else "It is not true that "
        one_sentence = "|" not in template and "**" not in template
        return opening + fill(template, known) if one_sentence else None
    if how == "statistic" and known.kind != "share":
        text = fill(template, known)
        return (
            text.replace("mean", "median")
            .replace("average ", "median ")
            .replace("averages", "has a median of")
        )
    if how == "period" and known.kind == "month":
        return fill(template, replace(known, month=(known.month + 2) % 12))
    if how == "place" and known.kind in ("place", "share"):
        values = known.world.places[2]
        return fill(template, replace(known, place=values[values.index(known.place) - 1]))
    if how == "swap":
        return fill(template, replace(known, value=known.rest, rest=known.value))
    return None
