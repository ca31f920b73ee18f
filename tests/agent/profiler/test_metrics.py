"""What is averaged over rows, and the round bounds that people would choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.profiler.columns import Figures
from agent.profiler.metrics import Metric, cuts, rungs
from agent.profiler.roles import Column, Role
from agent.profiler.schema import Field

PARTS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)


def figures(values: Mapping[float, float], low: float, high: float, whole: float = 1.0) -> Figures:
    return Figures(
        rows=1000, filled=950, distinct=300, low=str(low), high=str(high), mean=5.0,
        deviation=4.0, whole_share=whole, quantiles=dict(values),
    )  # fmt: skip


def spread(*values: float, low: float, high: float, whole: float = 1.0) -> Figures:
    return figures(dict(zip(PARTS, values, strict=True)), low, high, whole)


DELAYS = spread(-12, -9, -5, -2, 11, 49, 88, 191, low=-43, high=1301)
DISTANCES = spread(169, 199, 502, 872, 1389, 2446, 2475, 2586, low=17, high=4983)
RAIN = spread(0, 0, 0, 0, 0, 0, 0.01, 0.13, low=0, high=1.21, whole=0.93)
HEAT = spread(19.9, 28, 39.9, 55.4, 70, 78.8, 82.4, 91, low=10.9, high=100, whole=0.1)
PRESSURE = spread(1001.3, 1006, 1012.9, 1017.6, 1023, 1027.5, 1030.1, 1036.4, low=983.8, high=1042.1, whole=0.1)  # fmt: skip


def column(role: Role = Role.MEASURE, given: Figures = DELAYS) -> Column:
    return Column(Field("t", "wait_min", "INTEGER"), given, role, words="wait (min)")


def metric(form: Literal["mean", "missing", "above", "below"], bound: float = 0.0) -> Metric:
    return Metric(column(), form, bound)


def test_whole_numbers_that_may_be_minutes_are_asked_about_parts_of_an_hour() -> None:
    assert rungs(DELAYS) == [0, 15, 30, 60, 120, 180]


def test_other_measures_are_asked_about_round_numbers_of_their_own_size() -> None:
    assert rungs(DISTANCES) == [1500, 2500]
    assert rungs(HEAT) == [70, 80, 90]


def test_what_passes_zero_is_asked_how_often_it_is_above() -> None:
    gains = spread(-9, -7, -4, -1, 3, 6, 8, 12, low=-20, high=30, whole=0.2)
    assert rungs(gains)[0] == 0


def test_bounds_near_a_far_off_level_are_round_by_the_spread_not_by_the_level() -> None:
    assert cuts(PRESSURE, (0.75, 0.95)) == [1020, 1030]


def test_bounds_of_a_rare_state_are_found_in_its_tail() -> None:
    assert cuts(RAIN, (0.95, 0.99)) == [0.01, 0.13]


def test_a_bound_is_named_once_and_lies_inside_the_range() -> None:
    assert cuts(DELAYS, (0.75, 0.75, 0.9)) == [10, 50]
    narrow = spread(1, 1, 1, 1, 1, 1, 1, 2, low=1, high=2)
    assert all(1 <= bound <= 2 for bound in cuts(narrow, PARTS))


def test_without_quantiles_there_are_no_bounds() -> None:
    assert rungs(Figures()) == []
    assert cuts(Figures(), (0.75,)) == []


@given(st.lists(st.floats(-1e9, 1e9), min_size=8, max_size=8))
@example([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 2.225073858507203e-309])
def test_bounds_never_leave_the_range_whatever_the_values(values: list[float]) -> None:
    ranked = sorted(values)
    given_figures = spread(*ranked, low=ranked[0], high=ranked[-1], whole=0.5)
    for bound in cuts(given_figures, PARTS):
        assert ranked[0] <= bound <= ranked[-1]


def test_a_metric_is_called_by_what_it_averages() -> None:
    assert metric("mean").subject == "mean wait (min)"
    assert metric("missing").subject == "share of missing wait (min)"
    assert metric("above", 15.0).subject == "share of wait (min) above 15"
    assert metric("below", 1500.5).subject == "share of wait (min) below 1,500.5"
    assert Metric(column(Role.FLAG)).subject == "share of wait (min)"


def test_shares_are_printed_as_percent_and_years_without_a_comma() -> None:
    assert metric("mean").show(20.04) == "20.0"
    assert metric("missing").show(0.052) == "5.2%"
    assert metric("above").show(0.5) == "50.0%"
    assert Metric(column(Role.FLAG)).show(0.25) == "25.0%"
    assert Metric(column(Role.YEAR)).show(2004.36) == "2004.4"


def test_a_gap_in_the_data_is_another_topic_than_the_values() -> None:
    assert metric("mean").topic == metric("above", 3).topic == "t.wait_min"
    assert metric("missing").topic == "t.wait_min missing"


def test_a_missing_value_is_neither_above_nor_below() -> None:
    assert "IS NOT NULL" in metric("above", 15).expr
    assert "ELSE" not in metric("above", 15).expr
    assert metric("missing").expr.endswith("ELSE 0.0 END")


def test_the_deviation_of_a_share_follows_from_the_share() -> None:
    assert metric("missing").deviation == pytest.approx((0.05 * 0.95) ** 0.5)
    assert metric("mean").deviation == 4.0
    assert metric("above", 49).deviation == pytest.approx((0.1 * 0.9) ** 0.5)


def test_means_swing_by_deviations_and_shares_by_ratios() -> None:
    rows = (400.0, 400.0)
    assert metric("mean").swing(9.0, 5.0, rows) == pytest.approx(5 * (4 - 2 * 4 * 0.005**0.5) / 4)
    assert metric("missing").swing(0.4, 0.1, rows) > 1
