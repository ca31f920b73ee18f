"""Find what narrows a statement beyond the fact: conditions, places, kinds that it does not know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.facts import Fact
from evaluator.reading import lexicon
from evaluator.reading.statements import Annotated, Statement

_SEGMENTS = frozenset({",", "(", ")", "—", "–", ":", ";", "|"})
_VERBS = frozenset({"is", "are", "was", "were", "has", "have", "had", "averages", "averaged"})
_RATES = frozenset({"per", "each", "every"})
_PERIODIC = frozenset({"daily", "weekly", "monthly", "hourly", "yearly"})


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a statement says beside the fact's own words."""

    restricted: bool
    """It speaks of a part only: 'where it rains', 'to A017', 'at runway 5'."""
    loose: int
    """Foreign words behind to, from, with, by, of: they may narrow it."""
    free: int
    """Foreign words without a preposition: another subject, or a description."""
    after: int
    """Foreign words that follow the figure in its own segment."""

    @property
    def is_plain(self) -> bool:
        """No foreign word: only the fact's own words and those of any prose.

        What such a statement leaves out may be taken over from the words before it.
        """
        return not (self.restricted or self.loose or self.free)


def narrowing(
    fact: Fact,
    annotated: Annotated,
    statement: Statement,
    zone: frozenset[int],
    covered: frozenset[int],
) -> Narrowing:
    """Read the words of a statement that are not the fact's."""
    forms = annotated.clause.forms
    known = set(covered)
    known.update(i for m in annotated.mentions for i in range(m.first, m.last + 1))
    known.update(i for p in annotated.periods for i in range(p.first, p.last + 1))
    place = statement.figure.place if statement.figure is not None else -1
    shouting = not any(form.kind == "word" and not form.code for form in forms)
    nouns = annotated.nouns
    restricted = False
    loose = free = after = 0
    for segment in _segments(annotated, statement, zone, covered):
        state, conditional = "", False
        passed = False
        for i in segment:
            form = forms[i]
            passed = passed or i == place
            if i in known or form.kind != "word":
                continue
            if form.text in lexicon.CONDITIONS:
                state, conditional = "R", True
            elif form.text in lexicon.RESTRICTING:
                state = "R"
                restricted = restricted or (form.text in _RATES and _leads_on(annotated, i))
            elif form.text in lexicon.LOOSE:
                state = state if form.text in ("and", "or") else "M"
            elif form.text in _VERBS:
                state = state if conditional else ""
            elif form.code and not form.plain and not shouting and form.stem not in fact.neutral:
                restricted = True
            elif form.text in _PERIODIC:
                loose += form.stem not in fact.neutral
            elif not form.plain and form.stem not in fact.neutral and form.stem not in nouns:
                restricted = restricted or state == "R"
                loose += state == "M"
                free += state == ""
                after += passed
    for figure in annotated.thresholds:
        restricted = restricted or (figure.place in zone and figure.place not in covered)
    return Narrowing(restricted, loose, free, after)


def _leads_on(annotated: Annotated, i: int) -> bool:
    forms = annotated.clause.forms
    return i + 1 < len(forms) and forms[i + 1].kind == "word" and forms[i + 1].text != "cent"


def _segments(
    annotated: Annotated, statement: Statement, zone: frozenset[int], covered: frozenset[int]
) -> Iterator[list[int]]:
    """The parts between commas and brackets that bear on the statement.

    A part without its figure and without a word of the fact is an aside ('driven by the late
    bank'), unless it opens with a word that narrows ('when it rains').
    """
    forms = annotated.clause.forms
    place = statement.figure.place if statement.figure is not None else -1
    segment: list[int] = []
    for i in [*sorted(zone), -1]:
        if i >= 0 and forms[i].text not in _SEGMENTS:
            segment.append(i)
            continue
        if segment and (
            place < 0
            or place in segment
            or any(k in covered for k in segment)
            or _opens_narrowing(annotated, segment)
        ):
            yield segment
        segment = []


def _opens_narrowing(annotated: Annotated, segment: list[int]) -> bool:
    forms = annotated.clause.forms
    first = next((forms[i].text for i in segment if forms[i].text not in ("and", "but")), "")
    return first in lexicon.RESTRICTING or first in lexicon.CONDITIONS
