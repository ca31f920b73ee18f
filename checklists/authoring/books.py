"""Which book of templates a scenario's checklist was written from, so that it can be asked anew."""

from __future__ import annotations

import importlib
from typing import Final

from checklists.authoring.author import Brief
from checklists.authoring.authors import AUTHORS
from core.errors import UnknownNameError

BRIEFS: Final = {
    "destinations": "checklists.authoring.destinations",
    "flights": "checklists.authoring.flights",
}
"""The shipped scenarios whose checklists are shipped too, to the module whose BRIEF they follow."""


def brief_of(scenario_id: str) -> Brief:
    """The brief of a shipped checklist. Raises UnknownNameError with those that there are."""
    if scenario_id not in BRIEFS:
        raise UnknownNameError("scenario to author", scenario_id, BRIEFS)
    brief: Brief = importlib.import_module(BRIEFS[scenario_id]).BRIEF
    return brief


def book_of(base: str) -> Brief | None:
    """The book behind the checklists of a shipped scenario and its variants; None where there is none.

    Who authors after a build (authors.AUTHORS) has one where the module has a BRIEF.
    """
    if base in BRIEFS:
        return brief_of(base)
    if base not in AUTHORS:
        return None
    module = importlib.import_module(AUTHORS[base].partition(":")[0])
    brief = getattr(module, "BRIEF", None)
    return brief if isinstance(brief, Brief) else None
