"""Checklist items: signals that can be met, expected values that hold, items that count."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.checklist import Expected, Magnitude
from tests.core.builders import checklist, item, signals

FILLED: dict[str, Any] = {
    "direction": "up",
    "magnitude": Magnitude(value=1),
    "period": ("March 2019",),
    "scope": (("rain",),),
}


@pytest.mark.parametrize("slot", FILLED)
def test_a_required_slot_without_a_value_is_refused_by_name(slot: str) -> None:
    with pytest.raises(ValidationError, match=f"required slots without a value: {slot}"):
        signals(required=(slot,))


@pytest.mark.parametrize("slot", FILLED)
def test_a_required_slot_with_a_value_is_taken(slot: str) -> None:
    assert signals(required=(slot,), **{slot: FILLED[slot]}).required == (slot,)


def test_all_empty_required_slots_are_named_at_once() -> None:
    with pytest.raises(ValidationError, match="direction, period"):
        signals(required=("direction", "magnitude", "period"), magnitude=Magnitude(value=1))


def test_a_slot_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValidationError, match="required"):
        signals(required=("colour",))


def test_signals_without_a_metric_are_refused() -> None:
    with pytest.raises(ValidationError, match="metric"):
        signals(metric=())


def test_a_negative_tolerance_is_refused() -> None:
    with pytest.raises(ValidationError, match="rel_tol"):
        Magnitude(value=1, rel_tol=-0.1)
    with pytest.raises(ValidationError, match="tolerance"):
        Expected(value=1, tolerance=-0.1)


numbers = st.floats(-1e9, 1e9, allow_nan=False)


@given(value=numbers, tolerance=st.floats(0, 1e6))
def test_the_expected_value_itself_always_holds(value: float, tolerance: float) -> None:
    assert Expected(value=value, tolerance=tolerance).holds(value)


@given(value=numbers, tolerance=st.floats(0, 1e6), returned=numbers)
def test_a_value_holds_if_and_only_if_it_is_within_the_tolerance(
    value: float, tolerance: float, returned: float
) -> None:
    expected = Expected(value=value, tolerance=tolerance)
    assert expected.holds(returned) == (abs(returned - value) <= tolerance)


@pytest.mark.parametrize(
    "returned",
    [20, 20.0, Decimal("20"), Fraction(20), np.float64(20.0), np.int32(20)],
    ids=lambda value: type(value).__name__,
)
def test_a_number_holds_in_whatever_type_the_database_returns_it(returned: object) -> None:
    assert Expected(value=20.0).holds(returned)


@pytest.mark.parametrize("returned", [None, "20", b"20", math.nan, math.inf, object(), [20]])
def test_what_is_no_number_does_not_hold_as_one(returned: object) -> None:
    assert not Expected(value=20.0, tolerance=1e9).holds(returned)


def test_text_holds_only_word_for_word() -> None:
    expected = Expected(value="A017")
    assert expected.holds("A017")
    assert not expected.holds("a017")
    assert not expected.holds("A017 ")
    assert not expected.holds(17)
    assert not expected.holds(None)


def test_a_checklist_gives_out_an_entitys_accepted_items_alone_and_in_order() -> None:
    items = (
        item(id="03-a"),
        item(id="04-a", entity_id="04"),
        item(id="03-b", status="proposed"),
        item(id="03-c", status="rejected"),
        item(id="03-d", status="stale"),
        item(id="03-e"),
    )
    assert [i.id for i in checklist(*items).of("03")] == ["03-a", "03-e"]
    assert checklist(*items).of("99") == ()


@pytest.mark.parametrize("weight", [0, -1])
def test_an_item_that_weighs_nothing_is_refused(weight: float) -> None:
    with pytest.raises(ValidationError, match="weight"):
        item(weight=weight)


@pytest.mark.parametrize(
    ("field", "value"),
    [("difficulty", "impossible"), ("status", "maybe"), ("kind", "ajar"), ("insight_type", "x")],
)
def test_a_word_outside_the_vocabulary_is_refused(field: str, value: str) -> None:
    with pytest.raises(ValidationError, match=field):
        item(**{field: value})


def test_a_list_from_elsewhere_may_leave_the_difficulty_open_and_have_another_type() -> None:
    taken = item(difficulty=None, insight_type="other")
    assert (taken.difficulty, taken.insight_type) == (None, "other")
