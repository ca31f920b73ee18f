"""The proof by disorder: an item must fail on perturbed copies of its database."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from checklists.authoring.asked import Asked
from checklists.perturb import Copy, Perturbation, copy_of
from checklists.proof import Outcome, Progress
from checklists.reading import Reading, columns_of, read
from checklists.statement import Schema
from core.checklist import ChecklistItem
from core.errors import ChecklistError, UnknownNameError

if TYPE_CHECKING:
    import duckdb

MUST_FAIL = 0.95
"""The share of seeds on which a perturbed item must fail: 19 of 20."""


def broken_by_disorder(
    items: Sequence[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    seeds: Sequence[int],
    *,
    asked: Asked | None,
    schema: Schema,
    progress: Progress,
    seconds: float | None = None,
) -> Outcome:
    """Which items do not fail on at least 19 of 20 perturbed copies, and why.

    To fail there is to give a value, and one outside the tolerance: a query that breaks or finds
    nothing proves nothing. An item that has survived too often already is not tried further.
    `seconds`: what one statement may take on a copy, where it is not ours.
    """
    outcome = Outcome()
    groups = _by_perturbation(items, outcome)
    done, whole = 0, max(1, len(groups) * len(seeds))
    with copy_of(connection) as copy:
        for perturbation, members in groups.items():
            tried = _Tried(members, seeds, seconds)
            columns = columns_of(members, perturbation.table, schema, asked)
            for seed in seeds:
                progress(f"perturbed copies ({perturbation.kind}): seed {seed}", done / whole)
                done += 1
                try:
                    copy.disorder(perturbation, seed, columns)
                except UnknownNameError as exc:
                    outcome.failed.update({item.id: str(exc) for item in members})
                    break
                tried.on(copy, seed, asked)
            outcome.failed.update(tried.reasons())
    progress("perturbed copies", 1.0)
    return outcome


class _Tried:
    """Items that share a perturbed copy, and how they fared seed by seed."""

    def __init__(
        self, items: Sequence[ChecklistItem], seeds: Sequence[int], seconds: float | None
    ) -> None:
        self._open, self._seconds = list(items), seconds
        self._allowed = len(seeds) - math.ceil(MUST_FAIL * len(seeds))
        self._seeds = len(seeds)
        self._survived: dict[str, list[str]] = {}

    def on(self, copy: Copy, seed: int, asked: Asked | None) -> None:
        readings = read(self._open, copy.cursor, asked, self._seconds)
        for item in self._open:
            if why := _why_it_survives(item, readings[item.id]):
                self._survived.setdefault(item.id, []).append(f"seed {seed}: {why}")
        self._open = [
            item for item in self._open if len(self._survived.get(item.id, ())) <= self._allowed
        ]

    def reasons(self) -> dict[str, str]:
        return {
            item_id: f"does not fail on {len(found)} of {self._seeds} copies, where {self._allowed} may be "
            f"survived ({'; '.join(found[:3])})"
            for item_id, found in self._survived.items()
            if len(found) > self._allowed
        }


def _why_it_survives(item: ChecklistItem, reading: Reading) -> str | None:
    assert item.expected is not None
    if reading.fault is not None:
        return reading.fault
    if reading.value is None:
        return "no value"
    return f"still {reading.value!r}" if item.expected.holds(reading.value) else None


def _by_perturbation(
    items: Sequence[ChecklistItem], outcome: Outcome
) -> dict[Perturbation, list[ChecklistItem]]:
    """Items that share a perturbed copy; why others have none is noted."""
    groups: dict[Perturbation, list[ChecklistItem]] = {}
    for item in items:
        if item.evidence_sql is None or item.expected is None or item.perturbation is None:
            outcome.failed[item.id] = "it has no evidence_sql, expected value or perturbation"
            continue
        try:
            groups.setdefault(Perturbation.parse(item.perturbation), []).append(item)
        except (ChecklistError, UnknownNameError) as exc:
            outcome.failed[item.id] = str(exc)
    return groups
