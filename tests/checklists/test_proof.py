"""What may go wrong on a copy now and then, and what may not."""

from __future__ import annotations

import pytest

from checklists.proof import Strikes
from core.checklist import ChecklistItem


def items(*names: str) -> list[ChecklistItem]:
    return [
        ChecklistItem(
            id=name,
            entity_id="1",
            question="?",
            answer="!",
            category="c",
            difficulty="easy",
            source="s",
        )
        for name in names
    ]


@pytest.mark.parametrize(("copies", "allowed"), [(20, 1), (10, 0), (40, 2), (1, 0)])
def test_nineteen_of_twenty_must_do_as_they_should(copies: int, allowed: int) -> None:
    assert Strikes(items("a"), copies).allowed == allowed


def test_an_item_with_too_many_strikes_is_out_and_tried_no_further() -> None:
    strikes = Strikes(items("good", "shaky", "bad"), 20)
    strikes.add(0, [("shaky", "once"), ("bad", "first")])
    assert [item.id for item in strikes.open] == ["good", "shaky", "bad"]
    strikes.add(1, iter([("bad", "second")]))
    assert [item.id for item in strikes.open] == ["good", "shaky"]
    assert list(strikes.out()) == [("bad", 2, "seed 0: first; seed 1: second")]
