"""Compile an item's signals once into what a clause is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.checklist import Magnitude, Signals, Slot
from evaluator.aliases import Alias, compile_alias
from evaluator.reading.answers import spoken
from evaluator.reading.figures import canonical
from evaluator.reading.lexicon import Sense
from evaluator.reading.periods import Period

_REMEMBERED = 4096
"""Facts that are kept compiled."""


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """Signals, compiled; one object for equal signals, so that it is known by itself."""

    signals: Signals
    metric: tuple[Alias, ...]
    scopes: tuple[tuple[Alias, ...], ...]
    periods: tuple[Period, ...]
    period_phrases: tuple[Alias, ...]
    """Aliases of the period that name no calendar period ('the holiday week')."""
    required: frozenset[Slot]
    units: frozenset[str]
    """Units that its figure may be printed with; '' stands for none."""
    neutral: frozenset[str]
    """Stems that belong to the fact and so narrow nothing."""
    bounds: frozenset[float]
    """Figures of its conditions ('at least 100 departures'), which narrow nothing either."""
    rest: float | None
    """What the others have, where its answer says so; in the unit of its magnitude."""
    extreme: Sense | None
    """Which extreme its answer crowns: 'is highest in July'."""
    named: frozenset[str]
    """The statistics that its answer names."""

    magnitude: Magnitude | None
    """The figure that a claim must state, if there is one."""
    is_of_table: bool
    """Whether its metric is a table's rows, not a column's values."""
    has_period: bool
    """Whether it is about a named stretch of time."""
    averaged: bool
    """Whether it is a mean or a median."""


_SEEN: dict[int, tuple[Signals, str, Fact]] = {}
"""Per identity of signals: these, so that it stays theirs, with the answer and the fact. A trainer
asks for the same items in every episode, and to hash signals takes as long as to read a clause."""


def compile_fact(signals: Signals, answer: str = "") -> Fact:
    """The compiled form of an item's signals and of its answer in words.

    Where no slot is required, each slot that the signals have is: a clause that merely names
    the metric proves nothing.
    """
    seen = _SEEN.get(id(signals))
    if seen is not None and seen[0] is signals and seen[1] == answer:
        return seen[2]
    fact = _compiled(signals, answer)
    if len(_SEEN) >= _REMEMBERED:
        _SEEN.clear()
    _SEEN[id(signals)] = (signals, answer, fact)
    return fact


@lru_cache(maxsize=_REMEMBERED)
def _compiled(signals: Signals, answer: str) -> Fact:
    metric = tuple(compile_alias(text) for text in signals.metric)
    scopes = tuple(tuple(compile_alias(text) for text in group) for group in signals.scope)
    calendar: list[Period] = []
    phrases: list[Alias] = []
    for text in signals.period:
        alias = compile_alias(text)
        if alias.period is not None:
            calendar.append(alias.period)
        else:
            phrases.append(alias)
    aliases = [*metric, *(alias for group in scopes for alias in group), *phrases]
    parts = [part for alias in aliases for part in alias.parts]
    neutral = {stem for part in parts for stem in (*part.words, *part.optional)}
    neutral |= {table for alias in aliases for table in alias.tables}
    told = spoken(answer)
    neutral |= told.things
    return Fact(
        signals,
        metric,
        scopes,
        tuple(calendar),
        tuple(phrases),
        frozenset(signals.required) or _slots(signals),
        _units(signals, metric),
        frozenset(neutral),
        told.numbers | {float(p.words[0]) for p in parts if p.literal and p.words[0].isdigit()},
        told.rest if signals.magnitude is not None else None,
        told.extreme,
        told.statistics,
        signals.magnitude,
        any(text.startswith("@") and "." not in text for text in signals.metric),
        bool(signals.period),
        signals.statistic in ("mean", "median"),
    )


def _slots(signals: Signals) -> frozenset[Slot]:
    slots: set[Slot] = set()
    if signals.direction is not None:
        slots.add("direction")
    if signals.magnitude is not None:
        slots.add("magnitude")
    if signals.period:
        slots.add("period")
    if signals.scope:
        slots.add("scope")
    return frozenset(slots)


def _units(signals: Signals, metric: tuple[Alias, ...]) -> frozenset[str]:
    if signals.magnitude is None:
        return frozenset({""})
    unit = canonical(signals.magnitude.unit)
    units = {unit, ""}
    if not unit and signals.statistic not in ("count", "distinct", "share", "rank"):
        units |= {canonical(ending) for alias in metric for ending in alias.units}
    return frozenset(units)
