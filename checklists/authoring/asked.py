"""The templates behind a checklist's items, so that a whole checklist can be asked anew at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from checklists.authoring.asking import Table, ask, first
from checklists.authoring.candidates import Candidate, find_all
from checklists.authoring.population import Population
from checklists.authoring.template import Subject, Template
from core.checklist import ChecklistItem

if TYPE_CHECKING:
    import duckdb

PREFIX = "template:"
"""What the source of an item from a template begins with."""


class Book(Protocol):
    """The kinds of facts of a scenario; a Brief is one."""

    @property
    def subject(self) -> Subject:
        """What the entities are."""
        ...

    @property
    def templates(self) -> Sequence[Template]:
        """The kinds of facts."""
        ...

    @property
    def needs(self) -> Mapping[str, str]:
        """Conditions on entities, by name."""
        ...


@dataclass(frozen=True)
class Stand:
    """Where an entity stands by a template, on a database or a copy of it."""

    group: str | None
    value: float
    standing: float


class Asked:
    """Items with the candidate that each was made from; others are strangers to it."""

    def __init__(self, subject: Subject, candidates: Mapping[str, Candidate]) -> None:
        self.subject = subject
        self.candidates = candidates
        """By the item's id."""

    @classmethod
    def of(
        cls,
        book: Book | None,
        items: Iterable[ChecklistItem],
        connection: duckdb.DuckDBPyConnection,
    ) -> Asked | None:
        """Find the items' templates in a book, and ask those on the items' own database.

        An item belongs to a template only if it has the very statement that the template gives now
        and the value that it has now: a book that was changed since says nothing of older items.
        """
        if book is None:
            return None
        listed = list(items)
        names = {item.source.removeprefix(PREFIX) for item in listed}
        used = [template for template in book.templates if template.name in names]
        found = {
            (candidate.template.name, candidate.entity_id): candidate
            for candidate in find_all(used, book.subject, book.needs, connection)
        }
        mine: dict[str, Candidate] = {}
        for item in listed:
            candidate = found.get((item.source.removeprefix(PREFIX), item.entity_id))
            if candidate is not None and _is_of(item, candidate, book.subject):
                mine[item.id] = candidate
        return cls(book.subject, mine)

    def knows(self, item: ChecklistItem) -> bool:
        """Whether the item's template is known."""
        return item.id in self.candidates

    def values(
        self, items: Iterable[ChecklistItem], cursor: duckdb.DuckDBPyConnection
    ) -> dict[str, float]:
        """What the items' evidence gives there, one statement per kind of rows.

        Items of entities that have no such rows there are left out.
        """
        listed = [item for item in items if self.knows(item)]
        found: dict[str, float] = {}
        tables = self._tables(listed, cursor)
        for item in listed:
            candidate = self.candidates[item.id]
            template = candidate.template
            cells = tables[template.name].get(item.entity_id, {})
            group = first(template, cells, template.floor)
            if group in cells:
                found[item.id] = cells[group].value if group == candidate.group else 0.0
        return found

    def stands(
        self, items: Iterable[ChecklistItem], cursor: duckdb.DuckDBPyConnection
    ) -> dict[str, Stand]:
        """The same with the population: where each item's entity stands there among the others."""
        listed = [item for item in items if self.knows(item)]
        found: dict[str, Stand] = {}
        populations = {
            name: Population(self._template(name, listed), table)
            for name, table in self._tables(listed, cursor).items()
        }
        for item in listed:
            population = populations[self.candidates[item.id].template.name]
            cells = population.cells(item.entity_id)
            group = first(population.template, cells, population.template.floor)
            if group in cells:
                value = cells[group].value
                found[item.id] = Stand(
                    group, value, population.standing(item.entity_id, group, value)
                )
        return found

    def _template(self, name: str, items: Iterable[ChecklistItem]) -> Template:
        return next(t for i in items if (t := self.candidates[i.id].template).name == name)

    def _tables(
        self, items: Iterable[ChecklistItem], cursor: duckdb.DuckDBPyConnection
    ) -> dict[str, Table]:
        templates = {(t := self.candidates[item.id].template).name: t for item in items}
        return ask(templates.values(), self.subject, cursor)


def _is_of(item: ChecklistItem, candidate: Candidate, subject: Subject) -> bool:
    statement = subject.for_one(candidate.template, candidate.entity_id, candidate.group)
    return (
        item.evidence_sql == statement
        and item.expected is not None
        and item.expected.holds(candidate.value)
    )
