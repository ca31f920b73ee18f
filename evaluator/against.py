"""See whether a statement turns its fact round: 'higher than all carriers', 'lowest in July'."""

from __future__ import annotations

from evaluator.facts import Fact
from evaluator.gate import About
from evaluator.reading.answers import is_crown
from evaluator.reading.forms import FIRST_YEAR, LAST_YEAR, Form
from evaluator.reading.stance import is_negated

_NEAR = 4
"""Words between the cue and its 'than': 'shorter distances than', 'more often than'."""
_AGES = {"older": 1, "younger": -1, "newer": -1}
_TIMES = {"later": 1, "earlier": -1}
_STRENGTHS = {"stronger": 1, "tighter": 1, "closer": 1, "weaker": -1, "looser": -1}
_UNTIED = {**_STRENGTHS, "tighter": -1, "looser": 1, "wider": 1, "narrower": -1}
"""Of a spread: the tighter, the smaller."""


def is_misplaced(fact: Fact, about: About) -> bool:
    """Whether it says of the others what their figure in the fact's answer belies.

    False where the answer has no such figure, the two are equal, or nothing is compared with them.
    """
    wanted = fact.magnitude
    if wanted is None or fact.rest is None or fact.rest == wanted.value:
        return False
    above = 1 if wanted.value > fact.rest else -1
    further = 1 if abs(wanted.value) > abs(fact.rest) else -1
    for place in _cues(about):
        form = about.forms[place]
        if form.text in _STRENGTHS and fact.signals.kind == "correlation":
            said, true = _STRENGTHS[form.text], further
        else:
            said, true = _sense(fact, form), above
        if said and (said if not is_negated(about.annotated, place) else -said) != true:
            return True
    return False


def crowns_the_other_end(fact: Fact, about: About) -> bool:
    """Whether it calls lowest what the fact's answer calls highest, or the other way about."""
    if fact.extreme is None or fact.signals.statistic in ("max", "min"):
        return False
    said = {
        form.cue[0]
        for i in about.zone
        if is_crown(form := about.forms[i]) and form.cue and i not in about.sighting.covered
    }
    return bool(said) and fact.extreme not in said


def _cues(about: About) -> list[int]:
    """Places of the words that lead to a comparison with the others, from the statement on."""
    annotated, forms = about.annotated, about.forms
    found = []
    for first, last in annotated.compared:
        if first < about.statement.first or not _names_others(about, first, last):
            continue
        for place in range(first - 1, max(-1, first - 1 - _NEAR), -1):
            if forms[place].kind == "number" or forms[place].text in (",", ";", "("):
                break
            if forms[place].cue is not None or forms[place].text in _UNTIED:
                if place in about.zone or place > about.place:
                    found.append(place)
                break
    return found


def _names_others(about: About, first: int, last: int) -> bool:
    annotated = about.annotated
    inside = [m for m in annotated.mentions if first <= m.first <= last]
    if any(m.who in ("population", "other") for m in inside):
        return True
    named = {about.forms[i].stem for i in range(first, last + 1)}
    return not inside and not annotated.nouns.isdisjoint(named)


def _sense(fact: Fact, form: Form) -> int:
    """1 for more of the metric, -1 for less, 0 where the word does not tell."""
    wanted = fact.magnitude
    if form.text in _AGES and wanted is not None:
        dated = not wanted.unit and FIRST_YEAR <= wanted.value <= LAST_YEAR
        return -_AGES[form.text] if dated else _AGES[form.text]
    if form.text in _TIMES:
        return _TIMES[form.text]
    if form.text in _UNTIED and form.cue is None:
        return _UNTIED[form.text]
    if form.cue is None or form.cue[1] != "comparative":
        return 0
    return {"up": 1, "down": -1}.get(form.cue[0], 0)
