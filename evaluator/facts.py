"""Compile an item's signals once into what a clause is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from core.checklist import Magnitude, Signals, Slot
from evaluator.aliases import Alias, compile_alias
from evaluator.reading.figures import canonical
from evaluator.reading.periods import Period


@dataclass(frozen=True, slots=True)
class Fact:
    """Signals, compiled."""

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

    @property
    def magnitude(self) -> Magnitude | None:
        """The figure that a claim must state, if there is one."""
        return self.signals.magnitude

    @property
    def is_of_table(self) -> bool:
        """Whether its metric is a table's rows, not a column's values."""
        return any(text.startswith("@") and "." not in text for text in self.signals.metric)

    @property
    def has_period(self) -> bool:
        """Whether it is about a named stretch of time."""
        return bool(self.periods or self.period_phrases)


@lru_cache(maxsize=4096)
def compile_fact(signals: Signals) -> Fact:
    """The compiled form of an item's signals.

    Where no slot is required, each slot that the signals have is: a clause that merely names
    the metric proves nothing.
    """
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
    return Fact(
        signals,
        metric,
        scopes,
        tuple(calendar),
        tuple(phrases),
        frozenset(signals.required) or _slots(signals),
        _units(signals, metric),
        frozenset(neutral),
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
