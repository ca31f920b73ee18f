"""Whether an item's disorder fits its fact: it must take away what the fact rests on, and no other thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checklists.perturb import Perturbation
from checklists.proof import Outcome
from checklists.statement import Schema, columns_read
from core.checklist import ChecklistItem
from core.errors import ChecklistError, UnknownNameError

Reads = Mapping[str, frozenset[str]]
"""The columns that a statement reads, by table; names in lower case."""


def unfit(items: Iterable[ChecklistItem], schema: Schema) -> Outcome:
    """The items whose perturbation does not fit, and why."""
    outcome = Outcome()
    known: dict[tuple[object, ...], str | None] = {}
    for item in items:
        # Items that differ by their entity alone read the same.
        sql = (item.evidence_sql or "").replace(item.entity_id, "")
        signals = item.signals
        about = (bool(signals.period), signals.comparator, signals.kind) if signals else ()
        key = (sql, item.perturbation, *about)
        if key not in known:
            known[key] = why_it_does_not_fit(item, schema)
        if reason := known[key]:
            outcome.failed[item.id] = reason
    return outcome


def why_it_does_not_fit(item: ChecklistItem, schema: Schema) -> str | None:
    """Why the item's perturbation says nothing about its fact; None where it fits.

    The disordered columns must be among those that the evidence reads: what breaks by anything else
    breaks by accident. And exchanging the entities breaks nearly every figure about one of them, so
    it fits neither a fact about time nor a correlation, whose own relation must be taken away.
    """
    if item.evidence_sql is None or item.perturbation is None:
        return "it has no evidence_sql or no perturbation"
    try:
        parsed = Perturbation.parse(item.perturbation)
        reads = columns_read(item.evidence_sql, schema)
    except (ChecklistError, UnknownNameError) as exc:
        return str(exc)
    if fault := _untouched(parsed, reads):
        return fault
    if parsed.kind != "entities" or item.signals is None:
        return None
    if item.signals.period or item.signals.comparator == "time":
        return (
            "a fact about time rests on time, not on whose rows they are: use 'time' or 'outcome'"
        )
    if item.signals.kind == "correlation":
        return "a correlation rests on what goes with what: use 'outcome', 'time' or 'join'"
    return None


def _untouched(perturbation: Perturbation, reads: Reads) -> str | None:
    table = perturbation.table.lower()
    if table not in reads:
        named = ", ".join(sorted(reads)) or "no table"
        return f"it disorders {perturbation.table}, and the evidence reads {named}"
    if not reads[table] & {column.lower() for column in perturbation.columns}:
        named = ", ".join(sorted(reads[table])) or "no column"
        return (
            f"it disorders {', '.join(perturbation.columns)} of {perturbation.table}, and the "
            f"evidence reads {named} of it"
        )
    return None
