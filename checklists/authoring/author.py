"""From templates to a proved checklist: find, choose, prove, and choose again without what failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from checklists.authoring.candidates import Candidate, find_all
from checklists.authoring.rendering import item_of
from checklists.authoring.selection import choose, eligible
from checklists.authoring.template import Subject, Template
from checklists.canonical import items_hash
from checklists.verify import Progress, Verification, verify
from core.checklist import Checklist
from core.scenario import License

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Brief:
    """What to author: the scenario's kinds of facts, and how many items each entity gets."""

    subject: Subject
    templates: Sequence[Template]
    needs: Mapping[str, str]
    """Conditions on entities, by name: SQL that lists those that fulfil it."""
    wanted: Callable[[Mapping[str, int]], Mapping[str, int]]
    """Items per entity, from its rows; the order is the order of choosing."""
    version: str
    license: License

    def renamed(self, scenario_id: str, terms: License) -> Brief:
        """The same for a variant of the scenario."""
        subject = replace(self.subject, scenario_id=scenario_id)
        return replace(self, subject=subject, license=terms)


@dataclass(frozen=True)
class Authored:
    """A checklist with its proof, and the candidates that it was chosen from."""

    checklist: Checklist
    verification: Verification
    chosen: tuple[Candidate, ...]
    considered: int
    """Candidates before any was left out."""


def author(
    brief: Brief,
    connection: duckdb.DuckDBPyConnection,
    *,
    fingerprint: str | None,
    seeds: Sequence[int] = range(20),
    progress: Progress = lambda text, share: None,
) -> Authored:
    """The checklist of a database. The same database and brief give the same checklist."""
    progress("looking for candidate facts", 0.0)
    candidates = find_all(brief.templates, brief.subject, brief.needs, connection)
    pool = eligible(candidates)
    wanted = brief.wanted(_rows(brief.subject, connection))
    categories = list(dict.fromkeys(template.category for template in brief.templates))
    while True:
        chosen = choose(pool, wanted, categories)
        checklist = _checklist(brief, chosen, fingerprint)
        verification = verify(checklist, connection, seeds=seeds, progress=progress)
        if verification.proved:
            return Authored(checklist, verification, tuple(chosen), len(candidates))
        failed = {failure.item_id for failure in verification.failures}
        pool = [c for c in pool if item_of(c, brief.subject).id not in failed]


def _rows(subject: Subject, connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    rows = connection.execute(
        f"SELECT {subject.column} AS entity, count(*) AS number FROM {subject.table} "
        "GROUP BY entity ORDER BY number DESC, entity"
    ).fetchall()
    return {str(entity): int(number) for entity, number in rows}


def _checklist(brief: Brief, chosen: Sequence[Candidate], fingerprint: str | None) -> Checklist:
    items = tuple(sorted((item_of(c, brief.subject) for c in chosen), key=lambda i: i.entity_id))
    return Checklist(
        id=brief.subject.scenario_id,
        version=brief.version,
        scenario_id=brief.subject.scenario_id,
        hash=items_hash(items),
        scenario_fingerprint=fingerprint,
        license=brief.license,
        items=items,
    )
