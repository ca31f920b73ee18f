"""A proved fact of the incidents scenario, read from its item, with all that its sentences need."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from core.checklist import Checklist, ChecklistItem
from evaluator.calibration.wording import Wording, wordings

_OVERALL: Final = re.compile(r"against (-?[\d.,]*\d)")
_FIGURE: Final = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?(?!\w)")
"""None that is a part of a name."""
WEEKDAYS: Final = (
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
)
MONTHS: Final = ("March 2022", "June 2022", "October 2022", "February 2023", "May 2023")
_DAYS: Final = ("14 March 2022", "2 June 2022", "20 October 2022", "7 February 2023")
_CHANNELS: Final = ("phone", "email", "chat", "portal")
_LETTERS: Final = "ABCDEF"


@dataclass(frozen=True)
class Fact:
    """A proved fact with all that its sentences need."""

    item: ChecklistItem
    words: Wording
    team: str
    other_team: str
    figure: Decimal
    overall: Decimal | None
    place: str
    places: tuple[str, ...]
    """The wrong ones."""

    def shown(self, figure: Decimal | None = None) -> str:
        """A figure with its unit."""
        value = self.figure if figure is None else figure
        return f"{abs(value):,}{self.words.unit}"

    def say(self, template: str, **changes: str) -> str:
        """A sentence of it."""
        values = {
            "t": self.team,
            "v": self.shown(),
            "p": self.place,
            "d": "up" if self.figure > 0 else "down",
        }
        return _opened(template.format(**{**values, **changes}))

    def rounded(self) -> Decimal | None:
        """The figure with one digit less, where that is beyond dispute and two digits stay."""
        digits = abs(self.figure).as_tuple()
        if not self.words.decimals or digits.digits[-1] in (0, 5) or len(digits.digits) < 3:
            return None
        step = Decimal(1).scaleb(-(self.words.decimals - 1))
        return self.figure.quantize(step, ROUND_HALF_UP)

    def wrong(self, draw: random.Random) -> Decimal:
        """Another figure of the same kind, far from the true one."""
        low, high = ("0.55", "0.7") if draw.random() < 0.5 else ("1.4", "1.8")
        if self.words.unit == "%" and self.figure > 50:
            low, high = "0.55", "0.7"
        share = Decimal(str(round(draw.uniform(float(low), float(high)), 2)))
        step = Decimal(1).scaleb(-self.words.decimals)
        found = (self.figure * share).quantize(step)
        return found if found != self.figure else self.figure + step

    def near(self) -> Decimal | None:
        """A figure that is close and yet another one; None where the digits are too few."""
        step = Decimal(1).scaleb(-self.words.decimals)
        found = (self.figure * Decimal("1.08")).quantize(step)
        return found if abs(found - self.figure) >= 3 * step else None


def facts_of(checklist: Checklist, draw: random.Random) -> dict[str, list[Fact]]:
    """Per team one fact of each category that has one."""
    teams = sorted({item.entity_id for item in checklist.items})
    found: dict[str, list[Fact]] = {}
    for team in teams:
        categories: dict[str, list[ChecklistItem]] = defaultdict(list)
        for item in checklist.of(team):
            if item.source.removeprefix("template:") in wordings():
                categories[item.category].append(item)
        others = [each for each in teams if each != team]
        chosen = [draw.choice(items) for _, items in sorted(categories.items())]
        draw.shuffle(chosen)
        found[team] = [_fact(item, draw.choice(others), draw) for item in chosen]
    return found


def _fact(item: ChecklistItem, other_team: str, draw: random.Random) -> Fact:
    words = wordings()[item.source.removeprefix("template:")]
    value = item.expected.value if item.expected else None
    if not isinstance(value, float) or item.signals is None:
        raise ValueError(f"{item.id} has no figure")
    # The figure is taken as the answer prints it: rounding a half is the author's choice.
    exact = Decimal(str(abs(value)))
    step = Decimal(1).scaleb(-words.decimals)
    printed = [Decimal(n.replace(",", "")) for n in _FIGURE.findall(item.answer)]
    figure = next(
        (n for n in printed if abs(n - exact) <= step / 2 and n == n.quantize(step)), None
    )
    if figure is None:
        raise ValueError(f"{item.id}: no figure of {value} in {item.answer!r}")
    over_all = _OVERALL.search(item.answer)
    return Fact(
        item=item,
        words=words,
        team=item.entity_id,
        other_team=other_team,
        figure=-figure if value < 0 else figure,
        overall=Decimal(over_all[1].replace(",", "")) if over_all else None,
        place=(place := _place(item, words)),
        places=tuple(p for p in _rivals(item.entity_id, words, draw) if p != place),
    )


def _place(item: ChecklistItem, words: Wording) -> str:
    signals = item.signals
    assert signals is not None
    if words.place is None:
        return ""
    if words.place == "month":
        return signals.period[0]
    if words.place == "day":
        return signals.period[1]
    said = signals.scope[0][0]
    return f"{said}:00" if words.place == "hour" else said


def _rivals(team: str, words: Wording, draw: random.Random) -> Sequence[str]:
    match words.place:
        case "weekday":
            return WEEKDAYS
        case "month":
            return MONTHS
        case "day":
            return _DAYS
        case "channel":
            return _CHANNELS
        case "hour":
            return [f"{hour}:00" for hour in draw.sample(range(8, 19), 4)]
        case "category":
            return [f"K{n}" for n in draw.sample(range(1, 10), 4)]
        case "agent":
            return [f"{team}-{letter}" for letter in _LETTERS]
        case None:
            return ()


def _opened(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:]
