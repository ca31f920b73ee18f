"""Propose category, capability and difficulty for items, and take them from a reviewed sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from checklists.canonical import items_hash
from checklists.tagging.rules import Difficulty, Rules, first, shape_of
from core.checklist import Checklist, ChecklistItem
from core.record import Record

UNTAGGED: Final = "untagged"
"""The category of an item that came without one."""
_BY_RULES: Final = "rules:"
_KEPT: Final = "kept as it was"


class Tag(Record):
    """What is proposed for one item, and why."""

    item_id: str
    category: str
    category_why: str
    capability: str
    capability_why: str
    difficulty: Difficulty


def propose(items: Sequence[ChecklistItem], rules: Rules) -> list[Tag]:
    """One tag per item, in their order. What an author or a person gave stays as it is."""
    return [_proposal(item, rules) for item in items]


def tagged(checklist: Checklist, tags: Sequence[Tag], *, by: str, new_id: str) -> Checklist:
    """A copy under another id in which each item has its tag, and says who gave it."""
    given = {tag.item_id: tag for tag in tags}
    items = tuple(_with(item, given.get(item.id), by) for item in checklist.items)
    changes = {"id": new_id, "items": items, "hash": items_hash(items)}
    return checklist.model_copy(update=changes)


def counts(items: Sequence[ChecklistItem]) -> dict[str, dict[str, int]]:
    """Items per category, capability, difficulty, and per category and capability together."""
    facets: Mapping[str, Callable[[ChecklistItem], str]] = {
        "category": lambda item: item.category,
        "capability": lambda item: item.capability or UNTAGGED,
        "difficulty": lambda item: item.difficulty or UNTAGGED,
        "category, capability": lambda item: f"{item.category}, {item.capability or UNTAGGED}",
    }
    return {
        name: dict(sorted(Counter(map(of, items)).items(), key=lambda pair: (-pair[1], pair[0])))
        for name, of in facets.items()
    }


def _proposal(item: ChecklistItem, rules: Rules) -> Tag:
    shape = shape_of(item.evidence_sql) if item.evidence_sql else None
    category, category_why = first(rules.category, item.question, shape)
    capability, capability_why = first(rules.capability, item.question, shape)
    proposed = Tag(
        item_id=item.id,
        category=category.name,
        category_why=category_why,
        capability=capability.name,
        capability_why=capability_why,
        difficulty=capability.difficulty or item.difficulty or "medium",
    )
    if (item.tagged_by or "").startswith(_BY_RULES):
        return proposed
    kept: dict[str, str] = {}
    if item.category != UNTAGGED:
        kept |= {"category": item.category, "category_why": _KEPT}
    if item.difficulty is not None:
        kept |= {"difficulty": item.difficulty}
    if item.capability is not None:
        kept |= {"capability": item.capability, "capability_why": _KEPT}
    return proposed.model_copy(update=kept)


def _with(item: ChecklistItem, tag: Tag | None, by: str) -> ChecklistItem:
    if tag is None:
        return item
    said = {
        "category": tag.category,
        "capability": tag.capability,
        "difficulty": tag.difficulty,
    }
    if all(getattr(item, key) == value for key, value in said.items()):
        return item
    return item.model_copy(update={**said, "tagged_by": by})
