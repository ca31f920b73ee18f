"""Verdicts and figures: discovery is the first supporting turn, unscored is not wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.evaluation import Curve, CurvePoint, Label
from core.ranking import Rating
from tests.core.builders import verdict

turns = st.lists(st.integers(1, 500), unique=True, max_size=10)


@given(supporting=turns.filter(bool))
def test_discovery_is_the_first_supporting_turn_in_whatever_order_they_come(
    supporting: list[int],
) -> None:
    assert verdict(supporting_turns=tuple(supporting)).found_at_turn == min(supporting)


@given(
    label=st.sampled_from(["contradicted", "insufficient", None]),
    supporting=turns,
)
def test_what_is_not_supported_was_found_at_no_turn(
    label: Label | None, supporting: list[int]
) -> None:
    assert verdict(label=label, supporting_turns=tuple(supporting)).found_at_turn is None


def test_support_without_a_turn_counts_but_stands_on_no_curve() -> None:
    one = verdict(level="trajectory")
    assert one.label == "supported"
    assert one.found_at_turn is None


def test_an_unscored_verdict_has_no_label_and_says_why() -> None:
    one = verdict(label=None, unscored_reason="no signals")
    assert (one.label, one.unscored_reason) == (None, "no signals")


@pytest.mark.parametrize("label", ["Supported", "SUPPORTED", "wrong", "", 1, True])
def test_a_label_outside_the_vocabulary_is_refused_not_guessed(label: Any) -> None:
    with pytest.raises(ValidationError, match="label"):
        verdict(label=label)


def test_a_verdict_is_about_one_of_the_two_insight_levels() -> None:
    with pytest.raises(ValidationError, match="level"):
        verdict(level="sample")


def test_a_rating_of_someone_without_a_game_has_no_strength() -> None:
    rating = Rating(competitor="a", strength=None, method="bradley-terry")
    assert (rating.strength, rating.wins, rating.losses, rating.ties) == (None, 0, 0, 0)


def test_a_curve_says_its_axis_and_whether_it_was_measured() -> None:
    point = CurvePoint(x=1, value=0.5, n=3)
    assert Curve(competitor="a", axis="turn", points=(point,)).source == "measured"
    with pytest.raises(ValidationError, match="axis"):
        Curve.model_validate({"competitor": "a", "axis": "tokens", "points": ()})


def test_a_point_of_a_curve_is_a_number() -> None:
    with pytest.raises(ValidationError, match="finite"):
        CurvePoint(x=1, value=float("nan"), n=3)
