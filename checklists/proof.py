"""What a proof came to: check by check, and why an item is not proved."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import Field

from core.checklist import ChecklistItem
from core.record import Record

Check = Literal["hold", "reach", "fit", "population", "perturbation", "resampling", "second"]
"""In the order in which they are made (EVALUATION 5.5)."""

CHECKS: dict[Check, str] = {
    "hold": "hold on the database",
    "reach": "are within the reach of a tool's call",
    "fit": "are disordered where the fact rests",
    "population": "stand out, and are no near tie",
    "perturbation": "fail when perturbed",
    "resampling": "stay true when rows are drawn anew",
    "second": "come out the same in another engine",
}
"""What is said of the items that pass."""


class Failure(Record):
    """Why one item is not proved."""

    item_id: str
    check: Check
    reason: str


class Tally(Record):
    """How one check went over all items."""

    passed: int
    failed: int
    unknown: int = 0
    """Items that it could not be made for."""


class Verification(Record):
    """What was proved of a checklist."""

    items: int
    hold: int
    fail_when_perturbed: int | None
    """None where the perturbation was not tried."""
    categories: dict[str, int]
    """Items per category."""
    by_entity: dict[str, int]
    """Items per entity."""
    failures: tuple[Failure, ...]
    checks: dict[Check, Tally] = Field(default_factory=dict)
    """Each check that was made."""
    unknown: dict[str, int] = Field(default_factory=dict)
    """Why a check could not be made (`second: ...`), and for how many items."""

    @property
    def proved(self) -> bool:
        """Whether all that was tried stands."""
        return not self.failures


@dataclass
class Outcome:
    """What one check found, by item."""

    failed: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)


Progress = Callable[[str, float], None]
"""Told what is being done and how much of it is done, 0 to 1."""


def part(progress: Progress, start: float, end: float) -> Progress:
    """For one step of several: what it tells, within its share of the whole."""
    return lambda text, share: progress(text, start + share * (end - start))


Outcomes = Mapping[Check, Outcome]


def joined(found: Iterable[Outcomes]) -> dict[Check, Outcome]:
    """What the same checks found of items that lie on several databases."""
    whole: dict[Check, Outcome] = {}
    for outcomes in found:
        for check, outcome in outcomes.items():
            mine = whole.setdefault(check, Outcome())
            mine.failed.update(outcome.failed)
            mine.unknown.update(outcome.unknown)
    return whole


MUST_PASS = 0.95
"""The share of copies on which an item must do as it should: 19 of 20."""


class Strikes:
    """Items that are tried on one copy after another; one with too many strikes is tried no further."""

    def __init__(self, items: Sequence[ChecklistItem], copies: int) -> None:
        self.open = list(items)
        """Those that are still tried."""
        self.copies, self.allowed = copies, copies - math.ceil(MUST_PASS * copies)
        self._found: dict[str, list[str]] = {}

    def add(self, seed: int, found: Iterable[tuple[str, str]]) -> None:
        """On the copy of this seed these items, by id, did not do as they should, and why."""
        for item_id, why in found:
            self._found.setdefault(item_id, []).append(f"seed {seed}: {why}")
        self.open = [i for i in self.open if len(self._found.get(i.id, ())) <= self.allowed]

    def out(self) -> Iterator[tuple[str, int, str]]:
        """Each item with more strikes than are allowed: its id, how many, and why the first three."""
        for item_id, found in self._found.items():
            if len(found) > self.allowed:
                yield item_id, len(found), "; ".join(found[:3])


def summed_up(items: Sequence[ChecklistItem], outcomes: Outcomes) -> Verification:
    """The record of all checks that were made on these items."""
    tallies: dict[Check, Tally] = {}
    failures: list[Failure] = []
    unknown: Counter[str] = Counter()
    for check, outcome in outcomes.items():
        failed = [item.id for item in items if item.id in outcome.failed]
        unclear = [item.id for item in items if item.id in outcome.unknown]
        failures += [
            Failure(item_id=item_id, check=check, reason=outcome.failed[item_id])
            for item_id in failed
        ]
        unknown.update(f"{check}: {outcome.unknown[item_id]}" for item_id in unclear)
        tallies[check] = Tally(
            passed=len(items) - len(failed) - len(unclear),
            failed=len(failed),
            unknown=len(unclear),
        )
    broken = tallies.get("perturbation")
    return Verification(
        items=len(items),
        hold=tallies["hold"].passed,
        fail_when_perturbed=broken.passed if broken else None,
        categories=dict(sorted(Counter(item.category for item in items).items())),
        by_entity=dict(sorted(Counter(item.entity_id for item in items).items())),
        failures=tuple(failures),
        checks=tallies,
        unknown=dict(sorted(unknown.items())),
    )
