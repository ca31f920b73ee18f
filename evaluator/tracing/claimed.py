"""The numbers that an insight claims: its figures without dates, ranks, names and numbering."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final, Literal

from evaluator.reading.clauses import Clause, clauses
from evaluator.reading.figures import Figure, figures
from evaluator.reading.folding import fold
from evaluator.reading.periods import periods

Window = tuple[float, float]
"""From, to: what rounds to the number as it is printed."""

NoClaim = Literal["period", "rank", "in words", "name", "numbering", "given", "convention"]
"""Numbers that are read as no claims: hours, days, months and years; ordinals and percentiles;
numbers in letters; identifiers; 'turn 7', 'top 10'; what the task itself said; '95% confidence'."""

_NUMBERED: Final = frozenset(
    [
        "turn",
        "turns",
        "step",
        "query",
        "call",
        "insight",
        "finding",
        "table",
        "figure",
        "section",
        "id",
        "no",
        "number",
        "item",
        "part",
        "page",
        "top",
        "bottom",
        "first",
        "last",
        "next",
        "option",
        "case",
        "group",
        "version",
        "rule",
        "cluster",
        "decile",
        "quartile",
    ]
)
_ABOUT: Final = frozenset(
    ["about", "around", "approximately", "roughly", "approx", "circa", "some", "~", "≈", "±"]
)
_OVER: Final = frozenset(["over", "above", "exceeding", "exceeds", ">"])
_UNDER: Final = frozenset(["under", "below", "nearly", "almost", "<"])
_RATIO: Final = frozenset(["ratio", "factor", "fold", "times", "multiple"])
_DIGITS: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True)
class Claimed:
    """A number as an insight states it."""

    text: str
    start: int
    end: int
    """Its place in the insight."""
    value: float
    unit: str
    """As evaluator.reading spells it: '%', 'pp', 'x', 'min', ...; '' where none is printed."""
    step: float
    """The printed unit: 0.1 for 28.4, 1000 for 55k."""
    window: Window
    clause: int
    ratio: bool = False
    """Its clause speaks of a ratio."""


@dataclass(frozen=True)
class Claims:
    """What one text claims in numbers."""

    numbers: tuple[Claimed, ...]
    left_out: Counter[NoClaim] = field(default_factory=Counter)


def claims_in(text: str, *, given: Collection[str] = frozenset()) -> Claims:
    """The numbers of an insight in order; `given`: spellings that its task contains."""
    folded = fold(text)
    found: list[Claimed] = []
    left: Counter[NoClaim] = Counter()
    seen: set[int] = set()
    for number, clause in enumerate(clauses(folded)):
        named = periods(clause.forms)
        taken = {place for period in named for place in range(period.first, period.last + 1)}
        left["period"] += len(
            [
                p
                for p in named
                if any(clause.forms[i].kind != "word" for i in range(p.first, p.last + 1))
            ]
        )
        words = {form.text for form in clause.forms}
        for figure in figures(clause, taken):
            start = clause.starts[figure.place]
            if start < 0 or start in seen:  # a table's header, or a cell that is read once more
                continue
            seen.add(start)
            if kind := _no_claim(clause, figure, given):
                left[kind] += 1
                continue
            first = clause.starts[figure.first] if clause.starts[figure.first] >= 0 else start
            last = (
                clause.ends[figure.last]
                if clause.ends[figure.last] >= 0
                else clause.ends[figure.place]
            )
            low, high = folded.place(first), folded.place(last - 1) + 1
            found.append(
                Claimed(
                    text=folded.raw[low:high],
                    start=low,
                    end=high,
                    value=figure.value,
                    unit=figure.unit,
                    step=figure.step,
                    window=_window(clause, figure),
                    clause=number,
                    ratio=not words.isdisjoint(_RATIO),
                )
            )
    return Claims(tuple(found), +left)


def spellings(text: str) -> frozenset[str]:
    """The numbers of a task as they are spelt there."""
    return frozenset(_DIGITS.findall(text))


def _no_claim(clause: Clause, figure: Figure, given: Collection[str]) -> NoClaim | None:
    forms = clause.forms
    if figure.ordinal:
        return "rank"
    if figure.word:
        return "in words"
    form = forms[figure.place]
    if form.text in given:
        return "given"
    if len(form.text) > 1 and form.text[0] == "0" and form.text.isdigit():
        return "name"
    before = forms[figure.first - 1].text if figure.first else ""
    if before in _NUMBERED and form.text.isdigit() and not figure.unit:
        return "numbering"
    follows = [f.text for f in forms[figure.last + 1 : figure.last + 3]]
    if figure.unit == "%" and follows and follows[0] in ("confidence", "ci", "credible"):
        return "convention"
    after = figure.place + 2
    if (
        after < len(forms)
        and forms[after - 1].text == "-"
        and clause.glued(after - 1)
        and clause.glued(after)
        and forms[after].kind == "word"
        and figure.last < after
    ):
        return "name"  # 10-K
    return None


def _window(clause: Clause, figure: Figure) -> Window:
    """Half the printed unit to both sides; wider where the words say that it is rounded."""
    value, half = figure.value, figure.step / 2
    low, high = value - half, value + half
    before = [form.text for form in clause.forms[max(0, figure.first - 2) : figure.first + 1]]
    coarse = _coarse(clause.forms[figure.place].text) * (figure.step if figure.step > 1 else 1.0)
    if coarse > figure.step:
        if not _ABOUT.isdisjoint(before):
            low, high = min(low, value - coarse / 2), max(high, value + coarse / 2)
        elif not _OVER.isdisjoint(before) or before[:2] in (["more", "than"], ["at", "least"]):
            high = max(high, value + coarse)
        elif not _UNDER.isdisjoint(before) or before[:2] in (["less", "than"], ["fewer", "than"]):
            low = min(low, value - coarse)
    return low, high


def _coarse(digits: str) -> float:
    """The unit of the last digit that is not 0, with two digits kept: 10 for 330, 10,000 for 330,000."""
    plain = digits.replace(",", "")
    if "." in plain or not plain.isdigit():
        return 0.0
    zeros = len(plain) - len(plain.rstrip("0"))
    return float(10 ** min(zeros, max(len(plain) - 2, 0)))
