"""Look a whole checklist over: its faults, its balance, its redundancy, and what can be reached."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from checklists.audit import errors
from checklists.audit.balance import Balance, balance
from checklists.audit.findings import CHECKS, Finding
from checklists.audit.lexicon import Lexicons
from checklists.audit.redundancy import Redundancy, redundancy
from checklists.audit.words import squeezed, stems
from checklists.statement import faults_of
from checklists.validate import given_away
from core.checklist import Checklist, ChecklistItem
from core.record import Record
from core.scenario import Entity

Progress = Callable[[str, float], None]
_FIGURE: Final = re.compile(r"\d+(?:[.,]\d+)*")


class Reach(Record):
    """How many items are proved to be found in the agent's own database (DDR-33, EVALUATION 5.5)."""

    items: int
    with_path: int
    """Items with evidence and its expected value."""
    broken: int
    """Of these, those whose evidence cannot be run on the database; 0 where none is built."""

    @property
    def share(self) -> float | None:
        """Of items with a path that can be gone; None where there are no items."""
        return (self.with_path - self.broken) / self.items if self.items else None


class Audit(Record):
    """What was found. Rejected items are left out, proposed ones are looked at."""

    checklist_id: str
    items: int
    entities: int
    per_entity: tuple[int, float, int] | None
    """Fewest, mean and most items of an entity; None without items."""
    not_looked_at: tuple[str, ...]
    """Checks that need a built database, where there is none."""
    findings: tuple[Finding, ...]
    balance: Balance | None
    questions: Redundancy
    answers: Redundancy
    """Of open items: those of closed ones are alike by design."""
    reach: Reach

    def count(self, check: str) -> int:
        """How many findings of one check."""
        return sum(finding.check == check for finding in self.findings)


def audit(
    checklist: Checklist,
    *,
    entities: Sequence[Entity] = (),
    lexicons: Lexicons | None = None,
    alike: float = errors.ALIKE,
    progress: Progress = lambda text, share: None,
) -> Audit:
    """Every check on every item. `lexicons` tells the words of each entity's database, by its id;
    None or without an entry = not built, so that E1, E3 and the evidence are not looked at."""
    known = lexicons or {}
    items = [item for item in checklist.items if item.status != "rejected"]
    grouped = errors.by_entity(items)
    findings: list[Finding] = []
    for number, found in enumerate(_checks(items, entities, known, alike)):
        progress("looking for faults", 0.8 * number / len(CHECKS))
        findings += found
    progress("measuring redundancy", 0.8)
    sizes = [len(mine) for mine in grouped.values()]
    broken = {each.item_ids for each in findings if each.check == "evidence"}
    result = Audit(
        checklist_id=checklist.id,
        items=len(items),
        entities=len(grouped),
        per_entity=(min(sizes), len(items) / len(sizes), max(sizes)) if sizes else None,
        not_looked_at=() if known else ("E1", "E3", "evidence"),
        findings=tuple(findings),
        balance=balance(items),
        questions=redundancy([[item.question for item in mine] for mine in grouped.values()]),
        answers=redundancy(
            [[i.answer for i in mine if i.kind == "open"] for mine in grouped.values()]
        ),
        reach=Reach(
            items=len(items),
            with_path=sum(item.has_path for item in items),
            broken=sum(item.has_path and (item.id,) in broken for item in items),
        ),
    )
    progress("done", 1.0)
    return result


def findings_by_check(found: Audit) -> Mapping[str, int]:
    """Every check with its findings, in the order in which they are told."""
    counted = Counter(finding.check for finding in found.findings)
    return {check: counted[check] for check in CHECKS if check not in found.not_looked_at}


def _checks(
    items: Sequence[ChecklistItem], entities: Sequence[Entity], lexicons: Lexicons, alike: float
) -> Iterator[list[Finding]]:
    asked = {item.entity_id for item in items}
    yield list(errors.ambiguous_goals([e for e in entities if e.id in asked], lexicons))
    yield list(errors.undefined_types(items))
    yield list(errors.absent_concepts(items, lexicons))
    yield list(errors.refusals(items))
    yield list(errors.repeated_answers(items, alike=alike))
    yield list(errors.repeated_questions(items))
    yield [found for item in items for found in _gives_away(item)]
    yield [found for item in items for found in _evidence(item, lexicons)]


def _gives_away(item: ChecklistItem) -> Iterator[Finding]:
    """A question that holds its answer: the figure, the one option that is right, or all its words."""
    reason = next((problem.text for problem in given_away(item)), None)
    if reason is None and item.kind == "closed":
        said = squeezed(item.question)
        named = [option for option in item.options if squeezed(option).strip(" .") in said]
        if len(named) == 1 and squeezed(named[0]) == squeezed(item.answer):
            reason = f"gives the answer away: of the options it names {named[0]!r} alone"
    elif reason is None:
        words = stems(item.answer)
        # Short words and figures are no stems, and a figure alone can be the answer.
        figures = set(_FIGURE.findall(item.answer)) - set(_FIGURE.findall(item.question))
        if len(words) > 1 and words <= stems(item.question) and not figures:
            reason = "gives the answer away: every word of the answer stands in it"
    if reason:
        yield Finding(
            check="given_away", entity_id=item.entity_id, item_ids=(item.id,), text=reason
        )


def _evidence(item: ChecklistItem, lexicons: Lexicons) -> Iterator[Finding]:
    lexicon = lexicons.get(item.entity_id)
    if lexicon is None or item.evidence_sql is None:
        return
    if faults := faults_of(item.evidence_sql, lexicon.schema):
        yield Finding(
            check="evidence",
            entity_id=item.entity_id,
            item_ids=(item.id,),
            text="; ".join(faults),
        )
