"""The kinds of facts that are asked about the companies of the scenario `filings`, real or generated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from checklists.authoring import keys
from checklists.authoring.author import Brief, alike
from checklists.authoring.authors import Material, from_templates
from checklists.authoring.book import read_book
from checklists.authoring.template import Key, Subject
from core.checklist import Checklist
from core.scenario import License

ITEMS: Final = 12
"""Per company."""
KEYS: Final[Mapping[str, Key]] = {
    "year": keys.year("years.fiscal_year"),
    "quarter": keys.named("facts.fiscal_period"),
    "member": keys.named("dimensions.member"),
    "axis": keys.named("dimensions.axis"),
    "concept": keys.named("facts.concept"),
}
"""By the name that a fact's `per` gives."""


BRIEF: Final = Brief(
    subject=Subject(scenario_id="filings", column="facts.cik", noun="company"),
    templates=read_book(Path(__file__).parent, KEYS),
    wanted=alike(ITEMS),
    version="1",
    license=License(name="CC0-1.0", source="facts about reported figures"),
)


def written(material: Material) -> Checklist | None:
    """The checklist of a freshly built database (checklists.authoring.authors.Author).

    None for the official file: its tables are others.
    """
    if material.options.get("as_is"):
        return None
    return from_templates(BRIEF, material)
