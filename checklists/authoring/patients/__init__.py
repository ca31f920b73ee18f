"""The kinds of facts that are asked about the patients of the generated twin."""

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

ITEMS: Final = 14
"""Per patient: two of each of the seven categories."""
KEYS: Final[Mapping[str, Key]] = {
    "lab month": keys.month("labevents.charttime"),
    "lab year": keys.year("CAST(year(labevents.charttime) AS VARCHAR)"),
    "dose month": keys.month("emar.charttime"),
    "order month": keys.month("poe.ordertime"),
    "stay": keys.named("labevents.hadm_id"),
    "service": keys.named("services.curr_service"),
    "drug": keys.named("emar.medication"),
    "input": keys.named("inputevents.itemid"),
    "diagnosis": keys.named("diagnoses_icd.icd_code"),
    "organism": keys.named("microbiologyevents.org_name"),
    "provider": keys.named("poe.order_provider_id"),
}
"""By the name that a fact's `per` gives."""


BRIEF: Final = Brief(
    subject=Subject(scenario_id="patients", column="patients.subject_id", noun="patient"),
    templates=read_book(Path(__file__).parent, KEYS),
    # The twin gives each of them a history.
    wanted=alike(ITEMS),
    version="1",
    license=License(name="CC0-1.0", source="facts about generated data"),
)


def written(material: Material) -> Checklist | None:
    """The checklist of a freshly built twin (checklists.authoring.authors.Author).

    None for real patients: theirs comes from the notes, and no sentence of it may be made here.
    """
    if not material.options.get("synthetic"):
        return None
    return from_templates(BRIEF, material)
