"""Decide which statements of a clause are about a fact: its metric, its scopes, its entity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from evaluator.aliases import Span
from evaluator.facts import Fact
from evaluator.narrowing import Narrowing, narrowing
from evaluator.reading import lexicon
from evaluator.reading.figures import Figure
from evaluator.reading.forms import FIRST_YEAR, LAST_YEAR, Form
from evaluator.reading.periods import Period
from evaluator.reading.statements import Annotated, Statement
from evaluator.reading.stretches import Stretch, stretches_of
from evaluator.sighting import Sighting


class About(NamedTuple):
    """A statement that is about the fact, with what the slots are read from."""

    annotated: Annotated
    statement: Statement
    figure: Figure | None
    """None where it states no figure of its own."""
    zone: frozenset[int]
    """The places of its own stretch."""
    region: frozenset[int]
    """The places that speak of it: its own stretch, leading adjuncts, what it takes over."""
    metric: Span
    head: bool
    """Whether the metric stands in its own stretch; else it is taken over from before."""
    periods: tuple[Period, ...]
    narrowing: Narrowing
    sighting: Sighting
    of_all: bool
    """'16.0 % of all rows': a share of everybody's."""

    @property
    def forms(self) -> list[Form]:
        """The words of its clause."""
        return self.annotated.clause.forms

    @property
    def place(self) -> int:
        """Where it makes its point: its figure, else its metric."""
        return self.figure.place if self.figure is not None else self.metric.last


_LEADING = lexicon.RESTRICTING | lexicon.LOOSE
_NOWHERE: frozenset[int] = frozenset()


class _Taken(NamedTuple):
    """What a stretch leaves to the next."""

    zone: frozenset[int]
    region: frozenset[int]
    narrowing: Narrowing
    is_name: bool
    """Its figure is a word of the fact (hour 19), so that the next figure is meant."""


class _Place(NamedTuple):
    statement: Statement
    zone: frozenset[int]
    region: frozenset[int]


def statements_about(fact: Fact, annotated: Annotated, sighting: Sighting) -> Iterator[About]:
    """The statements of a clause that passed the gate (EVALUATION 5.2)."""
    if not _compares(fact, annotated):
        return
    own = {span.anchor for span in sighting.metric}
    for group in sighting.scopes:
        own.update([span.anchor for span in group])
    lead = frozenset(range(annotated.lead)) - annotated.masked if annotated.lead else _NOWHERE
    known = sighting.covered | _heads(annotated, sighting) if sighting.scopes else sighting.covered
    before: _Taken | None = None
    clean = True
    found = stretches_of(annotated)
    for number, stretch in enumerate(found):
        narrowed = narrowing(fact, stretch, known, annotated.nouns)
        zone, statement = stretch.zone, stretch.statement
        after = found[number + 1] if number + 1 < len(found) else None
        if after is not None and _is_name(after, sighting) and not after.starts_anew:
            # '8.3% of its rows are at vuzak 19': what follows the figure ends in the fact's word
            narrowed = narrowed.joined(narrowing(fact, after, known, annotated.nouns))
            zone = zone | after.zone
            statement = statement._replace(owner=statement.owner or after.statement.owner)
        if before is not None and before.is_name:
            # 'is 19, with 8.3% of its rows': 19 is the fact's own word, not a figure for itself
            zone, narrowed = zone | before.zone, narrowed.joined(before.narrowing)
        region = zone | lead if lead else zone
        if before is not None and _is_bare(stretch, own):
            # '... is A017, with 23.4% of its rows (12,801)': a bare figure takes all of it over
            region, narrowed = region | before.region, narrowed.joined(before.narrowing)
        before = _Taken(zone, region, narrowed, _is_name(stretch, sighting))
        # 'share of X is highest at A and lowest at B': the second half has the first's subject
        clean = narrowed.clean and (clean or _has_subject(annotated, zone, sighting))
        if statement.owner != "own" or narrowed.restricted or not _asks_for(fact, statement):
            continue
        place = _Place(statement, zone, region)
        about = _about(annotated, place, narrowed.being(clean=clean), sighting)
        if about is not None and not _is_narrowed_by_time(fact, annotated, region, sighting):
            yield about


def _heads(annotated: Annotated, sighting: Sighting) -> frozenset[int]:
    """The nouns that a scope stands before: 'on windy departures' speaks of what is windy."""
    forms = annotated.clause.forms
    after = {span.last + 1 for group in sighting.scopes for span in group}
    return frozenset(
        i for i in after if i < len(forms) and forms[i].kind == "word" and not forms[i].code
    )


def _asks_for(fact: Fact, statement: Statement) -> bool:
    """Whether the fact could be stated by such a figure: a year or a word seldom is one."""
    figure, wanted = statement.figure, fact.magnitude
    if figure is None:
        return True
    if figure.word or figure.ordinal:
        return fact.signals.statistic in ("count", "distinct", "rank")
    return not figure.year or (wanted is not None and FIRST_YEAR <= wanted.value <= LAST_YEAR)


