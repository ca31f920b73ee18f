"""Find what narrows a statement beyond the fact: conditions, places, kinds that it does not know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluator.facts import Fact
from evaluator.reading import lexicon
from evaluator.reading.statements import Annotated, Statement

_SEGMENTS = frozenset({",", ")", "—", "–", ":", ";", "|"})
_VERBS = frozenset({"is", "are", "was", "were", "has", "have", "had", "averages", "averaged"})
_RATES = frozenset({"per", "each", "every"})
_PERIODIC = frozenset({"daily", "weekly", "monthly", "hourly", "yearly"})


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a statement says beside the fact's own words."""

    restricted: bool
    """It speaks of a part only: 'where it rains', 'to A017', 'at runway 5'."""
    foreign: int
    """Words that are neither the fact's nor those of any prose, asides left out."""
    after: int
    """Those of them that follow the figure in its own segment."""
    clean: bool
    """Not even its asides hold a foreign word or a code."""
    extreme: bool
    """It speaks of a highest or lowest."""


def narrowing(
    fact: Fact,
    annotated: Annotated,
    statement: Statement,
    zone: frozenset[int],
    covered: frozenset[int],
) -> Narrowing:
    """Read the words of a statement that are not the fact's."""
    known = set(covered)
    known.update(i for m in annotated.mentions for i in range(m.first, m.last + 1))
    known.update(i for p in annotated.periods for i in range(p.first, p.last + 1))
    place = statement.figure.place if statement.figure is not None else -1
    restricted = any(f.place in zone and f.place not in covered for f in annotated.limits)
    foreign = after = 0
    clean, extreme = not restricted, False
    for segment in _segments(annotated, zone):
        words = _words(fact, annotated, segment, known)
        clean = clean and not words.narrow and not words.foreign
        extreme = extreme or words.extreme
        bears = place < 0 or place in segment or any(k in covered for k in segment)
        if bears or _opens_narrowing(annotated, segment):
            restricted = restricted or words.narrow
            foreign += len(words.foreign)
            if place in segment:
                after += sum(i > place for i in words.foreign)
    return Narrowing(restricted, foreign, after, clean, extreme)


@dataclass(slots=True)
class _Words:
    narrow: bool = False
    extreme: bool = False
    foreign: list[int] = field(default_factory=list)


def _words(fact: Fact, annotated: Annotated, segment: list[int], known: set[int]) -> _Words:
    """What the words of one segment do, read from left to right with their preposition."""
    forms = annotated.clause.forms
    shouting = not any(form.kind == "word" and not form.code for form in forms)
    found = _Words()
    state, conditional = "", False
    for i in segment:
        form = forms[i]
        if i in known or form.kind != "word":
            continue
        if form.text in lexicon.CONDITIONS:
            state, conditional = "R", True
        elif form.text in lexicon.RESTRICTING:
            state = "R"
        elif form.text in lexicon.LOOSE:
            state = state if form.text in ("and", "or") else "M"
        elif form.text in _VERBS:
            state = state if conditional else ""
        elif form.code and not form.plain and not shouting and form.stem not in fact.neutral:
            found.narrow = True
        elif (
            (form.text in _PERIODIC or not form.plain)
            and form.stem not in fact.neutral
            and form.stem not in annotated.nouns
        ):
            found.narrow = found.narrow or state == "R"
            found.foreign.append(i)
        found.narrow = found.narrow or (form.text in _RATES and _leads_on(annotated, i))
        found.extreme = found.extreme or (form.cue is not None and form.cue[1] == "superlative")
    return found


def _leads_on(annotated: Annotated, i: int) -> bool:
    forms = annotated.clause.forms
    return i + 1 < len(forms) and forms[i + 1].kind == "word" and forms[i + 1].text != "cent"


def _segments(annotated: Annotated, zone: frozenset[int]) -> Iterator[list[int]]:
    """The parts between commas, and what stands in brackets, apart.

    A part without the figure and without a word of the fact is an aside ('driven by the late
    bank'), unless it opens with a word that narrows ('when it rains').
    """
    forms = annotated.clause.forms
    outside: list[int] = []
    inside: list[int] | None = None
    for i in sorted(zone):
        text = forms[i].text
        if text == "(":
            inside = []
        elif text == ")" and inside is not None:
            yield inside
            inside = None
        elif inside is not None:
            inside.append(i)
        elif text in _SEGMENTS:
            yield outside
            outside = []
        else:
            outside.append(i)
    yield outside
    if inside:
        yield inside


def _opens_narrowing(annotated: Annotated, segment: list[int]) -> bool:
    forms = annotated.clause.forms
    first = next((forms[i].text for i in segment if forms[i].text not in ("and", "but")), "")
    return first in lexicon.RESTRICTING or first in lexicon.CONDITIONS
