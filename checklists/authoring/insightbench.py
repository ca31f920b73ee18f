"""The checklist of InsightBench: an item per insight of the sets' ground truth, in its authors' words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

from checklists.authoring.authors import Material
from checklists.canonical import items_hash
from core.checklist import Checklist, ChecklistItem, InsightType
from core.document import Document
from core.scenario import Entity

VERSION: Final = "1"
INSIGHT, SUMMARY = "insight", "summary"
"""Kinds of documents (databases/insightbench)."""
_DIFFICULTY: Final[Mapping[str, Literal["easy", "medium", "hard"]]] = {
    "1": "easy",
    "2": "easy",
    "3": "medium",
    "4": "hard",
    "5": "hard",
}
"""The paper's grouping of its levels (EVALUATION IB-01)."""
_TYPES: Final[Mapping[str, InsightType]] = {name: name for name in get_args(InsightType)}


def written(material: Material) -> Checklist:
    """The checklist (checklists.authoring.authors.Author). An insight without a text gives no item.

    The items are accepted as their authors published them: no SQL proves them, and no rule finds them
    in a report, so that they are for a judge. A type outside the defined ones is 'other', with its own
    word as `capability` ('type:comparative').
    """
    items, summary = [], {}
    for number, entity in enumerate(material.entities):
        material.progress(f"items of {entity.id}", number / len(material.entities))
        documents = material.documents(entity.id)
        items += list(_items(entity, documents))
        told = " ".join(d.text.strip() for d in documents if d.kind == SUMMARY)
        if told:
            summary[entity.id] = told
    return Checklist(
        id=material.scenario_id,
        version=VERSION,
        scenario_id=material.scenario_id,
        hash=items_hash(items),
        scenario_fingerprint=material.fingerprint,
        license=material.license,
        items=tuple(items),
        summary=summary,
    )


def _items(entity: Entity, documents: Sequence[Document]) -> Iterator[ChecklistItem]:
    for number, insight in enumerate((d for d in documents if d.kind == INSIGHT), start=1):
        if not insight.text:
            continue
        kind = _TYPES.get(str(insight.values.get("type")), "other")
        stated = str(insight.values.get("stated_type", ""))
        yield ChecklistItem(
            id=insight.id,
            entity_id=entity.id,
            question=insight.title or _in_place_of_a_question(entity, number),
            answer=insight.text,
            category=entity.attributes.get("category", "unknown"),
            insight_type=kind,
            difficulty=_DIFFICULTY.get(entity.attributes.get("level", "")),
            capability=f"type:{stated}" if kind == "other" and stated else None,
            source=f"InsightBench, set {entity.id}, insight {number}",
        )


def _in_place_of_a_question(entity: Entity, number: int) -> str:
    """The release has none for some insights; the number keeps two of them apart."""
    return f"What else is found with this goal ({number}): {' '.join((entity.goal or '').split())}"
