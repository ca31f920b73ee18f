"""The proof by disorder: an item must fail on perturbed copies of its database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from checklists.authoring.asked import Asked
from checklists.perturb import Copy, Perturbation, copy_of
from checklists.proof import Outcome, Progress, Strikes
from checklists.reading import Reading, columns_of, read
from checklists.statement import Schema
from core.checklist import ChecklistItem
from core.errors import ChecklistError, UnknownNameError

if TYPE_CHECKING:
    import duckdb


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
            strikes = Strikes(members, len(seeds))
            columns = columns_of(members, perturbation.table, schema, asked)
            for seed in seeds:
                progress(f"perturbed copies ({perturbation.kind}): seed {seed}", done / whole)
                done += 1
                try:
                    copy.disorder(perturbation, seed, columns)
                except UnknownNameError as exc:
                    outcome.failed.update({item.id: str(exc) for item in members})
                    break
                strikes.add(seed, _survivors(strikes.open, copy, asked, seconds))
            for item_id, number, why in strikes.out():
                outcome.failed[item_id] = (
                    f"does not fail on {number} of {strikes.copies} copies, where {strikes.allowed} "
                    f"may be survived ({why})"
                )
    progress("perturbed copies", 1.0)
    return outcome


def _survivors(
    items: Sequence[ChecklistItem], copy: Copy, asked: Asked | None, seconds: float | None
) -> Iterator[tuple[str, str]]:
    readings = read(items, copy.cursor, asked, seconds)
    for item in items:
        if why := _why_it_survives(item, readings[item.id]):
            yield item.id, why


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
