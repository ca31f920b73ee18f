"""Compile an alias (plain words and '@table.column' references) and find it in a clause."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from evaluator.reading.clauses import Places
from evaluator.reading.folding import fold
from evaluator.reading.forms import Form
from evaluator.reading.forms import form as form_of
from evaluator.reading.lexicon import words
from evaluator.reading.measures import UNITS
from evaluator.reading.periods import Period, periods
from evaluator.reading.sayings import sayings
from evaluator.reading.tokens import tokenize

OPTIONAL = words(
    "s sec ms min mins h hr hrs hours days weeks months years mi km m ft in mph kmh kt knots pct percent f c k deg degrees mbar hpa "
    "usd eur id hhmm utc ts nm lb kg"
)
"""Units and ids at the end of a column's name; people leave them out. Singular units of time
are no units there: a scheduled hour and a built year are what they say."""

_SLACK = 2
"""Words that may stand inside a name: 'delay of the departures'."""
_REACH = 8
"""Words that may stand between the parts of an alias: 'destination of carrier 03 is A017'."""
_LITERAL_REACH = 3
"""A bare number must follow its name at once ('hour 19'), or any figure would do."""

_SHORT = 2
"""A phrase of so few words needs them all."""

_REFERENCE = re.compile(r"@[\w.]+")
_AMOUNTS = words(
    "about around roughly nearly almost only just some approximately average avg on an run runs by % "
    "over under more less than at least"
)
_SMALL = words("of the a an in on at to for per by and with")


@dataclass(frozen=True, slots=True)
class Part:
    """Words that belong together: a reference's name, a phrase, or a literal number."""

    words: tuple[str, ...]
    """Stems, all of which must stand near one another."""
    optional: tuple[str, ...] = ()
    literal: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Alias:
    """A compiled alias; one object for equal texts, so that it is known by itself."""

    text: str
    parts: tuple[Part, ...]
    tables: tuple[str, ...]
    """Stems of the tables that its references name."""
    units: tuple[str, ...]
    """Endings of its references' names that may be units."""
    period: Period | None
    """Where the whole alias is a stretch of time (19:00, Saturday): that one, however written."""
    stems: frozenset[str]
    """Every word that must stand in a clause; none where a period is asked for."""
    optional: frozenset[str]
    """Stems of what may follow a name: its unit."""
    words: tuple[tuple[str, ...], ...]
    """What it looks for, however it was spelled."""


class Span(NamedTuple):
    """Where an alias stands in a clause."""

    places: frozenset[int]
    first: int
    last: int
    anchor: int
    """The place that fixes it: its last part, as a rule a value out of the data."""


@lru_cache(maxsize=16_384)
def compile_alias(text: str) -> Alias:
    """An alias as signals spell it. An alias without any word matches nothing."""
    parts: list[Part] = []
    tables: list[str] = []
    units: list[str] = []
    done = 0
    for match in _REFERENCE.finditer(text):
        parts += _phrase(_timed(_words(text[done : match.start()])))
        table, _, column = match.group()[1:].rstrip(".").partition(".")
        tables += [form.stem for form in _words(table)]
        part = _name(column or table)
        if part.words:
            parts.append(part)
            units += [form.text for form in _words(column)[-1:] if form.text in OPTIONAL]
        done = match.end()
    parts += _phrase(_timed(_words(text[done:])))
    period = whole_period(text)
    stems = frozenset(word for part in parts for word in part.words)
    optional = frozenset(word for part in parts for word in part.optional)
    return Alias(
        text,
        tuple(parts),
        tuple(tables),
        tuple(units),
        period,
        frozenset() if period is not None else stems,
        optional,
        tuple(sorted(tuple(sorted(part.words)) for part in parts)),
    )


def whole_period(text: str) -> Period | None:
    """The period that a text names, if it names one and says nothing else."""
    # Signals may be written small; a month is told from a verb by its capital.
    forms = _words(text.title() if text.islower() else text, marks=True)
    found = periods(forms)
    if len(found) == 1 and (found[0].first, found[0].last) == (0, len(forms) - 1):
        return found[0]
    return None


def _words(text: str, *, marks: bool = False) -> list[Form]:
    folded = fold(text)
    tokens = tokenize(folded, 0, len(folded.text))
    return [form for form in tokens.forms if marks or form.kind != "mark"]


def _timed(forms: list[Form]) -> list[Form]:
    """Times of day in one spelling: 'after 6 pm' asks for what 'after 18:00' does."""
    for saying in reversed(sayings(forms, [i for i, each in enumerate(forms) if each.idiomatic])):
        if forms[saying.first].kind != "word":
            forms[saying.first : saying.last + 1] = [form_of("clock", saying.stems[0])]
    return forms


def _name(name: str) -> Part:
    """A column's or table's name: its words without the unit or id at the end."""
    words = _words(name)
    keep = len(words)
    while keep > 1 and words[keep - 1].text in OPTIONAL:
        keep -= 1
    return Part(
        tuple(form.stem for form in words[:keep] if form.text not in _SMALL or keep == 1),
        tuple(form.stem for form in words[keep:]),
    )


