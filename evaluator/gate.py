"""Decide which statements of a clause are about a fact: its metric, its scopes, its entity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluator.aliases import Alias, Span, find
from evaluator.facts import Fact
from evaluator.narrowing import Narrowing, narrowing
from evaluator.reading import lexicon
from evaluator.reading.figures import Figure
from evaluator.reading.periods import Period
from evaluator.reading.statements import Annotated, Statement


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a clause names the parts of a fact."""

    metric: tuple[Span, ...]
    scopes: tuple[tuple[Span, ...], ...]
    phrases: tuple[Span, ...]
    """Where its period is named in words that are no calendar period."""
    covered: frozenset[int]
    """Places of all these words: they belong to the fact and say nothing else."""


@dataclass(frozen=True, slots=True)
class About:
    """A statement that is about the fact, with what the slots are read from."""

    statement: Statement
    figure: Figure | None
    """None where it states no figure of its own."""
    region: frozenset[int]
    """The places that speak of it: its own stretch, leading adjuncts, what it takes over."""
    metric: Span
    head: bool
    """Whether the metric stands in its own stretch; else it is taken over from before."""
    periods: tuple[Period, ...]
    narrowing: Narrowing
    sighting: Sighting


@dataclass(frozen=True, slots=True)
class _Place:
    statement: Statement
    region: frozenset[int]


def sight(fact: Fact, annotated: Annotated) -> Sighting | None:
    """The parts of a fact in a clause; None where the metric or a scope is missing."""
    metric = _spans(fact.metric, annotated)
    if not metric:
        return None
    scopes = tuple(_spans(group, annotated) for group in fact.scopes)
    if not all(scopes):
        return None
    phrases = _spans(fact.period_phrases, annotated)
    every = [*metric, *(span for group in scopes for span in group), *phrases]
    covered = frozenset(place for span in every for place in span.places)
    return Sighting(metric, scopes, phrases, covered)


def _spans(aliases: Sequence[Alias], annotated: Annotated) -> tuple[Span, ...]:
    forms, places = annotated.clause.forms, annotated.places
    return tuple(
        span
        for alias in aliases
        for span in find(alias, forms, places, annotated.periods)
        if span.anchor not in annotated.masked
    )


def statements_about(fact: Fact, annotated: Annotated) -> Iterator[About]:
    """The statements of a clause that passed the gate (EVALUATION 5.2)."""
    sighting = sight(fact, annotated)
    if sighting is None or not _compares(fact, annotated):
        return
    before: frozenset[int] = frozenset()
    lead = frozenset(i for i in range(annotated.lead) if i not in annotated.masked)
    for statement in annotated.statements:
        zone = frozenset(
            i for i in range(statement.first, statement.last + 1) if i not in annotated.masked
        )
        narrowed = narrowing(fact, annotated, statement, zone, sighting.covered)
        periods = _periods_in(annotated, zone)
        own = [*sighting.metric, *(span for group in sighting.scopes for span in group)]
        speaks = periods or narrowed.foreign or any(span.anchor in zone for span in own)
        takes_over = not speaks and not narrowed.restricted
        region = zone | lead | (before if takes_over else frozenset())
        before = region
        if _is_narrowed_by_time(fact, annotated, region, sighting):
            continue
        about = _about(annotated, _Place(statement, region), narrowed, sighting)
        if about is not None:
            yield about


def _about(
    annotated: Annotated, place: _Place, narrowed: Narrowing, sighting: Sighting
) -> About | None:
    statement, region = place.statement, place.region
    if statement.owner != "own" or narrowed.restricted:
        return None
    if any(all(span.anchor not in region for span in group) for group in sighting.scopes):
        return None
    figure = statement.figure
    if figure is not None and figure.place in sighting.covered:
        figure = None
    metric, head = _metric(place, sighting, plain=not narrowed.foreign)
    if metric is None or (figure is not None and _rival(annotated, metric, figure, sighting)):
        return None
    periods = _periods_in(annotated, region)
    return About(statement, figure, region, metric, head, periods, narrowed, sighting)


def _metric(place: _Place, sighting: Sighting, *, plain: bool) -> tuple[Span | None, bool]:
    """The metric that a statement speaks of: its own, or that of the words before it."""
    statement = place.statement
    figure = statement.figure.place if statement.figure is not None else statement.first
    own = [span for span in sighting.metric if span.anchor in place.region]
    if own:
        return min(own, key=lambda span: _distance(span, figure)), True
    earlier = [span for span in sighting.metric if span.last < statement.first]
    if earlier and plain:
        return max(earlier, key=lambda span: span.last), False
    return None, False


def _distance(span: Span, place: int) -> int:
    return min(abs(span.first - place), abs(span.last - place))


def _rival(annotated: Annotated, metric: Span, figure: Figure, sighting: Sighting) -> bool:
    """Whether a sister of the metric stands between it and the figure: arrival for departure.

    A sister shares a word with the metric but is not it: 'departure delay is high, arrival
    delay averages 20.0'.
    """
    forms = annotated.clause.forms
    heads = {forms[place].stem for place in metric.places if forms[place].kind == "word"}
    low, high = sorted((metric.last if metric.last < figure.place else metric.first, figure.place))
    for i in range(low + 1, high):
        form = forms[i]
        if form.stem in heads and i not in sighting.covered and i not in annotated.masked:
            modifier = forms[i - 1]
            if modifier.kind == "word" and not modifier.plain and modifier.stem not in heads:
                return True
    return False


def _is_narrowed_by_time(
    fact: Fact, annotated: Annotated, region: frozenset[int], sighting: Sighting
) -> bool:
    """Whether a period narrows the statement that the fact does not know, or knows otherwise."""
    named = _periods_in(annotated, region)
    free = [
        period
        for period in named
        if period.grain != "year"
        and not any(i in sighting.covered for i in range(period.first, period.last + 1))
    ]
    if not fact.has_period:
        return bool(free)
    return (
        any(not any(period.grain == wanted.grain for wanted in fact.periods) for period in free)
        and not sighting.phrases
    )


def _periods_in(annotated: Annotated, region: frozenset[int]) -> tuple[Period, ...]:
    return tuple(p for p in annotated.periods if p.first in region or p.last in region)


def _compares(fact: Fact, annotated: Annotated) -> bool:
    """Whether the clause compares as the fact does; see Signals.comparator."""
    comparator = fact.signals.comparator
    if comparator is None:
        return True
    forms = annotated.clause.forms
    manners = {form.cue[1] for form in forms if form.cue is not None}
    texts = {form.text for form in forms}
    if comparator == "time":
        return bool(annotated.periods or "trend" in manners or texts & lexicon.TIME_WORDS)
    if comparator == "group":
        others = any(m.who in ("other", "population") for m in annotated.mentions)
        compared = bool(annotated.masked) or others or bool(texts & lexicon.GROUP_WORDS)
        return compared or bool(manners & {"comparative", "superlative"})
    return bool(texts & lexicon.THRESHOLD_WORDS) or any(
        form.text in (">", "<", "≥", "≤") for form in forms
    )
