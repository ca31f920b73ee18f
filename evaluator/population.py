"""The population's answer: the same sentences for every entity, made of what is so of the others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence

from checklists.audit.balance import construct_of
from core.checklist import ChecklistItem
from core.scenario import Entity
from core.trajectory import Trajectory
from evaluator.baselines import saying
from evaluator.matching import nouns_of
from evaluator.renaming import swap_names

_LEAST = 2
"""Other entities of which a thing must be known before it is said of this one."""


def typical(items: Sequence[ChecklistItem], entity_id: str) -> list[ChecklistItem]:
    """Of each thing that is asked of many entities, the item of another one that stands in the middle.

    The same thing is asked where the source (a template's name) is the same, of closed items where the
    construct is. In the middle stands the (lower) median value; where values are words, the first with
    the most frequent one. What fewer than two others are asked says nothing, nor do the entity's own
    items: which of them there are does not matter.
    """
    others: dict[Hashable, list[ChecklistItem]] = defaultdict(list)
    for item in items:
        if item.entity_id != entity_id and item.status == "accepted":
            others[_asked(item)].append(item)
    return [_middle(group) for group in others.values() if _is_comparable(group)]


def population(
    trajectory: Trajectory, items: Sequence[ChecklistItem], entities: Mapping[str, Entity]
) -> Trajectory:
    """The same trajectory with typical answers for insights, one a turn, and all of them for a report.

    Each is an answer as it stands in the checklist, with the names of the two entities exchanged. Of an
    entity that is not known nothing is said.
    """
    own = entities.get(trajectory.entity_id)
    if own is None:
        return trajectory.model_copy(update={"insights": ()})
    nouns, everybody = nouns_of(trajectory, own), list(entities.values())
    said = [
        swap_names(_said(item), entities[item.entity_id], own, everybody, nouns)
        for item in typical(items, own.id)
        if item.entity_id in entities
    ]
    return saying(trajectory, said, report="\n".join(said) or None, author="population")


def no_population_reason(items: Sequence[ChecklistItem], entities: Sequence[Entity]) -> str | None:
    """Why nothing can be said of anybody; None where something can."""
    if any(typical(items, entity.id) for entity in entities):
        return None
    return (
        "no fact is asked of three entities in the same way, so that two could speak for the third"
    )


def _asked(item: ChecklistItem) -> Hashable:
    """The same for two items that ask the same thing of two entities."""
    return (item.kind, construct_of(item) if item.kind == "closed" else item.source)


def _is_comparable(group: Sequence[ChecklistItem]) -> bool:
    """Whether it is asked of several entities, and once of each: else the source names no question."""
    entities = {item.entity_id for item in group}
    return _LEAST <= len(entities) == len(group)


def _middle(group: Sequence[ChecklistItem]) -> ChecklistItem:
    numbers = [
        (item.expected.value, place, item)
        for place, item in enumerate(group)
        if item.expected is not None and isinstance(item.expected.value, float)
    ]
    if len(numbers) == len(group):
        return sorted(numbers, key=lambda each: each[:2])[(len(group) - 1) // 2][2]
    words = [_word(item) for item in group]
    ((most, _),) = Counter(words).most_common(1)
    return group[words.index(most)]


def _word(item: ChecklistItem) -> str:
    if item.kind == "closed" or item.expected is None:
        return item.answer
    return str(item.expected.value)


def _said(item: ChecklistItem) -> str:
    if item.kind == "open":
        return item.answer
    return f"{item.question.rstrip().rstrip('?')}: {item.answer}."