def _phrase(forms: Sequence[Form]) -> Iterator[Part]:
    """Plain words as one part; each bare number as a part of its own.

    In a long phrase small words may be left out; 'an hour' without its article is another thing.
    """
    short = len(forms) <= _SHORT
    words: list[str] = []
    for form in forms:
        if form.kind == "number" and not form.suffix:
            if words:
                yield Part(tuple(words))
                words = []
            yield Part((form.stem,), literal=True)
        elif short or form.text not in _SMALL:
            words.append(form.stem)
    if words:
        yield Part(tuple(words))


def find(
    alias: Alias,
    forms: Sequence[Form],
    places: Places,
    named: Sequence[Period] = (),
) -> list[Span]:
    """Where an alias stands in a clause.

    `places` lists the places of each stem of the clause, `named` are the clause's periods.
    """
    if alias.period is not None:
        return [_stretch(p) for p in named if p.same(alias.period)]
    parts, chosen = alias.parts, []
    for part in parts:
        found = _part_spans(part, places, forms)
        if not found:
            return []
        chosen.append(found)
    if not chosen:
        return []
    spans = []
    for tail in chosen[-1]:
        span = tail
        for i in range(len(chosen) - 2, -1, -1):
            near = _nearest(chosen[i], span, parts[i], parts[i + 1], forms)
            if near is None:
                break
            span = tuple(sorted((*near, *span)))
        else:
            full = _with_optional(span, alias, forms) if alias.optional else frozenset(span)
            spans.append(Span(full, span[0], span[-1], tail[-1]))
    return spans


def _idle(forms: Sequence[Form], low: int, high: int) -> int:
    """The words between two places that say how much and nothing else: 'about 20.0 minutes'."""
    between = forms[low + 1 : high]
    if "number" not in [form.kind for form in between]:
        return 0
    if not any(a.kind == "number" and b.text in UNITS for a, b in pairwise(between)):
        return 0
    return sum(
        form.kind == "number" or form.text in UNITS or form.text in _AMOUNTS for form in between
    )


def _stretch(period: Period) -> Span:
    places = frozenset(range(period.first, period.last + 1))
    return Span(places, period.first, period.last, period.first)


def _part_spans(part: Part, places: Places, forms: Sequence[Form]) -> list[tuple[int, ...]]:
    """Every tight occurrence of a part, in order, its places ascending; a figure inside it takes
    no room: 'departs 20.0 minutes late'."""
    words = part.words
    starts = places[words[0]]
    if len(words) == 1:
        return [(place,) for place in starts]
    room = len(words) + _SLACK
    found = []
    for place in starts:
        chosen = [place]
        for word in words[1:]:
            options = places[word]
            if len(options) != 1 or options[0] in chosen:
                options = [p for p in options if p not in chosen or forms[p].idiomatic]
            if not options:
                break
            if len(options) == 1:
                chosen.append(options[0])
            else:
                chosen.append(min(options, key=lambda p: (abs(p - place), p < place)))
        else:
            chosen.sort()
            low, high = chosen[0], chosen[-1]
            if high - low < room or high - low - _idle(forms, low, high) < room:
                found.append(tuple(dict.fromkeys(chosen)))
    return found


def _nearest(
    options: Sequence[tuple[int, ...]],
    span: tuple[int, ...],
    part: Part,
    after: Part,
    forms: Sequence[Form],
) -> tuple[int, ...] | None:
    """The occurrence of `part` that stands nearest to `span`, if near enough."""
    reach = 1 if part.literal else _REACH
    best = None
    first, last, places = span[0], span[-1], frozenset(span)
    for option in options:
        if not places.isdisjoint(option):
            continue
        gap = max(first - option[-1], option[0] - last) - 1
        if gap > reach or (after.literal and not _leads(forms, option[-1], first)):
            continue
        best, reach = option, gap - 1
    return best


def _leads(forms: Sequence[Form], last: int, number: int) -> bool:
    """Whether a number is the value of the name before it: 'hour 19', 'hour (h) = 19'."""
    gap = [form.text for form in forms[last + 1 : number]]
    if last >= number or len(gap) > _LITERAL_REACH + 2 or (gap and gap[-1] == "("):
        return False
    return all(
        word in OPTIONAL
        or word in _SMALL
        or word in ("(", ")", "is", "=", "was", "equals", "value", ":")
        for word in gap
    )


def _with_optional(span: tuple[int, ...], alias: Alias, forms: Sequence[Form]) -> frozenset[int]:
    """The places of a span with the unit after its name: 'departure delay (min)'."""
    optional = alias.optional
    places = set(span)
    for place in span:
        for i in range(place + 1, min(place + 3, len(forms))):
            if forms[i].stem in optional:
                places.add(i)
            elif forms[i].text != "(":
                break
    return frozenset(places)
