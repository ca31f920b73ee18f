"""What people's decisions make of an item: agreed it is accepted or rejected, in conflict it waits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from checklists.canonical import items_hash
from core.checklist import Checklist, ChecklistItem, Decision, Edit
from core.record import UtcTime


def standing(item: ChecklistItem) -> dict[str, Decision]:
    """Each reviewer's last word."""
    latest: dict[str, Decision] = {}
    for decision in item.decisions:
        before = latest.get(decision.who)
        if before is None or decision.when >= before.when:
            latest[decision.who] = decision
    return latest


def is_in_conflict(item: ChecklistItem) -> bool:
    """Whether some accept it and others reject it."""
    return len({decision.status for decision in standing(item).values()}) > 1


def decided(item: ChecklistItem, decisions: Iterable[Decision]) -> ChecklistItem:
    """The item with further decisions; every one is kept, and the same one again changes nothing.

    A stale item stays stale: its evidence no longer holds, whatever people say.
    """
    kept = item.decisions
    for decision in decisions:
        before = standing(item.model_copy(update={"decisions": kept})).get(decision.who)
        if before and (before.status, before.why) == (decision.status, decision.why):
            continue
        kept = (*kept, decision)
    changed = item.model_copy(update={"decisions": kept})
    said = {decision.status for decision in standing(changed).values()}
    if item.status == "stale" or not said:
        return changed
    status = said.pop() if len(said) == 1 else "proposed"
    return changed.model_copy(update={"status": status})


def edited(
    item: ChecklistItem,
    *,
    question: str,
    answer: str,
    category: str,
    who: str,
    why: str,
    when: UtcTime,
) -> ChecklistItem:
    """The item in other words; with the same words it is the same item.

    What was decided was decided on the old words: the item is proposed anew, unless it is stale. Its
    evidence and expected value stay, since only a database can say what they are.
    """
    if (question, answer, category) == (item.question, item.answer, item.category):
        return item
    before = Edit(
        who=who,
        when=when,
        why=why,
        question=item.question,
        answer=item.answer,
        category=item.category,
        decisions=item.decisions,
    )
    return item.model_copy(
        update={
            "question": question,
            "answer": answer,
            "category": category,
            "decisions": (),
            "edits": (*item.edits, before),
            "status": item.status if item.status == "stale" else "proposed",
        }
    )


def reviewed(
    checklist: Checklist, decisions: Sequence[tuple[str, Decision]], *, new_id: str | None = None
) -> Checklist:
    """The checklist with these decisions, each on the item of that id."""
    by_item: dict[str, list[Decision]] = {}
    for item_id, decision in decisions:
        by_item.setdefault(item_id, []).append(decision)
    items = tuple(decided(item, by_item.get(item.id, ())) for item in checklist.items)
    return with_items(checklist, items, new_id=new_id)


def with_items(
    checklist: Checklist, items: Sequence[ChecklistItem], *, new_id: str | None = None
) -> Checklist:
    """The checklist with these items in place of its own, and the hash that they have."""
    listed = tuple(items)
    return checklist.model_copy(
        update={"id": new_id or checklist.id, "items": listed, "hash": items_hash(listed)}
    )
