"""Render proved facts as claims: in several wordings, and made wrong in one slot."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.checklist import ChecklistItem

_NUMBER = re.compile(r"(?<![\w.,-])-?\d[\d,]*(?:\.\d+)?(?![\w]|-\w)")
_REST = re.compile(r",? against (-?[\d,.]+\d)((?: [a-z°F]+)?|%) over all (\w+)")
_CODE = re.compile(r"\b[A-Z][A-Z0-9]*\d[\w-]*|\b[A-Z]{3,}\b")
_MONTHS = calendar.month_name[1:]
_DAYS = calendar.day_name[:]
_DAY = re.compile(r"\b\d{1,2} (?=(?:" + "|".join(_MONTHS) + r")\b)")
_HOUR = re.compile(r"(?<=hour from )\d{1,2}:00|(?<=hour )\d{1,2}(?= )")
_OPPOSITES = (
    ("highest", "lowest"), ("longest", "shortest"), ("higher", "lower"), ("oldest", "youngest"),
)  # fmt: skip
_CONDITIONS = (
    ("is below", "is above"), ("is above", "is below"), ("with rain or other precipitation", "without any precipitation"),
    ("with precipitation above 0 (rain)", "without any precipitation"),
    ("before 12:00", "after 12:00"), ("at 18:00 or later (evening)", "before 12:00"),
    ("on a Saturday or Sunday (the weekend)", "between Monday and Friday"),
)  # fmt: skip
"""Conditions of the shipped facts, and what is outside them."""


@dataclass(frozen=True)
class Claim:
    """A sentence about one fact."""

    text: str
    manner: str
    """How it was made: exact, rounded, ...; wrong figure, wrong period, ..."""
    is_true: bool
    """Whether it states the fact."""


@dataclass(frozen=True)
class Rendering:
    """A fact's answer with what its claims are made of."""

    item: ChecklistItem
    noun: str
    """What its entity is called."""
    rivals: Sequence[str]
    """Other entities' ids, of which one takes the place of its own."""
    codes: Sequence[str]
    """Names out of the data in other facts of its kind."""

    def claims(self) -> Iterator[Claim]:
        """Every claim that can be made of it; a spoiling without a place in the answer is left out."""
        for manner, text in self._true():
            yield Claim(text, manner, is_true=True)
        for manner, wrong in self._false():
            if wrong is not None and wrong != self.item.answer:
                yield Claim(wrong, manner, is_true=False)

    def _true(self) -> Iterator[tuple[str, str]]:
        answer = self.item.answer
        yield "exact", answer
        yield "in a list", f"- **{answer}**"
        yield "after a heading", f"## Findings on {self.noun} {self.item.entity_id}\n\n{answer}"
        for manner, reworded in (
            ("average", _sub(r"\bmean\b", "average", answer)),
            ("abbreviated", _sub(r"(?<=\d) minutes\b", " min", _sub(r"\bmean\b", "avg", answer))),
            ("percent", _sub(r"(?<=\d)%", " percent", answer)),
            ("compared", _REST.sub(r", compared with \1\2 for all \3", answer)),
            ("in brackets", _REST.sub(r" (all \3: \1\2)", answer)),
            ("alone", _REST.sub("", answer)),
            ("rounded", self._rounded()),
        ):
            if reworded is not None and reworded != answer:
                yield manner, reworded

    def _false(self) -> Iterator[tuple[str, str | None]]:
        answer = self.item.answer
        yield (
            "wrong figure",
            self._with_figure(lambda value: value * 1.37 + (1 if value >= 0 else -1)),
        )
        yield "far figure", self._with_figure(lambda value: value * 0.4 - 2 * (value < 0))
        yield "wrong direction", self._turned()
        yield "wrong side", self._on_the_wrong_side()
        yield "wrong period", self._in_another_period()
        yield "wrong scope", self._of_another_scope()
        yield "wrong entity", self._of(self.rivals[0] if self.rivals else None)
        yield "wrong statistic", self._of_another_statistic()
        yield "denied", f"It is not true that {_small(answer)}"
        yield "supposed", f"Perhaps {_small(answer)}"
        yield "without a figure", self._without_figures()

    def _place(self) -> re.Match[str] | None:
        """Where the answer prints the fact's figure."""
        magnitude = self.item.signals.magnitude if self.item.signals is not None else None
        if magnitude is None:
            return None
        for found in _NUMBER.finditer(self.item.answer):
            digits = len(found.group().partition(".")[2])
            stated = float(found.group().replace(",", ""))
            step = 0.5 * 10.0**-digits + 1e-9
            if abs(abs(stated) - abs(magnitude.value)) <= step:
                return found
        return None

    def _with_figure(self, change: object) -> str | None:
        place = self._place()
        if place is None or not callable(change):
            return None
        digits = len(place.group().partition(".")[2])
        wrong = change(float(place.group().replace(",", "")))
        grouped = "," in place.group()
        printed = f"{wrong:,.{digits}f}" if grouped else f"{wrong:.{digits}f}"
        return self._put(place, printed)

    def _put(self, place: re.Match[str], text: str) -> str:
        answer = self.item.answer
        return answer[: place.start()] + text + answer[place.end() :]

    def _rounded(self) -> str | None:
        """Without its last decimal, as 'about'; a figure below 10 stays."""
        place = self._place()
        if (
            place is None
            or "." not in place.group()
            or abs(float(place.group().replace(",", ""))) < 10
        ):
            return None
        magnitude = self.item.signals.magnitude if self.item.signals is not None else None
        return self._put(place, f"about {magnitude.value:,.0f}") if magnitude is not None else None

    def _turned(self) -> str | None:
        answer = self.item.answer
        for pair in _OPPOSITES:
            if re.search(rf"\b({pair[0]}|{pair[1]})\b", answer):
                return _swapped(answer)
        return None

    def _on_the_wrong_side(self) -> str | None:
        place, rest = self._place(), _REST.search(self.item.answer)
        if place is None or rest is None:
            return None
        own, theirs = (float(text.replace(",", "")) for text in (place.group(), rest.group(1)))
        if own == theirs:
            return None
        word = "lower" if own > theirs else "higher"
        return _REST.sub(rf", {word} than over all \3", self.item.answer)

    def _in_another_period(self) -> str | None:
        answer = self.item.answer
        for names in (_MONTHS, _DAYS):
            for place, name in enumerate(names):
                if re.search(rf"\b{name}", answer):
                    return re.sub(rf"\b{name}", names[(place + 3) % len(names)], answer)
        hour = _HOUR.search(answer)
        if hour is not None:
            number = (int(hour.group().partition(":")[0]) + 5) % 24
            return self._put(hour, f"{number}:00" if ":" in hour.group() else str(number))
        return None

    def _of_another_scope(self) -> str | None:
        answer = self.item.answer
        for inside, outside in _CONDITIONS:
            if inside in answer:
                return answer.replace(inside, outside)
        named = [code for code in _CODE.findall(answer) if code != self.item.entity_id]
        others = [code for code in self.codes if code not in answer]
        return answer.replace(named[0], others[0]) if named and others else None

    def _of(self, entity_id: str | None) -> str | None:
        if entity_id is None:
            return None
        return re.sub(rf"\b{re.escape(self.item.entity_id)}\b", entity_id, self.item.answer)

    def _of_another_statistic(self) -> str | None:
        answer = self.item.answer
        for one, other in (
            ("standard deviation", "mean"), ("mean", "median"), ("median", "mean"),
            ("longest (highest)", "mean"), ("lowest", "mean"),
        ):  # fmt: skip
            wanted = self.item.signals.statistic if self.item.signals is not None else None
            if one == "lowest" and wanted not in ("min", "max"):
                continue
            if re.search(rf"\b{re.escape(one)}", answer, re.IGNORECASE):
                return re.sub(rf"\b{re.escape(one)}", other, answer, count=1, flags=re.IGNORECASE)
        return None

    def _without_figures(self) -> str | None:
        place = self._place()
        if place is None:
            return None
        return re.sub(
            r"notable (?:%|\w+)?", "a notable amount", self._put(place, "notable "), count=1
        )


def _swapped(text: str) -> str:
    """Every word of direction turned round."""
    turned = {**dict(_OPPOSITES), **{other: one for one, other in _OPPOSITES}}
    return re.sub(rf"\b({'|'.join(turned)})\b", lambda found: turned[found.group()], text)


def _sub(pattern: str, by: str, text: str) -> str:
    return re.sub(pattern, by, text)


def _small(text: str) -> str:
    """A sentence's beginning inside another sentence: codes keep their capitals."""
    first = text.split(" ", 1)[0]
    return text if _CODE.fullmatch(first.rstrip("'s")) else text[0].lower() + text[1:]


def codes_of(items: Sequence[ChecklistItem]) -> dict[str, list[str]]:
    """Per source of facts: the names out of the data that its answers hold."""
    found: dict[str, list[str]] = {}
    for item in items:
        names = [code for code in _CODE.findall(item.answer) if code != item.entity_id]
        found.setdefault(item.source, []).extend(names[:1])
    return found
