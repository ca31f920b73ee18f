"""Which fiscal years the filings of each entity are about, as the built scenario tells."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from checklists.importers.fiscal_years import years_in
from core.scenario import Entity

ATTRIBUTES: Final = ("fiscal_year", "fiscal_years", "last_fiscal_year")
"""Columns of a scenario's `[entities] query` that tell them: '2024', or '2023, 2024'."""


def filed_years(entities: Iterable[Entity]) -> dict[str, tuple[int, ...]]:
    """Years by entity id; entities whose scenario tells none are left out."""
    found: dict[str, tuple[int, ...]] = {}
    for entity in entities:
        told = " ".join(entity.attributes.get(name, "") for name in ATTRIBUTES)
        if years := years_in(told):
            found[entity.id] = years
    return found
