"""From templates to a proved checklist: ask, prove set by set, choose, and check each that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from checklists.authoring.asked import Asked
from checklists.authoring.candidates import Candidate, find_all
from checklists.authoring.rendering import item_of
from checklists.authoring.selection import choose, eligible
from checklists.authoring.template import Subject, Template
from checklists.canonical import items_hash
from checklists.proof import Check, Outcome, Outcomes, Progress, Verification, part, summed_up
from checklists.validate import given_away
from checklists.verify import Prover
from core.checklist import Checklist, ChecklistItem
from core.scenario import License

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Brief:
    """What to author: the scenario's kinds of facts, and how many items each entity gets."""

    subject: Subject
    templates: Sequence[Template]
    wanted: Callable[[Mapping[str, int]], Mapping[str, int]]
    """Items per entity, from its rows; the order is the order of choosing."""
    version: str
    license: License
    needs: Mapping[str, str] = field(default_factory=dict)
    """Conditions on entities, by name: SQL that lists those that fulfil it."""

    def renamed(self, scenario_id: str, terms: License) -> Brief:
        """The same for a variant of the scenario."""
        subject = replace(self.subject, scenario_id=scenario_id)
        return replace(self, subject=subject, license=terms)


def alike(items: int) -> Callable[[Mapping[str, int]], Mapping[str, int]]:
    """A Brief's `wanted` that gives every entity as many items, whatever its rows."""
    return lambda rows: dict.fromkeys(rows, items)


@dataclass(frozen=True)
class Authored:
    """A checklist with its proof, and the candidates that it was chosen from."""

    checklist: Checklist
    verification: Verification
    chosen: tuple[Candidate, ...]
    considered: int
    """Candidates before any was left out."""
    eligible: int
    """Those that stand out and are no near tie, before the proof."""
    dropped: Mapping[Check, int]
    """How many of these each check has failed."""


def author(
    brief: Brief,
    connection: duckdb.DuckDBPyConnection,
    *,
    fingerprint: str | None,
    seeds: Sequence[int] = range(20),
    progress: Progress = lambda text, share: None,
) -> Authored:
    """The checklist of a database. The same database and brief give the same checklist.

    All that could be chosen is proved on copies first: set by set that costs what one entity costs.
    What is each item's own (its evidence, the second engine) is checked for the chosen alone, and
    where one fails, another is chosen and checked.
    """
    progress("looking for candidate facts", 0.0)
    candidates = find_all(brief.templates, brief.subject, brief.needs, connection)
    wanted = brief.wanted(_rows(brief.subject, connection))
    made = [
        (item_of(candidate, brief.subject), candidate)
        for candidate in eligible(candidates, len(wanted))
        if candidate.entity_id in wanted
    ]
    pool = {item: candidate for item, candidate in made if not any(given_away(item))}
    asked = Asked(brief.subject, {item.id: candidate for item, candidate in pool.items()})
    prover = Prover(connection, asked)
    outcomes: dict[Check, Outcome] = {"hold": Outcome(), "reach": Outcome()}
    outcomes["fit"] = prover.fit(list(pool))
    outcomes["population"] = prover.population(list(pool))
    sound = [item for item in pool if not _failed(item, outcomes)]
    outcomes |= prover.on_copies(sound, seeds, part(progress, 0.05, 0.9))
    outcomes["second"] = Outcome()
    categories = list(dict.fromkeys(template.category for template in brief.templates))
    left = {pool[item]: item for item in sound if not _failed(item, outcomes)}
    checked: set[str] = set()
    while True:
        chosen = choose(list(left), wanted, categories)
        items = [left[candidate] for candidate in chosen]
        fresh = [item for item in items if item.id not in checked]
        _check(fresh, prover, outcomes, part(progress, 0.9, 1.0))
        checked.update(item.id for item in fresh)
        if not any(_failed(item, outcomes) for item in fresh):
            break
        left = {c: item for c, item in left.items() if not _failed(item, outcomes)}
    checklist = _checklist(brief, items, fingerprint)
    progress("proved", 1.0)
    return Authored(
        checklist=checklist,
        verification=summed_up(checklist.items, outcomes),
        chosen=tuple(chosen),
        considered=len(candidates),
        eligible=len(pool),
        dropped={check: len(outcome.failed) for check, outcome in outcomes.items()},
    )


def _check(
    items: Sequence[ChecklistItem],
    prover: Prover,
    outcomes: dict[Check, Outcome],
    progress: Progress,
) -> None:
    """What is each item's own, added to what is known."""
    found = prover.one_by_one(items, part(progress, 0.0, 0.3))
    found["second"] = prover.second(items, part(progress, 0.3, 1.0))
    for check, outcome in found.items():
        outcomes[check].failed.update(outcome.failed)
        outcomes[check].unknown.update(outcome.unknown)


def _failed(item: ChecklistItem, outcomes: Outcomes) -> bool:
    return any(item.id in outcome.failed for outcome in outcomes.values())


def _rows(subject: Subject, connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    rows = connection.execute(
        f"SELECT {subject.column} AS entity, count(*) AS number FROM {subject.table} "
        "GROUP BY entity ORDER BY number DESC, entity"
    ).fetchall()
    return {str(entity): int(number) for entity, number in rows}


def _checklist(brief: Brief, chosen: Sequence[ChecklistItem], fingerprint: str | None) -> Checklist:
    items = tuple(sorted(chosen, key=lambda item: item.entity_id))
    return Checklist(
        id=brief.subject.scenario_id,
        version=brief.version,
        scenario_id=brief.subject.scenario_id,
        hash=items_hash(items),
        scenario_fingerprint=fingerprint,
        license=brief.license,
        items=items,
    )
