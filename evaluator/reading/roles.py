"""Say what a figure is there for: a value, a condition, a range, what a share is out of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple

from evaluator.reading import lexicon
from evaluator.reading.figures import Figure
from evaluator.reading.forms import Form
from evaluator.reading.lexicon import Bound

Role = Literal["plain", "threshold", "base", "vague", "negated", "label"]

_ALTERNATIVES = frozenset({"or", "to", "-", "–", "—"})
_TAIL = frozenset({"more", "longer", "later", "higher", "above", "less", "fewer", "greater"})
_RATHER = frozenset({("rather", "than"), ("instead", "of")})
_OUT_OF = frozenset({"of", "out", "the", "its", "all", "total", "a", "some", "(", "about"})


class Roled(NamedTuple):
    """A figure with its role; a plain one may be a bound ('more than 54,000')."""

    figure: Figure
    role: Role
    bound: Bound | None = None


def roles(
    forms: Sequence[Form], found: Sequence[Figure], nouns: Collection[str] = ()
) -> list[Roled]:
    """Each figure of a clause with what it is there for, in order.

    `nouns` are the stems of what entities are called: '16 carriers' counts the others.
    """
    roled = []
    end = len(forms) - 1
    for i, figure in enumerate(found):
        if figure.last < end and forms[figure.last + 1].stem in nouns:
            roled.append(Roled(figure, "base"))
        else:
            roled.append(Roled(figure, *_role(forms, figure, found, i)))
    return roled


def _role(
    forms: Sequence[Form], figure: Figure, found: Sequence[Figure], number: int
) -> tuple[Role, Bound | None]:
    start = figure.first
    last = forms[start - 1].text if start else ""
    but_last = forms[start - 2].text if start > 1 else ""
    if not figure.unit and figure.step == 1 and _is_label(forms, figure):
        return "label", None
    if (but_last, last) in _RATHER or _is_negated(forms, start):
        return "negated", None
    if number and not figure.unit and _is_base(forms, found[number - 1], figure):
        return "base", None
    if len(found) > 1 and _is_vague(forms, found, number):
        return "vague", None
    follows = forms[figure.last + 1].text if figure.last + 1 < len(forms) else ""
    if follows == "+":
        return "threshold", None
    if follows == "or" and figure.last + 2 < len(forms) and forms[figure.last + 2].text in _TAIL:
        return "threshold", None
    bound = _bound(last, but_last)
    if bound and (
        figure.value == 0
        or _is_conditional(forms, figure.first)
        or _is_limit(forms, figure, found)
        or (bool(figure.unit) and number + 1 < len(found) and _leads_in(forms, figure.first))
    ):
        return "threshold", None
    if last == "within":
        return "threshold", None
    return "plain", bound


def _is_label(forms: Sequence[Form], figure: Figure) -> bool:
    """'flight number 387', 'at runway 5', 'with model 172': a number that is a name."""
    if not figure.first or not forms[figure.place].text.isdigit():
        return False
    if forms[figure.first - 1].text in ("number", "no", "#"):
        return True
    nouns = 0
    while nouns < 3 and figure.first > nouns and not forms[figure.first - 1 - nouns].plain:
        nouns += 1
    lead = forms[figure.first - 1 - nouns].text if figure.first > nouns else ""
    return 0 < nouns < 3 and (lead in lexicon.RESTRICTING or lead in ("with", "to", "from"))


def _is_negated(forms: Sequence[Form], place: int) -> bool:
    for i in range(place - 1, max(0, place - 3) - 1, -1):
        text = forms[i].text
        if text in lexicon.NEGATIONS:
            return True
        if text in (",", ";", ")"):
            return False
    return False


def _is_base(forms: Sequence[Form], before: Figure, figure: Figure) -> bool:
    """'16.2% of all 336,776', '3rd out of 16': what a share or rank is out of."""
    gap = {form.text for form in forms[before.last + 1 : figure.first]}
    return "of" in gap and gap <= _OUT_OF


def _is_vague(forms: Sequence[Form], found: Sequence[Figure], number: int) -> bool:
    """Part of a range or of alternatives: '15 to 25', 'between 15 and 25', '20 or 21'."""
    figure = found[number]
    return (number > 0 and _is_range(forms, found[number - 1], figure)) or (
        number + 1 < len(found) and _is_range(forms, figure, found[number + 1])
    )


def _is_range(forms: Sequence[Form], a: Figure, b: Figure) -> bool:
    if b.first - a.last != 2 or a.ordinal != b.ordinal:
        return False
    link = forms[a.last + 1].text
    if link == "and":
        return a.first > 0 and forms[a.first - 1].text == "between"
    # '20.0 minutes - 8.1 more than ...': behind a unit a dash opens an aside
    return link in _ALTERNATIVES and not (a.unit and link in "-–—")


def _bound(last: str, but_last: str) -> Bound | None:
    if last in lexicon.BOUNDS_ALONE:
        return lexicon.BOUNDS_ALONE[last]
    return lexicon.BOUNDS.get((but_last, last))


def _is_limit(forms: Sequence[Form], figure: Figure, found: Sequence[Figure]) -> bool:
    """'above 15 in 16.3% of its rows' sets a limit; 'over 54,000 flights (16.2%)' counts."""
    if figure.unit == "%" or not any(other.unit == "%" for other in found):
        return False
    after = forms[figure.last + 1] if figure.last + 1 < len(forms) else None
    return bool(figure.unit) or after is None or (after.plain and after.statistic is None)


def _leads_in(forms: Sequence[Form], place: int) -> bool:
    """'In frost (below 32 °F), ...', 'Below 32 °F it ...': a bound before anything is stated."""
    first = forms[0].text
    if first not in lexicon.BOUNDS_ALONE and first not in lexicon.ADJUNCTS:
        return False
    return all(form.text not in (",", ";", ":", "is", "was", "are") for form in forms[:place])


def _is_conditional(forms: Sequence[Form], place: int) -> bool:
    """Whether the words before, back to a comma, make a condition of it."""
    for form in reversed(forms[:place]):
        if form.text in (",", ";", ":"):
            return False
        if form.text in lexicon.CONDITIONS or form.text in ("with", "by"):
            return True
    return False
