"""What guessing would score, on lists that can be counted by hand and on the official one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checklists.audit.balance import balance
from checklists.importers.ddr_bench import import_checklist
from checklists.tagging.tagging import UNTAGGED
from core.checklist import ChecklistItem
from core.scenario import License
from tests.checklists.small import item
from tests.support.needs import needs

OPTIONS = ("up", "down", "same")


def closed(entity: str, construct: str, answer: str) -> ChecklistItem:
    return item(
        id=f"{entity}-{construct}",
        entity_id=entity,
        question=f"How did {construct} change?",
        answer=answer,
        kind="closed",
        options=OPTIONS,
        category=construct,
        evidence_sql=None,
    )


def test_an_entitys_own_answer_helps_no_guess_about_it() -> None:
    answers = {"1": "up", "2": "up", "3": "down", "4": "same"}
    found = balance([closed(entity, "mood", answer) for entity, answer in answers.items()])
    assert found is not None
    assert found.answers == {"up": 2, "down": 1, "same": 1}
    assert (found.constant_answer, found.constant.accuracy) == ("up", 0.5)
    # Of 1 and 2 the others say one up, one down, one same: a tie, and 'up' is listed first.
    assert (found.per_construct.right, found.per_construct.ties) == (2, 2)
    assert found.per_construct_in_sample.right == 2


def test_each_construct_is_guessed_by_itself() -> None:
    mood = [closed(str(n), "mood", "up") for n in range(3)]
    sleep = [closed(str(n), "sleep", "down") for n in range(3)]
    found = balance([*mood, *sleep])
    assert found is not None
    assert found.constant.accuracy == 0.5
    assert found.per_construct.accuracy == 1.0
    assert found.constructs == {"mood": {"up": 3}, "sleep": {"down": 3}}


def test_a_construct_that_nobody_else_has_is_guessed_by_all_answers() -> None:
    found = balance([closed("1", "mood", "down"), closed("2", "sleep", "down")])
    assert found is not None
    assert found.per_construct.right == 2


def test_without_a_category_the_question_is_the_construct() -> None:
    items = [closed(str(n), "mood", "up").model_copy(update={"category": UNTAGGED}) for n in "12"]
    found = balance(items)
    assert found is not None
    assert found.constructs == {"how did mood change?": {"up": 2}}


def test_a_list_without_closed_items_has_no_balance() -> None:
    assert balance([item()]) is None


@needs("test data")
def test_guessing_on_the_official_list_of_wearables() -> None:
    path = Path(os.environ["DDR_TEST_DATA"]) / "ddr-bench" / "globem" / "qa.json"
    imported = import_checklist(
        path, scenario_id="wearables", entity_ids=None, license=License(name="theirs")
    )
    found = balance(imported.checklist.items)
    assert found is not None
    assert (found.items, found.entities, len(found.constructs)) == (435, 91, 14)
    assert f"{found.constant.accuracy:.1%}" == "40.0%"
    assert found.per_construct.accuracy == pytest.approx(0.563, abs=0.001)
    assert found.per_construct_in_sample.accuracy == pytest.approx(0.644, abs=0.001)
    assert found.per_construct.ties == 7
