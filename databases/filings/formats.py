"""Turn what a report displays into values: the transformations that inline XBRL names in `format`."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

MAX_DIGITS = 40
"""Longer numbers are no figures of a report."""
_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f]+")
_MONTHS = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: value for value, word in enumerate(_UNITS)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_LENGTHS = {"year": "Y", "month": "M", "week": "W", "day": "D"}


class FormatError(ValueError):
    """A text that its format cannot read; the message says which."""


def number(text: str, transformation: str | None) -> Decimal:
    """The number that a displayed text stands for, before sign and scale.

    Raises FormatError where the text is none under this transformation, or the transformation is
    not known: a number that is guessed at is worse than none.
    """
    name = _plain(transformation)
    if name in ("fixedzero", "zerodash", "numdash"):
        return Decimal(0)
    if name in ("", "numdotdecimal", "numcommadot", "numspacedot"):
        return _decimal(text, ",'’", ".")
    if name in ("numcommadecimal", "numdotcomma", "numspacecomma"):
        return _decimal(text, ".'’", ",")
    if name == "numcomma":
        return _decimal(text, "", ",")
    if name == "numwordsen":
        return Decimal(words(text))
    if name == "numunitdecimal":
        found = re.findall(r"[0-9]+", text.replace(",", ""))
        if len(found) == 2:
            return _decimal(".".join(found), "", ".")
    raise FormatError(f"{text[:60]!r} is no number in the format {transformation or 'none'}")


def words(text: str) -> int:
    """A number in English words; 'no' and 'none' are zero."""
    total = group = 0
    found = re.findall(r"[a-z]+", text.lower())
    if not found:
        raise FormatError(f"{text[:60]!r} is no number in words")
    for word in found:
        if word in ("and", "a", "no", "none", "nil"):
            continue
        if word in _SMALL:
            group += _SMALL[word]
        elif word == "hundred":
            group = max(group, 1) * 100
        elif word in _LARGE:
            total, group = total + max(group, 1) * _LARGE[word], 0
        else:
            raise FormatError(f"{text[:60]!r} is no number in words")
    return total + group


def text_value(text: str, transformation: str | None) -> str:
    """A text as its transformation defines it; as it is displayed where that is not one of these.

    Dates become YYYY-MM-DD (--MM-DD without a year), lengths of time P2Y6M, marks true or false.
    Never raises: a text that is not transformed is still what the report says.
    """
    shown = _SPACES.sub(" ", text).strip()
    name = _plain(transformation)
    try:
        return _TEXTS[name](shown) if name in _TEXTS else shown
    except ValueError:
        return shown


def _decimal(text: str, grouping: str, point: str) -> Decimal:
    digits = _SPACES.sub("", text)
    for mark in grouping:
        digits = digits.replace(mark, "")
    digits = digits.replace(point, ".")
    if digits.startswith("."):
        digits = f"0{digits}"
    if len(digits) > MAX_DIGITS or not re.fullmatch(r"-?[0-9]+\.?[0-9]*", digits):
        raise FormatError(f"{text[:60]!r} is no number")
    try:
        return Decimal(digits)
    except InvalidOperation as exc:  # pragma: no cover - the pattern allows nothing else
        raise FormatError(f"{text[:60]!r} is no number") from exc


def _plain(transformation: str | None) -> str:
    """The name without prefix and hyphens: versions of the registry differ in those."""
    return (transformation or "").rpartition(":")[2].replace("-", "").lower()


def _month(word: str) -> int:
    return _MONTHS.index(word[:3].lower()) + 1


def _parts(shown: str, pattern: str) -> tuple[str, ...]:
    found = re.fullmatch(pattern, shown)
    if not found:
        raise FormatError(shown)
    return found.groups()


def _day_of_year(month: str, day: str, year: str) -> str:
    return dt.date(int(year), _month(month), int(day)).isoformat()


def _month_day_year(shown: str) -> str:
    return _day_of_year(*_parts(shown, r"([A-Za-z]+)\.? +([0-9]{1,2}),? +([0-9]{4})"))


def _day_month_year(shown: str) -> str:
    day, month, year = _parts(shown, r"([0-9]{1,2}) +([A-Za-z]+)\.?,? +([0-9]{4})")
    return _day_of_year(month, day, year)


def _month_day(shown: str) -> str:
    month, day = _parts(shown, r"([A-Za-z]+)\.? +([0-9]{1,2})")
    return f"--{_month(month):02d}-{int(day):02d}"


def _month_year(shown: str) -> str:
    month, year = _parts(shown, r"([A-Za-z]+)\.?,? +([0-9]{4})")
    return f"{int(year):04d}-{_month(month):02d}"


def _slashed(shown: str) -> str:
    month, day, year = _parts(shown, r"([0-9]{1,2})[/.-]([0-9]{1,2})[/.-]([0-9]{4})")
    return dt.date(int(year), int(month), int(day)).isoformat()


def _length(letter: str) -> Callable[[str], str]:
    def read(shown: str) -> str:
        value = _decimal(shown, ",", ".")
        whole = int(value)
        if value == whole:
            return f"P{whole}{letter}"
        if letter == "Y" and value * 12 == int(value * 12):
            return f"P{whole}Y{int(value * 12) - 12 * whole}M"
        raise FormatError(shown)

    return read


def _length_in_words(shown: str) -> str:
    """'two years and six months', 'five-year', '3-year'."""
    found = re.findall(
        r"([a-z]+(?:[ -][a-z]+)??|[0-9]+)[ -]+(year|month|week|day)s?\b", shown.lower()
    )
    if not found:
        raise FormatError(shown)
    read = [(int(n) if n.isdigit() else words(n), _LENGTHS[unit]) for n, unit in found]
    return "P" + "".join(f"{count}{letter}" for count, letter in read)


def _ballot_box(shown: str) -> str:
    if shown in ("☒", "☑", "þ", "x", "X"):
        return "true"
    if shown in ("☐", "o", "¨"):
        return "false"
    raise FormatError(shown)


_TEXTS: dict[str, Callable[[str], str]] = {
    "fixedtrue": lambda _: "true",
    "booleantrue": lambda _: "true",
    "fixedfalse": lambda _: "false",
    "booleanfalse": lambda _: "false",
    "fixedempty": lambda _: "",
    "nocontent": lambda _: "",
    "boolballotbox": _ballot_box,
    "datemonthnamedayyearen": _month_day_year,
    "datemonthdayyearen": _month_day_year,
    "datedaymonthnameyearen": _day_month_year,
    "datemonthnamedayen": _month_day,
    "datemonthdayen": _month_day,
    "datemonthnameyearen": _month_year,
    "datemonthyearen": _month_year,
    "datemonthdayyear": _slashed,
    "duryear": _length("Y"),
    "durmonth": _length("M"),
    "durweek": _length("W"),
    "durday": _length("D"),
    "durwordsen": _length_in_words,
}
"""Plain names; both versions of the registry (datemonthdayyearen and date-monthname-day-year-en)."""
