"""Find the figures of a clause: value, sign, scale, unit and how finely they are printed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from evaluator.reading.clauses import Clause
from evaluator.reading.forms import Form
from evaluator.reading.measures import MINUTES, ORDINALS, SCALES, SMALL_NUMBERS, TENS, UNITS
from evaluator.reading.periods import form_at
from evaluator.reading.sayings import is_early

_AMBIGUOUS = frozenset({"s", "f", "c", "d", "m", "second", "in", "b"})
"""Too short to be a unit or scale unless glued to its figure."""


_MEASURING = frozenset(["%", "percent", "pct", "per", "percentage", "°", "-", "–"]) | UNITS.keys()
"""Words and signs at which a unit may start."""


class Figure(NamedTuple):
    """A number as a clause states it."""

    place: int
    """Index of its token."""
    first: int
    last: int
    """Its stretch with sign and unit."""
    value: float
    unit: str = ""
    """'' where none is printed."""
    step: float = 1.0
    """The printed unit: 0.1 for 28.4, 1000 for 55k."""
    ordinal: bool = False
    word: bool = False
    """Written out (two, single)."""
    year: bool = False
    """Printed as a year would be."""
    early: bool = False
    """'2.1 minutes early': a positive figure for a negative one."""


def figures(clause: Clause, taken: Collection[int]) -> list[Figure]:
    """Every figure in order; `taken` are token places that belong to periods or names."""
    found = []
    for i, form in enumerate(clause.forms):
        if not form.counts or i in taken:
            continue
        if form.kind == "number":
            found.append(_figure(clause, i, form))
        elif form.text in TENS:
            found.append(_in_words(clause.forms, i))
        elif form.text in SMALL_NUMBERS:
            if not (i > 1 and clause.forms[i - 1].text == "-" and clause.forms[i - 2].text in TENS):
                found.append(Figure(i, i, i, float(SMALL_NUMBERS[form.text]), word=True))
        elif form.text in ORDINALS:
            found.append(Figure(i, i, i, float(ORDINALS[form.text]), ordinal=True, word=True))
    return found


def _in_words(forms: Sequence[Form], i: int) -> Figure:
    """'forty-seven', 'forty'."""
    value, last = float(TENS[forms[i].text]), i
    after = form_at(forms, i + 2)
    if after is not None and forms[i + 1].text == "-" and after.text in SMALL_NUMBERS:
        value, last = value + SMALL_NUMBERS[after.text], i + 2
    return Figure(i, i, last, value, word=True)


def _figure(clause: Clause, i: int, form: Form) -> Figure:
    forms = clause.forms
    value, step = form.value, 10.0**-form.decimals
    first, last, unit, suffix = i, i, "", form.suffix
    scale = None
    if suffix:
        if suffix in ("st", "nd", "rd", "th"):
            return Figure(i, i, i, value, ordinal=True)
        scale = SCALES.get(suffix)
        unit = _glued_unit(suffix) if scale is None else ""
    elif i + 1 < len(forms) and forms[i + 1].text not in _AMBIGUOUS:
        scale = SCALES.get(forms[i + 1].text)
        last += scale is not None
    if scale is not None:
        value, step = value * scale, step * scale
    if not unit:
        unit, last = _unit(forms, last)
    sign = forms[i - 1].text if i else ""
    if sign == "$":
        first, unit = i - 1, unit or "usd"
        sign = forms[i - 2].text if i > 1 else ""
    if _is_minus(clause, first - 1) or sign in ("minus", "negative"):
        first, value = first - 1, -value
    elif sign in ("+", "±", "~", "≈"):
        first -= 1
    early = unit in MINUTES and is_early(forms, last + 1)
    return Figure(i, first, last, value, unit, step, year=form.year, early=early)


def _is_minus(clause: Clause, i: int) -> bool:
    """Whether the dash at `i` is a sign: glued to its figure and not to what stands before it."""
    if i < 0 or clause.forms[i].text not in ("-", "–", "—") or not clause.glued(i + 1):
        return False
    if i == 0 or not clause.glued(i):
        return True
    return clause.forms[i - 1].text in ("(", "[", ":", "=", ",", "$", "|", "/")


def _glued_unit(suffix: str) -> str:
    return {"pct": "%", "in": "inch", "hpa": "mbar"}.get(suffix, UNITS.get(suffix, ""))


def _unit(forms: Sequence[Form], last: int) -> tuple[str, int]:
    """The unit that follows a figure whose last token is `last`, and where it ends."""
    i = last + 1
    if i >= len(forms):
        return "", last
    follows = forms[i]
    if follows.text not in _MEASURING:
        return "", last
    if follows.text == "%":
        after = form_at(forms, i + 1)
        if after is not None and after.stem == "point":
            return "pp", i + 1
        return "%", i
    if follows.text in ("percent", "pct"):
        return "%", i
    after = form_at(forms, i + 1)
    following = after.text if after is not None else ""
    if follows.text == "per" and following == "cent":
        return "%", i + 1
    if follows.text == "percentage" and following in ("point", "points"):
        return "pp", i + 1
    if follows.text == "°":
        return (following, i + 1) if following in ("f", "c") else ("deg", i)
    if follows.text in ("-", "–") and following in UNITS and following not in _AMBIGUOUS:
        return UNITS[following], i + 1
    if follows.text in UNITS and follows.text not in _AMBIGUOUS:
        return UNITS[follows.text], i
    return "", last


def canonical(unit: str) -> str:
    """A unit as an item's signals spell it, in the reader's spelling; '' if it is a bare count."""
    unit = unit.strip().lower()
    if unit in ("%", "pp"):
        return unit
    if unit in ("percent", "pct"):
        return "%"
    return "inch" if unit == "in" else UNITS.get(unit, "")


def turned(value: float, unit: str, into: str) -> float | None:
    """A value in another unit of time; None where the units do not agree."""
    if unit == into:
        return value
    if unit in MINUTES and into in MINUTES:
        return value * MINUTES[unit] / MINUTES[into]
    if {unit, into} <= {"deg", "f", "c"} and "deg" in (unit, into):
        return value
    return None
