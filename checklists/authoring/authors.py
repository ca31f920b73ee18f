"""Who authors which scenario's checklist once its database is built, and what they are handed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from checklists.authoring.author import Brief, author
from core.checklist import Checklist
from core.document import Document
from core.scenario import Entity, License

if TYPE_CHECKING:
    import duckdb

AUTHORS: dict[str, str] = {
    "filings": "checklists.authoring.filings:written",
    "insightbench": "checklists.authoring.insightbench:written",
    "incidents": "checklists.authoring.incidents:written",
    "patients": "checklists.authoring.patients:written",
    "wearables": "checklists.authoring.wearables:written",
}
"""Id of the shipped scenario to `module:function`, whose contract is Author."""


@dataclass(frozen=True)
class Material:
    """What a checklist is made from."""

    scenario_id: str
    """Its variant's own id, which the checklist gets too."""
    entities: Sequence[Entity]
    connection: duckdb.DuckDBPyConnection
    """Read-only, on the agent's own database."""
    fingerprint: str
    documents: Callable[[str], Sequence[Document]]
    """The documents of one entity; none where the scenario has none."""
    options: Mapping[str, bool | int | float | str]
    """What the build was told."""
    license: License
    progress: Callable[[str, float], None] = lambda text, share: None


class Author(Protocol):
    """What AUTHORS names."""

    def __call__(self, material: Material) -> Checklist | None:
        """The proved checklist of a freshly built scenario; None where there is nothing to ask."""
        ...


def checklist_of(base: str, material: Material) -> Checklist | None:
    """The checklist of a scenario, by the id of the shipped one that it is a variant of."""
    if base not in AUTHORS:
        return None
    module, _, attribute = AUTHORS[base].partition(":")
    written: Author = getattr(importlib.import_module(module), attribute)
    return written(material)


def from_templates(brief: Brief, material: Material) -> Checklist:
    """The checklist that a book of templates gives on this database, under the scenario's own name."""
    return author(
        brief.renamed(material.scenario_id, material.license),
        material.connection,
        fingerprint=material.fingerprint,
        progress=material.progress,
    ).checklist
