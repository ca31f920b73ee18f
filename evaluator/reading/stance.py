"""Say how a clause stands to what it says: asserted, hedged, denied, or asked."""

from __future__ import annotations

from evaluator.reading import lexicon
from evaluator.reading.statements import Annotated

_OPENING = 6
"""A hedge among the first words covers the whole clause: 'It is possible that ...'."""
_WINDOW = 4
"""Words before a cue in which 'not' turns it round."""
_TRUE = frozenset({"true", "correct", "case"})
_IDLE_NOT = frozenset({"only", "surprisingly", "just", "merely"})


def is_hedged(annotated: Annotated, place: int) -> bool:
    """Whether what stands at `place` is only supposed: 'may be 20.0', 'perhaps', 'I guess'."""
    forms = annotated.clause.forms
    in_period = {i for p in annotated.periods for i in range(p.first, p.last + 1)}
    same_segment = True
    for i in range(min(place, len(forms)) - 1, -1, -1):
        form = forms[i]
        if form.text in (",", "(", ";", ":"):
            same_segment = False
        hedge = form.text in lexicon.HEDGES or (form.text == "may" and i not in in_period)
        if form.text == "may" and form.capital and i > 0 and i in in_period:
            hedge = False
        if hedge and i not in annotated.masked and (same_segment or i < _OPENING):
            # 'if it rains, the mean is 35.2' is a condition, and conditions are read as scopes
            if form.text == "if" and not same_segment:
                continue
            return True
    return False


def is_denied(annotated: Annotated) -> bool:
    """Whether the clause calls itself untrue: 'it is false that', '... is not true'."""
    words = [form.text for form in annotated.clause.forms]
    if not lexicon.DENIALS.isdisjoint(words):
        return True
    return not _TRUE.isdisjoint(words) and any(
        word in _TRUE and not lexicon.NEGATIONS.isdisjoint(words[max(0, i - 3) : i])
        for i, word in enumerate(words)
    )


def is_negated(annotated: Annotated, place: int) -> bool:
    """Whether 'not', 'never', 'no' turn round what stands at `place`."""
    forms = annotated.clause.forms
    for i in range(place - 1, max(-1, place - 1 - _WINDOW), -1):
        text = forms[i].text
        if text in (",", ";", ")", "and", "but") or forms[i].kind == "number":
            return False
        if text in lexicon.NEGATIONS:
            follows = forms[i + 1].text if i + 1 < len(forms) else ""
            return follows not in _IDLE_NOT
    return False
