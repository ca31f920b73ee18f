"""Surprise has one scale, and grows with what surprises."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.profiler import surprise
from agent.profiler.surprise import CAP, STANDS_OUT

PARTS = st.floats(min_value=0, max_value=1)
SIZES = st.floats(min_value=1, max_value=1e6)


def test_three_robust_deviations_are_three() -> None:
    # The median absolute deviation of a normal sample is its sd divided by 1.4826.
    assert surprise.among(13.0, 10.0, 1 / 1.4826, 0.0) == pytest.approx(3.0)


def test_an_uncertain_mean_surprises_less() -> None:
    sure = surprise.among(13.0, 10.0, 1.0, 0.0)
    unsure = surprise.among(13.0, 10.0, 1.0, 2.0)
    assert unsure < sure / 1.5


def test_what_equals_the_median_is_no_surprise_even_without_any_spread() -> None:
    assert surprise.among(10.0, 10.0, 0.0, 0.0) == 0


def test_what_differs_where_all_others_are_equal_is_the_greatest_surprise() -> None:
    assert surprise.among(10.1, 10.0, 0.0, 0.0) == CAP


def test_a_distance_within_two_errors_is_chance() -> None:
    assert surprise.apart(11.0, 10.0, 5.0, 0.5) == 0
    assert surprise.apart(12.0, 10.0, 5.0, 0.5) == pytest.approx(1.0)


def test_without_a_deviation_nothing_is_apart() -> None:
    assert surprise.apart(11.0, 10.0, 0.0, 0.0) == 0


def test_a_swing_of_few_rows_is_worth_less_than_one_of_many() -> None:
    few = surprise.swing(30.0, 10.0, 20.0, (10, 10))
    many = surprise.swing(30.0, 10.0, 20.0, (1000, 1000))
    assert few < many
    assert many > STANDS_OUT


def test_a_share_that_doubles_counts_about_one() -> None:
    assert surprise.shares(0.4, 0.2, 1e9) == pytest.approx(math.log2(0.41 / 0.21) + 0.6, rel=1e-3)


def test_a_share_of_a_handful_of_rows_may_be_chance() -> None:
    assert surprise.shares(0.4, 0.2, 4) == 0


def test_the_order_of_two_shares_does_not_matter() -> None:
    one = surprise.share_swing(0.4, 0.1, (50, 500))
    assert one == surprise.share_swing(0.1, 0.4, (500, 50))
    assert one > 0


def test_shares_whose_errors_overlap_do_not_swing() -> None:
    assert surprise.share_swing(0.4, 0.3, (20, 20)) == 0


def test_an_extreme_is_measured_by_how_far_the_tail_reaches() -> None:
    assert surprise.extreme(100.0, 0.0, 50.0) == pytest.approx(1.0)
    assert surprise.extreme(750.0, 0.0, 50.0) == pytest.approx(math.log2(15))
    assert surprise.extreme(5.0, 5.0, 5.0) == 1.0


def test_a_correlation_within_chance_is_none() -> None:
    assert surprise.together(0.1, None, 100) == 0
    assert surprise.together(0.1, 0.9, 100) == 0


def test_a_correlation_unlike_the_rests_surprises_more() -> None:
    assert surprise.together(0.5, -0.2, 1000) > surprise.together(0.5, 0.5, 1000) > 0


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_no_surprise_is_negative_or_beyond_the_cap(a: float, b: float, c: float, d: float) -> None:
    for value in (surprise.among(a, b, c, d), surprise.apart(a, b, c, d)):
        assert 0 <= value <= CAP


@given(PARTS, PARTS, SIZES, SIZES)
def test_no_surprise_of_shares_is_negative_or_beyond_the_cap(
    a: float, b: float, n: float, m: float
) -> None:
    assert 0 <= surprise.shares(a, b, n) <= CAP
    assert 0 <= surprise.share_swing(a, b, (n, m)) <= CAP


@given(PARTS)
def test_a_share_has_a_deviation_even_where_it_is_all_or_none(part: float) -> None:
    assert 0 < surprise.share_deviation(part) <= 0.5


@pytest.mark.parametrize(
    ("above", "part"), [(0, 0.9), (15, 0.9), (1, 0.6), (2, 0.6), (13, 0.6), (3, 0.25), (8, 0.25)]
)
def test_a_middling_rank_tells_little(above: int, part: float) -> None:
    assert surprise.of_rank(4.0, above, 16) == pytest.approx(4.0 * part)


OTHERS = {"entities": 9, "centre": 10.0, "spread": 1 / 1.4826}


def test_a_level_is_measured_among_the_others_where_there_are_several() -> None:
    assert surprise.level(13.0, 10.5, 10**9, 4.0, OTHERS) == pytest.approx(3.0)
    few = {**OTHERS, "entities": 4}
    assert surprise.level(13.0, 10.5, 10**9, 4.0, few) == pytest.approx(5 * 2.5 / 4, abs=1e-3)
    for lacking in ("centre", "spread", "entities"):
        told = {**OTHERS, lacking: None}
        assert surprise.level(13.0, 10.5, 10**9, 4.0, told) == surprise.level(
            13.0, 10.5, 10**9, 4.0, few
        )


def test_a_level_of_few_rows_is_widened_by_their_error() -> None:
    assert surprise.level(13.0, 10.5, 4, 4.0, OTHERS) == pytest.approx(3 / math.hypot(1.0, 2.0))


def test_a_level_that_differs_little_tells_little_however_close_the_others_are() -> None:
    close = {**OTHERS, "spread": 1e-6}
    assert surprise.level(10.1, 10.0, 10**9, 4.0, close) == pytest.approx(0.5)
    assert surprise.level(10.1, 10.0, 10**9, 0.0, close) == 0


def test_a_rare_share_that_doubles_matters_though_it_is_small() -> None:
    rare = {"entities": 9, "centre": 0.01, "spread": 1e-6}
    plain = surprise.level(0.03, 0.01, 10**9, 0.3, rare)
    assert plain == pytest.approx(20 * 0.02 / 0.3)
    assert surprise.level(0.03, 0.01, 10**9, 0.3, rare, is_share=True) == pytest.approx(2.5)
