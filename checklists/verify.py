"""Prove a checklist on its database: every item holds there, and fails on a perturbed copy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from checklists.evidence import Value, value_of
from checklists.perturb import Perturbation, copy_of
from core.checklist import Checklist, ChecklistItem
from core.errors import ChecklistError, UnknownNameError
from core.record import Record

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[str, float], None]
"""Told what is being done and how much of it is done, 0 to 1."""

MUST_FAIL = 0.95
"""The share of seeds on which a perturbed item must fail: 19 of 20."""


class Failure(Record):
    """Why one item is not proved."""

    item_id: str
    check: Literal["hold", "perturbation"]
    reason: str


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

    @property
    def proved(self) -> bool:
        """Whether all that was tried stands."""
        return not self.failures


def holds(checklist: Checklist, connection: duckdb.DuckDBPyConnection) -> Verification:
    """The quick half: run each accepted item's evidence on the database."""
    items = _accepted(checklist)
    return _verification(items, _hold_failures(items, connection), None)


def verify(
    checklist: Checklist,
    connection: duckdb.DuckDBPyConnection,
    *,
    seeds: Iterable[int] = range(20),
    progress: Progress = lambda text, share: None,
) -> Verification:
    """Both halves: each item holds, and fails on at least 19 of 20 perturbed copies.

    To fail there is to give a value, and one outside the tolerance: a query that breaks or finds
    nothing proves nothing. The database itself is only read.
    """
    items = _accepted(checklist)
    progress(f"running the evidence of {len(items)} items", 0.0)
    broken = _hold_failures(items, connection)
    listed = list(seeds)
    vacuous = _perturbation_failures(items, connection, listed, progress) if listed else None
    return _verification(items, broken, vacuous)


def _accepted(checklist: Checklist) -> list[ChecklistItem]:
    return [item for item in checklist.items if item.status == "accepted"]


def _verification(
    items: Sequence[ChecklistItem], broken: Sequence[Failure], vacuous: Sequence[Failure] | None
) -> Verification:
    return Verification(
        items=len(items),
        hold=len(items) - len(broken),
        fail_when_perturbed=None if vacuous is None else len(items) - len(vacuous),
        categories=dict(sorted(Counter(item.category for item in items).items())),
        by_entity=dict(sorted(Counter(item.entity_id for item in items).items())),
        failures=(*broken, *(vacuous or ())),
    )


def _hold_failures(
    items: Sequence[ChecklistItem], connection: duckdb.DuckDBPyConnection
) -> list[Failure]:
    return [
        Failure(item_id=item.id, check="hold", reason=reason)
        for item in items
        if (reason := _why_it_does_not_hold(item, connection))
    ]


def _why_it_does_not_hold(item: ChecklistItem, connection: duckdb.DuckDBPyConnection) -> str | None:
    if item.evidence_sql is None or item.expected is None:
        return "it has no evidence_sql or no expected value"
    try:
        value = value_of(connection, item.evidence_sql)
    except ChecklistError as exc:
        return str(exc)
    if item.expected.holds(value):
        return None
    return (
        f"the evidence gives {value!r}, expected is {item.expected.value!r} "
        f"within {item.expected.tolerance:g}"
    )


def _perturbation_failures(
    items: Sequence[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    seeds: Sequence[int],
    progress: Progress,
) -> list[Failure]:
    groups, reasons = _by_perturbation(items)
    outcomes: dict[str, list[str | None]] = {}
    done, whole = 0, max(1, len(groups) * len(seeds))
    with copy_of(connection) as copy:
        for perturbation, members in groups.items():
            for seed in seeds:
                progress(f"perturbed copies ({perturbation.kind}): seed {seed}", done / whole)
                done += 1
                try:
                    copy.disorder(perturbation, seed)
                except UnknownNameError as exc:
                    reasons.update({item.id: str(exc) for item in members})
                    break
                for item in members:
                    outcomes.setdefault(item.id, []).append(_why_it_survives(item, copy.cursor))
    progress("perturbed copies", 1.0)
    for item_id, found in outcomes.items():
        survived = [f"seed {seed}: {why}" for seed, why in zip(seeds, found, strict=True) if why]
        if len(seeds) - len(survived) < math.ceil(MUST_FAIL * len(seeds)):
            shown = "; ".join(survived[:3])
            reasons[item_id] = f"does not fail on {len(survived)} of {len(seeds)} copies ({shown})"
    order = [item.id for item in items if item.id in reasons]
    return [Failure(item_id=i, check="perturbation", reason=reasons[i]) for i in order]


def _by_perturbation(
    items: Sequence[ChecklistItem],
) -> tuple[dict[Perturbation, list[ChecklistItem]], dict[str, str]]:
    """Items that share a perturbed copy, and why others have none."""
    groups: dict[Perturbation, list[ChecklistItem]] = {}
    reasons: dict[str, str] = {}
    for item in items:
        if item.evidence_sql is None or item.expected is None or item.perturbation is None:
            reasons[item.id] = "it has no evidence_sql, expected value or perturbation"
            continue
        try:
            groups.setdefault(Perturbation.parse(item.perturbation), []).append(item)
        except (ChecklistError, UnknownNameError) as exc:
            reasons[item.id] = str(exc)
    return groups, reasons


def _why_it_survives(item: ChecklistItem, cursor: duckdb.DuckDBPyConnection) -> str | None:
    if item.evidence_sql is None or item.expected is None:
        raise AssertionError("items without evidence never come here")
    try:
        value: Value = value_of(cursor, item.evidence_sql)
    except ChecklistError as exc:
        return str(exc)
    if value is None:
        return "no value"
    return f"still {value!r}" if item.expected.holds(value) else None
