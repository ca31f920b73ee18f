"""Prove a checklist on its database (EVALUATION 5.5): seven checks, each with its reasons."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from checklists.authoring.asked import Asked, Book
from checklists.authoring.selection import LEAST_STANDING
from checklists.breaking import broken_by_disorder
from checklists.evidence import Value, value_of
from checklists.fitting import unfit
from checklists.proof import (
    Check,
    Failure,
    Outcome,
    Progress,
    Tally,
    Verification,
    part,
    summed_up,
)
from checklists.resampling import shaken_by_resampling
from checklists.second.engine import compared
from checklists.statement import Schema
from checklists.validate import schema_of
from core.checklist import Checklist, ChecklistItem
from core.errors import ChecklistError

if TYPE_CHECKING:
    import duckdb

__all__ = ["Failure", "Progress", "Prover", "Tally", "Verification", "holds", "verify"]

REACH_SECONDS = 30.0
"""How long a query of an agent may take (tools/limits.py); the evidence must be had within it."""
UNKNOWN_OTHERS = "no template says what the other entities have"


def _silent(_text: str, _share: float) -> None: ...


class Prover:
    """The checks on one database; each is asked of as many items at once as there are."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, asked: Asked | None = None) -> None:
        self.connection = connection
        self.asked = asked
        """The items' templates, where they are known: then a check is one statement per kind of rows."""
        self.schema: Schema = schema_of(connection)
        self.values: dict[str, Value] = {}
        """What the evidence gave, by item, once `one_by_one` has run."""

    def one_by_one(
        self, items: Sequence[ChecklistItem], progress: Progress = _silent
    ) -> dict[Check, Outcome]:
        """Each item's own evidence, once: whether it holds, and is within reach."""
        found: dict[Check, Outcome] = {"hold": Outcome(), "reach": Outcome()}
        for number, item in enumerate(items):
            if number % 100 == 0:
                progress(f"running the evidence of {len(items)} items", number / len(items))
            start = time.monotonic()
            if reason := self._why_it_does_not_hold(item):
                found["hold"].failed[item.id] = reason
            if (taken := time.monotonic() - start) > REACH_SECONDS:
                found["reach"].failed[item.id] = (
                    f"the evidence took {taken:.0f} s, and a query of an agent has {REACH_SECONDS:.0f}"
                )
        return found

    def fit(self, items: Sequence[ChecklistItem]) -> Outcome:
        """Whether each one's disorder takes away what its fact rests on."""
        return unfit(items, self.schema)

    def population(self, items: Sequence[ChecklistItem]) -> Outcome:
        """Whether each stands out among the entities, and is no near tie."""
        outcome = Outcome()
        for item in items:
            if self.asked is None or not self.asked.knows(item):
                outcome.unknown[item.id] = UNKNOWN_OTHERS
                continue
            candidate = self.asked.candidates[item.id]
            if candidate.fault is not None:
                outcome.failed[item.id] = candidate.fault
            elif abs(candidate.standing) < LEAST_STANDING:
                outcome.failed[item.id] = (
                    f"it is {abs(candidate.standing):.2f} standard deviations from the other "
                    f"entities, and {LEAST_STANDING} are asked for"
                )
        return outcome

    def on_copies(
        self, items: Sequence[ChecklistItem], seeds: Sequence[int], progress: Progress = _silent
    ) -> dict[Check, Outcome]:
        """Whether each fails on disordered copies, and stays true on resampled ones."""
        return {
            "perturbation": broken_by_disorder(
                items,
                self.connection,
                seeds,
                asked=self.asked,
                schema=self.schema,
                progress=part(progress, 0.0, 0.5),
            ),
            "resampling": shaken_by_resampling(
                items,
                self.connection,
                seeds,
                asked=self.asked,
                schema=self.schema,
                progress=part(progress, 0.5, 1.0),
            ),
        }

    def second(self, items: Sequence[ChecklistItem], progress: Progress = _silent) -> Outcome:
        """Whether another engine comes to what each item's evidence gave in `one_by_one`."""
        return compared(items, self.connection, self.values, progress)

    def _why_it_does_not_hold(self, item: ChecklistItem) -> str | None:
        if item.evidence_sql is None or item.expected is None:
            return "it has no evidence_sql or no expected value"
        try:
            value = self.values[item.id] = value_of(self.connection, item.evidence_sql)
        except ChecklistError as exc:
            return str(exc)
        if item.expected.holds(value):
            return None
        return (
            f"the evidence gives {value!r}, expected is {item.expected.value!r} "
            f"within {item.expected.tolerance:g}"
        )


def holds(checklist: Checklist, connection: duckdb.DuckDBPyConnection) -> Verification:
    """The quick half: run each accepted item's evidence on the database."""
    items = accepted(checklist)
    return summed_up(items, Prover(connection).one_by_one(items))


def verify(
    checklist: Checklist,
    connection: duckdb.DuckDBPyConnection,
    *,
    book: Book | None = None,
    seeds: Iterable[int] = range(20),
    progress: Progress = _silent,
) -> Verification:
    """All checks on each accepted item. The database itself is only read.

    `book` = the templates that items may come from: with it the other entities are known, and copies
    are asked set by set. Without `seeds` no copies are made, and nothing is said of what they show.
    """
    items = accepted(checklist)
    return summed_up(
        items, outcomes_of(items, connection, book=book, seeds=seeds, progress=progress)
    )


def outcomes_of(
    items: Sequence[ChecklistItem],
    connection: duckdb.DuckDBPyConnection,
    *,
    book: Book | None = None,
    seeds: Iterable[int] = range(20),
    progress: Progress = _silent,
) -> dict[Check, Outcome]:
    """What `verify` sums up, of items of one database."""
    progress("asking the templates", 0.0)
    prover = Prover(connection, Asked.of(book, items, connection))
    outcomes = prover.one_by_one(items, part(progress, 0.02, 0.1))
    outcomes["fit"] = prover.fit(items)
    outcomes["population"] = prover.population(items)
    if listed := list(seeds):
        outcomes |= prover.on_copies(items, listed, part(progress, 0.1, 0.9))
    outcomes["second"] = prover.second(items, part(progress, 0.9, 1.0))
    progress("proved", 1.0)
    return outcomes


def accepted(checklist: Checklist) -> list[ChecklistItem]:
    """The items that are proved and scored."""
    return [item for item in checklist.items if item.status == "accepted"]
