"""Scores over reachable items: those that evidence proves to be in the agent's own database."""

from __future__ import annotations

from core.checklist import ChecklistItem, Expected
from evaluator.scoring import reachable
from tests.evaluator.records import entity, item, trajectory, verdict


def proven(name: str, entity_id: str = "03") -> ChecklistItem:
    return item(name, entity_id).model_copy(
        update={"evidence_sql": "SELECT 1", "expected": Expected(value=1.0)}
    )


def hopeless(name: str, entity_id: str = "03") -> ChecklistItem:
    return item(name, entity_id).model_copy(update={"evidence_sql": None, "expected": None})


def test_items_without_evidence_are_left_out_of_the_second_score() -> None:
    items = [proven("a"), proven("b"), hopeless("c"), hopeless("d")]
    verdicts = [verdict("a", "supported"), verdict("b", "insufficient"), verdict("c", "supported")]
    found = reachable("x", items, [trajectory()], verdicts, [entity("03")])
    assert found is not None
    message = next(s for s in found if (s.level, s.averaging) == ("message", "item"))
    assert (message.strict, message.supported, message.items) == (0.5, 1, 2)
    assert len(found) == 4


def test_where_nothing_is_proven_there_is_no_such_score() -> None:
    said = [verdict("c", "supported")]
    assert reachable("x", [hopeless("c")], [trajectory()], said, [entity("03")]) is None
    elsewhere = [hopeless("c"), proven("a", "99")]
    assert reachable("x", elsewhere, [trajectory()], said, [entity("03")]) is None
