"""Detect the error types of InsightEval in items and goals (EVALUATION 2.2 IE-12, 3.2)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from checklists.audit.findings import Finding
from checklists.audit.lexicon import Lexicons
from checklists.audit.redundancy import pairs_alike
from checklists.audit.words import squeezed, stems
from core.checklist import ChecklistItem
from core.scenario import Entity

ALIKE: Final = 0.5
"""The TF-IDF cosine from which two answers of one entity count as the same (E5)."""
_SHOWN: Final = 6
_IDENTIFIER: Final = re.compile(r"[`'\"]([A-Za-z]\w+)[`'\"]|\b([a-z]+(?:_[a-z0-9]+)+)\b")
_REFUSAL: Final = re.compile(
    r"\b(?:no|not|without|missing|lacks?|absent|absence of)\b[^.]{0,30}?\bcolumns?\b"
    r"|\bcolumns?\b[^.]{0,60}?\b(?:not (?:found|exist|present|available)|(?:is|are|was|were) (?:missing|absent)|does not exist|do not exist)"
    r"|\b(?:Key|Value|Type|Name|Attribute|Index|Syntax|File\w*|Runtime|Memory)Error\b"
    r"|\bTraceback\b|\bException\b"
    r"|\b(?:unable|impossible|not possible|failed|could not|couldn't|cannot|can't|can not) (?:to )?"
    r"(?:be )?(?:perform|conduct|analy[sz]e|determine|compute|calculate|complete|answer|execute|proceed|generate|load|do)\w*"
    r"|\b(?:I am|I'm) (?:sorry|unable|not able)\b|\bI (?:cannot|can't)\b|\bas an AI\b"
    r"|\b(?:error|exception) (?:occurred|message|was raised)\b"
    r"|\b(?:no|insufficient) data (?:is |are |was |were )?(?:available|provided|found)?\s*(?:to|for) ",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"\b(?:year|month|week|day|quarter|period|time|date|trend|season|over the|20\d\d|19\d\d)\w*\b",
    re.IGNORECASE,
)


def ambiguous_goals(entities: Sequence[Entity], lexicons: Lexicons) -> Iterator[Finding]:
    """E1: goals that share no word with a column name and no cell; a weak signal, to be looked at."""
    for entity in entities:
        lexicon = lexicons.get(entity.id)
        if not entity.goal or lexicon is None:
            continue
        said = stems(entity.goal)
        if not said & lexicon.words:
            text = f"nothing of it is in the database: {_listed(said)}"
        elif len(said & lexicon.names) <= 1 and not _TIME.search(entity.goal):
            text = "it names no time, and at most one column"
        else:
            continue
        yield Finding(check="E1", entity_id=entity.id, item_ids=(), text=text)


def undefined_types(items: Sequence[ChecklistItem]) -> Iterator[Finding]:
    """E2: a type of insight beyond the six that are defined."""
    for item in items:
        if item.insight_type == "other":
            yield _of(item, "E2", "its type is none of the defined ones")


def absent_concepts(items: Sequence[ChecklistItem], lexicons: Lexicons) -> Iterator[Finding]:
    """E3: a question names a column that is not there, or nothing that the database has."""
    for item in items:
        lexicon = lexicons.get(item.entity_id)
        if lexicon is None:
            continue
        columns = {name.lower() for table in lexicon.schema.values() for name in table}
        columns |= {table.lower() for table in lexicon.schema}
        named = {(a or b) for a, b in _IDENTIFIER.findall(item.question)}
        missing = sorted(name for name in named if "_" in name and name.lower() not in columns)
        said = stems(item.question.replace(item.entity_id, " "))
        if missing:
            yield _of(item, "E3", f"it names {_listed(missing)}, which no table has")
        elif said and not said & lexicon.words:
            yield _of(item, "E3", f"nothing of it is in the database: {_listed(said)}")


def refusals(items: Sequence[ChecklistItem]) -> Iterator[Finding]:
    """E4: the answer tells of an error or declines to answer."""
    for item in items:
        if item.kind == "open" and (found := _REFUSAL.search(item.answer)):
            yield _of(item, "E4", f"it says {' '.join(found[0].split())!r}")


def repeated_answers(items: Sequence[ChecklistItem], *, alike: float = ALIKE) -> Iterator[Finding]:
    """E5: pairs of open items of one entity whose answers have a cosine of at least `alike`."""
    for entity_id, mine in by_entity(items).items():
        opened = [item for item in mine if item.kind == "open"]
        for left, right, cosine in pairs_alike([item.answer for item in opened], alike):
            one, other = opened[left], opened[right]
            yield Finding(
                check="E5",
                entity_id=entity_id,
                item_ids=(one.id, other.id),
                text=f"cosine {cosine:.2f}",
                score=round(cosine, 4),
            )


def repeated_questions(items: Sequence[ChecklistItem]) -> Iterator[Finding]:
    """The same question twice about one entity, but for case and spaces."""
    for entity_id, mine in by_entity(items).items():
        asked: dict[str, list[str]] = defaultdict(list)
        for item in mine:
            asked[squeezed(item.question)].append(item.id)
        for ids in asked.values():
            if len(ids) > 1:
                yield Finding(
                    check="duplicate",
                    entity_id=entity_id,
                    item_ids=tuple(ids),
                    text=f"asked {len(ids)} times",
                )


def by_entity(items: Sequence[ChecklistItem]) -> Mapping[str, list[ChecklistItem]]:
    """Items per entity, in their order."""
    found: dict[str, list[ChecklistItem]] = defaultdict(list)
    for item in items:
        found[item.entity_id].append(item)
    return found


def _of(item: ChecklistItem, check: str, text: str) -> Finding:
    return Finding.model_validate(
        {"check": check, "entity_id": item.entity_id, "item_ids": (item.id,), "text": text}
    )


def _listed(words: frozenset[str] | Sequence[str]) -> str:
    shown = sorted(words)[:_SHOWN]
    return ", ".join(shown) + (", ..." if len(words) > _SHOWN else "")
