"""Other words make another item: what was decided on the old ones no longer counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from checklists.canonical import items_hash
from checklists.review.deciding import decided, edited
from core.checklist import ChecklistItem, Decision

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def item(**changes: object) -> ChecklistItem:
    known = {
        "id": "a",
        "entity_id": "01",
        "question": "How many?",
        "answer": "Three.",
        "category": "volume",
        "source": "test",
    }
    return ChecklistItem.model_validate({**known, **changes})


def reworded(one: ChecklistItem, *, answer: str = "3 of them.", day: int = 1) -> ChecklistItem:
    return edited(
        one,
        question=one.question,
        answer=answer,
        category=one.category,
        who="ann",
        why="clearer",
        when=NOW + timedelta(days=day),
    )


ACCEPTED = Decision(who="bob", when=NOW, status="accepted", why="")


def test_an_accepted_item_in_other_words_is_proposed_anew() -> None:
    before = decided(item(status="proposed"), [ACCEPTED])
    assert before.status == "accepted"
    after = reworded(before)
    assert (after.status, after.decisions, after.answer) == ("proposed", (), "3 of them.")
    (edit,) = after.edits
    assert (edit.answer, edit.decisions, edit.who, edit.why) == (
        "Three.",
        (ACCEPTED,),
        "ann",
        "clearer",
    )
    assert decided(after, [ACCEPTED]).status == "accepted"


def test_each_rewording_is_kept_the_oldest_first() -> None:
    twice = reworded(reworded(item()), answer="Exactly 3.", day=2)
    assert [edit.answer for edit in twice.edits] == ["Three.", "3 of them."]


def test_the_same_words_change_nothing() -> None:
    before = decided(item(), [ACCEPTED])
    assert reworded(before, answer=before.answer) is before


def test_a_stale_item_stays_stale_in_any_words() -> None:
    assert reworded(item(status="stale")).status == "stale"


def test_a_checklist_that_nobody_reworded_keeps_its_hash() -> None:
    # As it was before items could be reworded: sha-256 of the canonical JSON of the fields above.
    assert "edits" not in item().model_dump(mode="json", exclude_defaults=True)
    assert items_hash([item()]) != items_hash([reworded(item())])