def _is_name(stretch: Stretch, sighting: Sighting) -> bool:
    """Whether a stretch's figure is a word of the fact: the 19 of 'hour 19', the 60 of 'above 60'."""
    figure = stretch.statement.figure
    return figure is not None and figure.place in sighting.covered


def _is_bare(stretch: Stretch, own: set[int]) -> bool:
    """Whether a stretch says nothing but its figure: no thing, no period, no word of the fact."""
    if stretch.has_period or stretch.limits or not own.isdisjoint(stretch.zone):
        return False
    return not any(segment.loose for segment in stretch.segments)


def _has_subject(annotated: Annotated, zone: frozenset[int], sighting: Sighting) -> bool:
    """Whether the metric stands in a stretch as its subject, not behind a preposition."""
    forms = annotated.clause.forms
    for span in sighting.metric:
        if span.anchor in zone and not (span.first and forms[span.first - 1].text in _LEADING):
            return True
    return False


def _about(
    annotated: Annotated, place: _Place, narrowed: Narrowing, sighting: Sighting
) -> About | None:
    statement, region = place.statement, place.region
    for group in sighting.scopes:
        if not any(span.anchor in region for span in group):
            return None
    figure = statement.figure
    if figure is not None and figure.place in sighting.covered:
        figure = None
    metric, head = _metric(annotated, place, sighting, plain=not narrowed.foreign)
    if metric is None or (figure is not None and _rival(annotated, metric, figure, sighting)):
        return None
    periods = _periods_in(annotated, region)
    forms = annotated.clause.forms
    of_all = False
    for i in annotated.places["all"]:
        if i and i in region and forms[i].text == "all" and forms[i - 1].text == "of":
            of_all = True
    return About(
        annotated,
        statement,
        figure,
        place.zone,
        region,
        metric,
        head,
        periods,
        narrowed,
        sighting,
        of_all,
    )


def _metric(
    annotated: Annotated, place: _Place, sighting: Sighting, *, plain: bool
) -> tuple[Span | None, bool]:
    """The metric that a statement speaks of: its own, or that of the words before it."""
    statement = place.statement
    figure = statement.figure.place if statement.figure is not None else statement.first
    own = [
        span
        for span in sighting.metric
        if span.anchor in place.region and not _is_place(annotated, span, sighting)
    ]
    if own:
        return own[0] if len(own) == 1 else min(own, key=lambda s: _distance(s, figure)), True
    earlier = [span for span in sighting.metric if span.last < statement.first]
    if earlier and plain:
        return max(earlier, key=lambda span: span.last), False
    return None, False


def _is_place(annotated: Annotated, span: Span, sighting: Sighting) -> bool:
    """Whether the metric's name only says where: 'at scheduled hour 19', 'at origin A0189'."""
    forms = annotated.clause.forms
    if not span.first or span.last + 1 >= len(forms):
        return False
    led = forms[span.first - 1].text in lexicon.RESTRICTING or forms[span.first - 1].text == "with"
    if not led:
        return False
    value = forms[span.last + 1]
    named = value.kind == "number" or (value.code and not value.plain)
    return named and span.last + 1 not in sighting.covered


def _distance(span: Span, place: int) -> int:
    first, last = abs(span.first - place), abs(span.last - place)
    return first if first < last else last


def _rival(annotated: Annotated, metric: Span, figure: Figure, sighting: Sighting) -> bool:
    """Whether a sister of the metric stands between it and the figure: arrival for departure.

    A sister shares a word with the metric but is not it: 'departure delay is high, arrival
    delay averages 20.0'.
    """
    forms = annotated.clause.forms
    heads = {forms[place].stem for place in metric.places if forms[place].kind == "word"}
    low, high = sorted((metric.last if metric.last < figure.place else metric.first, figure.place))
    for i in range(low + 1, high):
        if forms[i].stem in heads and i not in sighting.covered and i not in annotated.masked:
            modifier = forms[i - 1]
            if modifier.kind == "word" and not modifier.plain and modifier.stem not in heads:
                return True
    return False


def _is_narrowed_by_time(
    fact: Fact, annotated: Annotated, region: frozenset[int], sighting: Sighting
) -> bool:
    """Whether a period narrows the statement that the fact does not know, or knows otherwise."""
    if not annotated.periods:
        return False
    named = _periods_in(annotated, region)
    free = [
        period
        for period in named
        if period.grain != "year" and not _is_covered(annotated, period, sighting.covered)
    ]
    if not fact.has_period:
        return bool(free)
    return (
        any(not any(period.grain == wanted.grain for wanted in fact.periods) for period in free)
        and not sighting.phrases
    )


def _is_covered(annotated: Annotated, period: Period, covered: frozenset[int]) -> bool:
    """Whether the fact's own words name the period; the year after it may be left out.

    'hour' of a fact about hours does not cover 'hour 19'.
    """
    dated = period.first != period.last and annotated.clause.forms[period.last].year
    last = period.last - dated
    return period.first in covered and last in covered


def _periods_in(annotated: Annotated, region: frozenset[int]) -> tuple[Period, ...]:
    return tuple([p for p in annotated.periods if p.first in region or p.last in region])


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
