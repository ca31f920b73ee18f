"""Tell differences from levels, and read the change that two levels imply."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.facts import Fact
from evaluator.gate import About
from evaluator.reading.figures import Figure
from evaluator.reading.periods import Period
from evaluator.reading.statements import Statement

_DIFFERENCES = frozenset(
    {"difference", "gap", "change", "increase", "decrease", "rise", "drop", "shift", "swing"}
)
_MORE_OR_LESS = frozenset({"above", "below", "later", "earlier", "worse", "better", "more", "less"})
_LINKING = frozenset({"is", "are", "was", "were", "has", "have", "which", "that"})
_MOVES = frozenset({"comparative", "trend"})
_NEAR = 3


def is_difference(about: About, figure: Figure) -> bool:
    """'8.1 minutes higher', 'rose by 12 %', 'a gap of 8.1': how much more, not how much."""
    forms = about.forms
    for form in forms[figure.last + 1 : figure.last + 1 + _NEAR]:
        if form.kind != "word" or form.text in _LINKING:
            break
        if form.text in _MORE_OR_LESS or (form.cue is not None and form.cue[1] == "comparative"):
            return not figure.early
        if not form.plain:
            break
    before = forms[max(0, figure.first - 5) : figure.first]
    last = before[-1].text if before else ""
    if last == "by":
        return any(form.cue is not None and form.cue[1] in _MOVES for form in before)
    return forms[figure.first].text == "+" or (
        last != "to" and any(form.text in _DIFFERENCES for form in before[-_NEAR:])
    )


@dataclass(frozen=True, slots=True)
class Change:
    """A change that two levels imply: one subtraction."""

    value: float
    step: float
    """The sum of what the two were printed to."""
    place: int
    """Of the figure that is set against the statement's own."""


def implied_change(fact: Fact, about: About) -> Change | None:
    """'3.7, against 5.0 otherwise' is -1.3; '12.6 in the first half and 11.6 in the second', -1.0.

    Over time both levels must name their periods, and the later one is the statement's own.
    """
    figure = about.figure
    if figure is None:
        return None
    other = compared_figure(about, figure)
    if fact.signals.comparator == "time":
        other = _earlier_figure(about)
    if other is None or not {figure.unit, other.unit} <= fact.units:
        return None
    return Change(figure.value - other.value, figure.step + other.step, other.place)


def _earlier_figure(about: About) -> Figure | None:
    """The figure of the clause's only other statement, if its period comes before this one's."""
    stated = [s for s in about.annotated.statements if s.figure is not None and s.role == "plain"]
    others = [s for s in stated if s.figure != about.figure]
    if len(others) != 1 or len(stated) != 2:
        return None
    here = _only_period(about, about.statement)
    there = _only_period(about, others[0])
    if here is None or there is None or here.grain != there.grain:
        return None
    earlier = [value for value in there.value if value is not None]
    later = [value for value in here.value if value is not None]
    return others[0].figure if len(earlier) == len(later) and earlier < later else None


def _only_period(about: About, statement: Statement) -> Period | None:
    found = [p for p in about.annotated.periods if statement.first <= p.first <= statement.last]
    return found[0] if len(found) == 1 else None


def compared_figure(about: About, figure: Figure) -> Figure | None:
    """The figure that the clause sets against this one, in the same unit: 'against 11.9'."""
    for other in about.annotated.figures:
        if other.place in about.annotated.masked and other.place > figure.place:
            same = other.unit == figure.unit or not other.unit or not figure.unit
            return other if same else None
    return None
