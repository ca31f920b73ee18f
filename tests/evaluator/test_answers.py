"""The shipped facts' own answers, written by other hands, are found; other carriers' are not."""

from __future__ import annotations

from functools import cache

from checklists.loader import checklist_for
from core.checklist import ChecklistItem
from core.scenario import Entity
from evaluator.matching import Match, match
from evaluator.renaming import swap_names
from tests.evaluator.records import entity


@cache
def items() -> tuple[ChecklistItem, ...]:
    return checklist_for("flights").items


@cache
def carriers() -> dict[str, Entity]:
    return {each: entity(each) for each in sorted({item.entity_id for item in items()})}


def judge(item: ChecklistItem, text: str) -> Match:
    own = carriers()[item.entity_id]
    others = [each for each in carriers().values() if each is not own]
    return match(item, [(1, text)], entity=own, others=others)


def test_nearly_every_answer_supports_its_own_fact() -> None:
    silent = [item.answer for item in items() if judge(item, item.answer).label != "supported"]
    assert len(silent) <= 0.05 * len(items()), silent


def test_no_answer_contradicts_its_own_fact() -> None:
    wrong = [item.answer for item in items() if judge(item, item.answer).label == "contradicted"]
    assert wrong == []


def test_hardly_any_answer_about_another_carrier_supports_a_fact() -> None:
    tried, lucky = 0, []
    for item in items():
        for other in items():
            if other.source == item.source and other.entity_id != item.entity_id:
                one, own = carriers()[other.entity_id], carriers()[item.entity_id]
                text = swap_names(other.answer, one, own, list(carriers().values()), ["carrier"])
                tried += 1
                if judge(item, text).label == "supported":
                    lucky.append((item.answer, text))
    assert tried > 100 and len(lucky) <= 0.02 * tried, lucky


def test_all_answers_of_a_carrier_in_one_report_support_most_of_its_facts() -> None:
    from evaluator.matching import match_all

    found = asked = 0
    for own in carriers().values():
        mine = [item for item in items() if item.entity_id == own.id]
        report = "\n".join(f"- {item.answer}" for item in mine)
        others = [each for each in carriers().values() if each is not own]
        labels = [m.label for m in match_all(mine, [(None, report)], entity=own, others=others)]
        found, asked = found + labels.count("supported"), asked + len(labels)
    assert found >= 0.9 * asked, (found, asked)
