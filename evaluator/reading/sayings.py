"""Find idioms and ways to write a time that stand for one word: 'pushes back', 'behind schedule', '6 pm'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evaluator.reading.forms import Form
from evaluator.reading.measures import MINUTES, UNITS
from evaluator.reading.periods import period_at
from evaluator.reading.stems import stem


class Saying(NamedTuple):
    """A stretch of a clause, and the stems that it stands for besides its own."""

    first: int
    last: int
    stems: tuple[str, ...]
    place: int
    """Where those stems count as written."""


def _stems(*words: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in words)


_DEPART, _ARRIVE = _stems("depart"), _stems("arrive")
_LATE = _stems("late", "delay")

_VERBS: dict[tuple[str, str], tuple[str, ...]] = {
    **{(verb, "back"): _DEPART for verb in ("push", "pushes", "pushed", "pushing")},
    **{
        (verb, "off"): _DEPART
        for verb in ("take", "takes", "took", "taken", "taking", "set", "sets")
    },
    **{(verb, "in"): _ARRIVE for verb in ("get", "gets", "got", "come", "comes", "came", "coming")},
    **{(verb, "down"): _ARRIVE for verb in ("touch", "touches", "touched", "touching")},
}
"""Verbs that mean something else with the little word behind them."""

_SPREAD = frozenset({"sd", "std", "stdev", "stddev"})
_COVER = frozenset(
    [
        "cover",
        "covers",
        "covered",
        "covering",
        "span",
        "spans",
        "spanned",
        "spanning",
        "travel",
        "travels",
        "travelled",
    ]
)
_AFTER_HOURS = frozenset({"am", "pm", "a", "p", "o'clock", "and", "to", "-", "–"})
_ON_TIME = frozenset({"schedule", "time", "plan", "timetable", "scheduled", "planned"})
_POSSESSIVES = frozenset({"the", "its", "their", "of", "on"})
_LATE_WORDS = frozenset({"behind", "after", "past"})


def sayings(forms: Sequence[Form], starts: Iterable[int]) -> Sequence[Saying]:
    """Every saying of a clause in order; `starts` are the places where one may start."""
    found = []
    for i in starts:
        form = forms[i]
        if form.kind == "word":
            saying = _idiom(forms, i)
        elif form.kind == "clock" or form.suffix or _text(forms, i + 1) in _AFTER_HOURS:
            saying = _time_of_day(forms, i)
        else:
            continue
        if saying is not None:
            found.append(saying)
    return found or ()


def _idiom(forms: Sequence[Form], i: int) -> Saying | None:
    text, after = forms[i].text, _text(forms, i + 1)
    if (text, after) in _VERBS:
        return Saying(i, i + 1, _VERBS[text, after], i + 1)
    if text == "late":
        return Saying(i, i, _LATE, i)
    if text in _SPREAD:
        return Saying(i, i, _stems("standard", "deviation"), i)
    if text == "on":
        return Saying(i, i + 1, _stems("database"), i + 1) if after in ("record", "file") else None
    if text in _COVER:
        return _distance(forms, i)
    if text.startswith("reach"):
        last = i + 2 if after in _POSSESSIVES else i + 1
        if _text(forms, last) in ("destination", "destinations"):
            return Saying(i, last, _ARRIVE, i)
        return None
    return _as_planned(forms, i)


def _as_planned(forms: Sequence[Form], i: int) -> Saying | None:
    """'behind schedule', 'after its scheduled time', '2.1 minutes early'."""
    text, last = forms[i].text, _of_the_schedule(forms, i)
    if text in _LATE_WORDS:
        return Saying(i, last, _LATE, i) if last > i else None
    # 'the delay is 2.1 minutes early': a figure of its own for how late
    timed = i > 0 and UNITS.get(forms[i - 1].text) in MINUTES
    if timed and (text in ("early", "earlier", "later") or last > i):
        return Saying(i, last, _LATE, i)
    return None


def _distance(forms: Sequence[Form], i: int) -> Saying | None:
    """'covers about 2,400 miles'."""
    for j in range(i + 1, min(i + 6, len(forms) - 1)):
        if forms[j].kind == "number":
            far = UNITS.get(forms[j + 1].text) in ("mi", "km")
            return Saying(i, i, _stems("distance"), i) if far else None
    return None


def _of_the_schedule(forms: Sequence[Form], i: int) -> int:
    """Where 'behind schedule', 'ahead of its scheduled time' ends; `i` where it is no such thing."""
    j = i + 1
    while _text(forms, j) in _POSSESSIVES and j < i + 4:
        j += 1
    last = i
    while _text(forms, j) in _ON_TIME and j < i + 6:
        last, j = j, j + 1
    return last


def _time_of_day(forms: Sequence[Form], i: int) -> Saying | None:
    """'6 pm', '18:00', "18 o'clock" are one and the same."""
    period = period_at(forms, i)
    if period is None or period.grain != "hour" or period.first != i:
        return None
    return Saying(i, period.last, (hour_stem(period.value[0] or 0),), i)


def hour_stem(hour: int) -> str:
    """How a time of day is looked for, however it was written."""
    return f"{hour:02}:00"


def is_early(forms: Sequence[Form], i: int) -> bool:
    """Whether the words from `i` on turn a stretch of time round: 'early', 'before schedule'."""
    for place in (i, i + 1):
        text = _text(forms, place)
        if text in ("early", "earlier"):
            # '3 minutes earlier than the rest' tells two apart; 'earlier than planned' does not
            than = _text(forms, place + 1) == "than"
            return not than or _text(forms, place + 2) in _ON_TIME
        if text == "ahead" or (text == "before" and _of_the_schedule(forms, place) > place):
            return True
    return False


def _text(forms: Sequence[Form], i: int) -> str:
    return forms[i].text if 0 <= i < len(forms) else ""
