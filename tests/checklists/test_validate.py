"""Every fault of a checklist is named with its item and key before anything is run."""

from __future__ import annotations

import pytest

from checklists.validate import (
    Problem,
    not_full,
    require_full,
    require_valid,
    schema_of,
    validate,
)
from core.checklist import ChecklistItem, Expected, Magnitude, Signals
from core.errors import ChecklistError
from tests.checklists.small import SHOPS, checklist, item, price_of_north, small

SCHEMA = {
    "sales": ("day", "shop", "good", "price", "late"),
    "goods": ("good", "maker", "weight"),
    "shops": ("shop", "town"),
}


def problems(*items: ChecklistItem) -> list[Problem]:
    return list(
        validate(checklist(*items), entity_ids=SHOPS, categories=("prices", "size"), schema=SCHEMA)
    )


def signals(**changes: object) -> Signals:
    fields: dict[str, object] = {
        "metric": ("@sales.price",),
        "kind": "level",
        "magnitude": Magnitude(value=round(price_of_north(), 4)),
        "required": ("magnitude",),
    }
    return Signals.model_validate({**fields, **changes})


def test_a_sound_checklist_has_no_problem() -> None:
    assert problems(item()) == []
    require_valid(checklist(item()), entity_ids=SHOPS, categories=("prices",), schema=SCHEMA)


@pytest.mark.parametrize(
    ("bad", "key", "told"),
    [
        (item(entity_id="nort"), "entity_id", "unknown entity 'nort' (did you mean 'north'?)"),
        (item(category="price"), "category", "unknown category 'price' (did you mean 'prices'?)"),
        (item(evidence_sql=None), "evidence_sql", "is missing"),
        (item(expected=None), "expected", "is missing"),
        (item(perturbation=None), "perturbation", "is missing"),
        (item(signals=None), "signals", "an open item needs signals"),
        (item(evidence_sql="DELETE FROM sales"), "evidence_sql", "is a DELETE, not a SELECT"),
        (
            item(evidence_sql="SELECT avg(cost) FROM sales"),
            "evidence_sql",
            "a column that is not there",
        ),
        (item(evidence_sql="SELECT 1; SELECT 2"), "evidence_sql", "holds 2 statements"),
        (item(expected=Expected(value="Ax", tolerance=1)), "expected", "a text has no tolerance"),
        (item(perturbation="shake: sales(price)"), "perturbation", "unknown kind of perturbation"),
        (item(perturbation="outcome sales"), "perturbation", "cannot read the perturbation"),
        (item(perturbation="outcome: sails(price)"), "perturbation", "unknown table 'sails'"),
        (item(perturbation="outcome: sales(cost)"), "perturbation", "unknown column of sales"),
        (
            item(signals=signals(metric=("price", "cost"))),
            "signals.metric",
            "no alias is made of schema references",
        ),
        (
            item(signals=signals(metric=("@sales.cost",))),
            "signals.metric",
            "in '@sales.cost': unknown column of sales 'cost'",
        ),
        (item(signals=signals(metric=("@sails",))), "signals.metric", "unknown table 'sails'"),
        (item(signals=signals(metric=("@sales.price", " "))), "signals.metric", "alias is empty"),
        (
            item(signals=signals(metric=("@sales.price", "@ price"))),
            "signals.metric",
            "cannot read the reference in '@ price'",
        ),
        (
            item(signals=signals(scope=(("rain", "@goods.colour red"),))),
            "signals.scope",
            "unknown column of goods 'colour'",
        ),
        (
            item(signals=signals(magnitude=Magnitude(value=12.0))),
            "signals.magnitude",
            "12 is not the expected",
        ),
        (item(kind="closed"), "options", "a closed item needs its options"),
        (
            item(question="Does a sale of shop north cost 44.9 on average?"),
            "question",
            "gives the answer away",
        ),
        (
            item(question="Is the mean price of shop north about 45?"),
            "question",
            "or a number that would pass for it",
        ),
        (
            item(
                question="How dear was shop north in March 2020?",
                signals=signals(period=("March 2020", "2020-03")),
            ),
            "question",
            "it says 'March 2020'",
        ),
        (
            item(
                question="Is Ax the maker that shop north sells most?",
                evidence_sql="SELECT maker FROM goods LIMIT 1",
                expected=Expected(value="Ax"),
                signals=signals(magnitude=None, required=()),
            ),
            "question",
            "it says 'Ax'",
        ),
    ],
)
def test_each_fault_is_named_with_its_item_and_key(bad: ChecklistItem, key: str, told: str) -> None:
    found = problems(bad)
    assert [p.key for p in found].count(key) == 1, found
    (problem,) = [p for p in found if p.key == key]
    assert problem.item_id == bad.id
    assert told in problem.text


