"""Read an hour from its two ends: 'between 7 and 8 pm', '17:00 to 18:00', '17:00-17:59'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.reading.forms import Form

_LINKS = frozenset({"and", "to", "-", "–", "until", "till"})


@dataclass(frozen=True, slots=True)
class _Time:
    hour: int
    minute: int
    last: int
    """The place of its last word."""


def hour_between(forms: Sequence[Form], i: int) -> tuple[int, int] | None:
    """(hour, last place) of the whole hour whose beginning stands at `i`; None where none does."""
    if i + 2 >= len(forms) or forms[i + 1].text not in _LINKS:
        return None
    ends = _time(forms, i + 2)
    if ends is None:
        return None
    starts = _time(forms, i) or _bare(forms[i], ends)
    if starts is None or starts.minute != 0:
        return None
    till_next = ends.minute == 0 and (starts.hour + 1) % 24 == ends.hour
    within = ends.minute == 59 and starts.hour == ends.hour
    return (starts.hour, ends.last) if till_next or within else None


def _time(forms: Sequence[Form], i: int) -> _Time | None:
    """A clock time, or a number with am or pm."""
    form = forms[i]
    if form.kind == "clock":
        hour, _, minute = form.text.partition(":")
        return _Time(int(hour) % 24, int(minute), i)
    after = forms[i + 1].text if i + 1 < len(forms) else ""
    half = next((text for text in (form.suffix, after) if text in ("am", "pm")), "")
    if form.kind != "number" or not half or not form.text.isdigit() or form.value > 12:
        return None
    return _Time(int(form.value) % 12 + 12 * (half == "pm"), 0, i if form.suffix else i + 1)


def _bare(form: Form, ends: _Time) -> _Time | None:
    """The 7 of '7 and 8 pm': in the half of the day that makes it the hour before."""
    if form.kind != "number" or not form.text.isdigit() or not 1 <= form.value <= 12:
        return None
    hours = (int(form.value) % 12, int(form.value) % 12 + 12)
    hour = next((each for each in hours if (each + 1) % 24 == ends.hour), None)
    return None if hour is None else _Time(hour, 0, 0)
