"""Read a fact's own answer: its words, the figures of its conditions, and what the others have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from evaluator.reading.clauses import clauses
from evaluator.reading.comparisons import comparison_spans
from evaluator.reading.figures import figures
from evaluator.reading.folding import fold
from evaluator.reading.forms import Form
from evaluator.reading.lexicon import Sense, words
from evaluator.reading.periods import periods
from evaluator.reading.roles import roles

_CROWNS = words(
    "highest largest greatest biggest longest heaviest peak peaks peaked peaking maximum max "
    "lowest smallest shortest fewest lightest minimum trough troughs bottoms bottomed"
)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What an answer says beside its figure."""

    things: frozenset[str]
    """Stems of its words that are not those of any prose."""
    numbers: frozenset[float]
    """Figures that it sets as conditions: 'only routes with at least 100 departures'."""
    rest: float | None
    """The figure that it sets against its own: 'against 12.6 minutes over all carriers'."""
    extreme: Sense | None
    """Which extreme it crowns ('is highest in July'); None where none or both."""
    statistics: frozenset[str]
    """Which statistics it names."""


@lru_cache(maxsize=8192)
def spoken(answer: str) -> Spoken:
    """Read an answer; an empty one says nothing."""
    things: set[str] = set()
    numbers: set[float] = set()
    rest: float | None = None
    extremes: set[Sense] = set()
    statistics: set[str] = set()
    for clause in clauses(fold(answer)):
        named = periods(clause.forms)
        taken = {i for p in named if p.grain != "year" for i in range(p.first, p.last + 1)}
        found = figures(clause, taken)
        masked = {
            i
            for first, last in comparison_spans(clause.forms, [], found)
            for i in range(first, last + 1)
        }
        extremes.update(form.cue[0] for form in clause.forms if form.cue and is_crown(form))
        statistics.update(form.statistic for form in clause.forms if form.statistic)
        things.update(form.stem for form in clause.forms if form.sway == "thing" and not form.code)
        numbers.update(r.figure.value for r in roles(clause.forms, found) if r.role == "threshold")
        beside = [figure for figure in found if figure.place in masked]
        if rest is None and beside:
            rest = beside[0].value
    extreme = extremes.pop() if len(extremes) == 1 else None
    return Spoken(frozenset(things), frozenset(numbers), rest, extreme, frozenset(statistics))


def is_crown(form: Form) -> bool:
    """Whether a word says plainly which extreme it means: not 'most punctual', 'best', 'top'."""
    return form.cue is not None and form.text in _CROWNS
