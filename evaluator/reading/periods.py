"""Find the periods that a clause names: months, days, quarters, weekdays, hours, parts of a day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluator.reading.forms import Form
from evaluator.reading.hours import hour_between
from evaluator.reading.lexicon import MAY_VERBS, words

_MONTH_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_SHORT_MONTHS = {name[:3]: number for name, number in MONTHS.items()} | {"sept": 9}
_DAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEKDAYS = {name: number for number, name in enumerate(_DAY_NAMES, 1)} | {
    f"{name}s": number for number, name in enumerate(_DAY_NAMES, 1)
}
_SHORT_WEEKDAYS = {name[:3]: number for number, name in enumerate(_DAY_NAMES, 1)} | {
    "tues": 2,
    "thur": 4,
    "thurs": 4,
}
_PARTS = {
    **dict.fromkeys(["weekend", "weekends"], ("weekpart", 2)),
    **dict.fromkeys(["weekday", "weekdays"], ("weekpart", 1)),
    **dict.fromkeys(["winter", "winters"], ("season", 1)),
    **dict.fromkeys(["spring", "springs"], ("season", 2)),
    **dict.fromkeys(["summer", "summers"], ("season", 3)),
    **dict.fromkeys(["autumn", "autumns"], ("season", 4)),
    **dict.fromkeys(["morning", "mornings"], ("daypart", 1)),
    **dict.fromkeys(["afternoon", "afternoons"], ("daypart", 2)),
    **dict.fromkeys(["evening", "evenings"], ("daypart", 3)),
    **dict.fromkeys(["night", "nights", "overnight", "midnight"], ("daypart", 4)),
    **dict.fromkeys(["noon", "midday"], ("daypart", 5)),
}
_ORDINAL_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1, "final": -1, "latter": -1}
_SPANS = words("half month week day hour year")
_BEFORE_MAY = words("in of during since until from to by early late mid and through for")
_PLURAL_OK = words("weekday weekdays")


class Period(NamedTuple):
    """A named stretch of time: its grain, what fixes it, and its place in the clause."""

    grain: str
    value: tuple[int | None, ...]
    """(year or None, month), (year or None, month, day), (year or None, quarter), (year,),
    (weekday,), (hour,), (part,)."""
    first: int
    last: int

    def same(self, other: Period) -> bool:
        """Whether both may name the same stretch; a missing year fits every year."""
        return self.grain == other.grain and all(
            mine is None or theirs is None or mine == theirs
            for mine, theirs in zip(self.value, other.value, strict=True)
        )


def periods(forms: Sequence[Form]) -> list[Period]:
    """Every period of a clause in order, none overlapping."""
    found: list[Period] = []
    after = 0
    for i in [i for i, form in enumerate(forms) if form.dated]:
        period = period_at(forms, i) if i >= after else None
        if period is not None:
            found.append(period)
            after = period.last + 1
    return found


def period_at(forms: Sequence[Form], i: int) -> Period | None:
    """The period that starts at a place (or with the number before it), if one does."""
    form = forms[i]
    if form.kind == "date":
        parts = tuple(int(part) for part in form.text.split("-"))
        return Period("day" if len(parts) == 3 else "month", parts, i, i)
    if form.kind == "clock":
        hour, last = hour_between(forms, i) or (int(form.text.split(":")[0]) % 24, i)
        return Period("hour", (hour,), i, last)
    if form.kind == "number":
        return _from_number(forms, i)
    if form.kind != "word":
        return None
    month = _month(forms, i)
    if month is not None:
        return _from_month(forms, i, month)
    if form.text in _WEEKDAYS:
        return Period("weekday", (_WEEKDAYS[form.text],), i, i)
    if form.capital and form.text in _SHORT_WEEKDAYS:
        return Period("weekday", (_SHORT_WEEKDAYS[form.text],), i, i)
    if form.text in _PARTS:
        if form.text in _PLURAL_OK and i + 1 < len(forms) and forms[i + 1].kind == "number":
            return None
        before = forms[i - 1] if i else None
        if form.text == "weekday" and before is not None and _picks(before):
            # 'its best weekday', 'on any other weekday'
            return None
        if _text(forms, i - 1) in ("a", "an"):
            # '6.4 hours a night'
            return None
        grain, value = _PARTS[form.text]
        return Period(grain, (value,), i, i)
    if form.text in ("hour", "hours", "month", "quarter"):
        return _numbered(forms, i)
    if form.text in ("q1", "q2", "q3", "q4"):
        return _quarter(forms, i, i, int(form.text[1]))
    if form.text in _PLACES and _text(forms, i + 1) in _SPANS:
        return Period(f"nth {_text(forms, i + 1)}", (_PLACES[form.text],), i, i + 1)
    if form.text in _ORDINAL_QUARTERS and _text(forms, i + 1) == "quarter":
        return _quarter(forms, i, i + 1, _ORDINAL_QUARTERS[form.text])
    return None


def _picks(form: Form) -> bool:
    """Whether a word before 'weekday' means one out of the seven days."""
    superlative = form.cue is not None and form.cue[1] == "superlative"
    return superlative or form.text in ("any", "other", "each", "every", "punctual", "by", "per")


def _text(forms: Sequence[Form], i: int) -> str:
    return forms[i].text if 0 <= i < len(forms) else ""


def _month(forms: Sequence[Form], i: int) -> int | None:
    """The month that a word names; 'may' and 'mar' only where the words around it say so."""
    form = forms[i]
    if form.text in MONTHS and form.text not in ("may", "march"):
        return MONTHS[form.text]
    dated = i + 1 < len(forms) and forms[i + 1].kind == "number"
    dated = dated or (i > 0 and forms[i - 1].kind == "number" and _text(forms, i + 1) == ",")
    if form.text in ("may", "march"):
        before, after = _text(forms, i - 1), _text(forms, i + 1)
        led = before in _BEFORE_MAY or before in MONTHS or before in _SHORT_MONTHS
        if form.capital and (dated or (led and after not in MAY_VERBS)):
            return MONTHS[form.text]
        lone = form.text == "march" and form.capital
        return MONTHS[form.text] if lone else None
    if form.text in _SHORT_MONTHS and form.capital:
        return _SHORT_MONTHS[form.text]
    return None


def _from_month(forms: Sequence[Form], i: int, month: int) -> Period:
    """'March 2019', 'March of 2019', 'March 8', 'March 8, 2019', '8 March 2019'."""
    first, last, day, year = i, i, None, None
    if i and _is_day(forms[i - 1]) and not _follows_sign(forms, i - 1):
        first, day = i - 1, int(forms[i - 1].value)
    nxt = i + 1
    if _text(forms, nxt) == "." and form_at(forms, nxt + 1) is not None:
        nxt += 1
    follows = form_at(forms, nxt)
    if day is None and follows is not None and _is_day(follows) and not follows.year:
        after = form_at(forms, nxt + 1)
        if after is None or after.text not in ("%", "percent"):
            day, last = int(follows.value), nxt
            nxt += 1
    if day is not None and _text(forms, nxt) == ",":
        nxt += 1
    if _text(forms, nxt) == "of":
        nxt += 1
    follows = form_at(forms, nxt)
    if follows is not None and follows.year:
        year, last = int(follows.value), nxt
    if day is None:
        return Period("month", (year, month), first, last)
    return Period("day", (year, month, day), first, last)


def form_at(forms: Sequence[Form], i: int) -> Form | None:
    """The form at a place, or None past the end."""
    return forms[i] if 0 <= i < len(forms) else None


def _is_day(form: Form) -> bool:
    return (
        form.kind == "number"
        and form.text.isdigit()
        and len(form.text) <= 2
        and 1 <= form.value <= 31
        and form.suffix in ("", "st", "nd", "rd", "th")
    )


def _follows_sign(forms: Sequence[Form], i: int) -> bool:
    return _text(forms, i - 1) in ("-", "$", "=", "(")


def _from_number(forms: Sequence[Form], i: int) -> Period | None:
    form = forms[i]
    suffix, after = form.suffix, _text(forms, i + 1)
    between = hour_between(forms, i)
    if between is not None:
        return Period("hour", (between[0],), i, between[1])
    year = form_at(forms, i + 2)
    if after == "/" and _is_day(form) and 1 <= form.value <= 12 and year and year.year:
        # '07/2016'
        return Period("month", (int(year.value), int(form.value)), i, i + 2)
    meridiem = suffix if suffix in ("am", "pm") else after if after in ("am", "pm") else ""
    last = i if suffix else i + 1
    if (
        not meridiem
        and after in ("a", "p")
        and _text(forms, i + 2) == "."
        and _text(forms, i + 3) == "m"
    ):
        meridiem, last = after + "m", i + 3
    if after == "o'clock" and form.text.isdigit() and form.value <= 24:
        return Period("hour", (int(form.value) % 24,), i, i + 1)
    if meridiem and form.text.isdigit() and 1 <= form.value <= 12:
        return Period("hour", (int(form.value) % 12 + (12 if meridiem == "pm" else 0),), i, last)
    if form.year:
        quarter = _text(forms, i + 1)
        if quarter in ("q1", "q2", "q3", "q4"):
            return Period("quarter", (int(form.value), int(quarter[1])), i, i + 1)
        return Period("year", (int(form.value),), i, i)
    return None


def _numbered(forms: Sequence[Form], i: int) -> Period | None:
    """'hour 19', 'month 7', 'hour of 19', 'quarter 3': a unit of time with its number after it."""
    nxt = i + 1
    while _text(forms, nxt) in ("of", "=", "is", ":", "number"):
        nxt += 1
    number = form_at(forms, nxt)
    if number is None or number.kind != "number" or number.suffix or not number.text.isdigit():
        return None
    # 'hour 19' names an hour; '(hour) 28' or 'per hour: 40.5' does not.
    kind, value = forms[i].stem, int(number.value)
    if kind == "hour" and 0 <= value <= 24:
        return Period("hour", (value % 24,), i, nxt)
    if kind == "month" and 1 <= value <= 12:
        return Period("month", (None, value), i, nxt)
    if kind == "quarter" and 1 <= value <= 4:
        return _quarter(forms, i, nxt, value)
    return None


def _quarter(forms: Sequence[Form], first: int, last: int, number: int) -> Period:
    nxt = last + 1
    if _text(forms, nxt) in ("of", ",", "-"):
        nxt += 1
    follows = form_at(forms, nxt)
    if follows is not None and follows.year:
        return Period("quarter", (int(follows.value), number), first, nxt)
    return Period("quarter", (None, number), first, last)