@pytest.mark.parametrize(
    ("second", "key"),
    [
        (item(), "id"),
        (
            item(
                id="b", evidence_sql="SELECT  avg(price) AS value\nFROM sales WHERE shop = 'north'"
            ),
            "evidence_sql",
        ),
        (item(id="b", question="what does a SALE of shop north cost  on average?"), "question"),
    ],
)
def test_a_repeated_item_is_told_on_both_sides(second: ChecklistItem, key: str) -> None:
    found = [p for p in problems(item(), second) if p.key == key]
    assert [p.item_id for p in found] == [item().id, second.id]
    assert f"the same as in {second.id}" in found[0].text


def test_the_same_question_about_another_entity_is_no_repetition() -> None:
    other = item(id="b", entity_id="south", evidence_sql="SELECT 1", question="What does it cost?")
    first = item(question="What does it cost?")
    assert [p for p in problems(first, other) if p.key == "question"] == []


def test_the_entitys_own_id_in_a_question_gives_nothing_away() -> None:
    seven = item(
        entity_id="07",
        question="How many sales does shop 07 make?",
        evidence_sql="SELECT 7",
        expected=Expected(value=7.0),
        signals=signals(magnitude=Magnitude(value=7.0)),
    )
    assert [p for p in problems(seven) if p.key == "question"] == []


def test_a_difference_is_stated_without_its_sign() -> None:
    fall = item(
        expected=Expected(value=-4.5, tolerance=0.1),
        signals=signals(
            kind="change", direction="down", magnitude=Magnitude(value=4.5), required=("direction",)
        ),
    )
    assert problems(fall) == []


def test_facts_that_no_sql_proves_are_sound_where_none_is_asked_for() -> None:
    told = item(evidence_sql=None, expected=None, perturbation=None)
    assert validate(checklist(told), schema=SCHEMA, evidence=False) == ()
    closed = item(kind="closed", options=("yes", "no"), signals=None)
    assert validate(checklist(closed), schema=SCHEMA) == ()


def test_what_is_not_given_is_not_looked_at() -> None:
    strange = item(entity_id="nowhere", category="none", perturbation="outcome: sails(x)")
    assert validate(checklist(strange)) == ()


def test_the_error_lists_ten_problems_and_counts_the_rest() -> None:
    many = [item(id=f"{i}", question=f"q{i}?", evidence_sql=f"DELETE FROM t{i}") for i in range(12)]
    with pytest.raises(ChecklistError) as raised:
        require_valid(checklist(*many))
    text = str(raised.value)
    assert text.startswith("checklist 'shops' is not sound:\nitem '0', key 'evidence_sql'")
    assert text.count("is a DELETE") == 10
    assert text.endswith("... and 2 more")


def test_the_schema_of_a_database_is_its_tables_with_their_columns() -> None:
    assert schema_of(small()) == SCHEMA


def test_an_entity_with_too_few_items_or_categories_is_named_with_its_numbers() -> None:
    many = [
        item(id=f"n{number}", entity_id="north", category=f"c{number % 6}") for number in range(8)
    ]
    of_one_kind = [item(id=f"s{number}", entity_id="south") for number in range(9)]
    stale = [item(id="w", entity_id="west", status="stale")]
    whole = checklist(*many, *of_one_kind, *stale)
    require_full(whole, ["north"])
    with pytest.raises(ChecklistError) as failed:
        require_full(whole, SHOPS)
    assert str(failed.value).splitlines() == [
        "checklist 'shops' is not full:",
        "entity 'south' has 9 items in 1 categories; 8 in 6 are asked for",
        "entity 'west' has 0 items in 0 categories; 8 in 6 are asked for",
    ]
    assert len(not_full(whole, SHOPS)) == 2
