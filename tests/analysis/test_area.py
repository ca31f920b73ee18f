"""The area over log cost, by hand and against a fine sum; what more buys, by hand."""

from __future__ import annotations

from math import log

import pytest

from analysis.area import area, check_range, common_range
from analysis.marginal import budgets, by_window, marginal
from analysis.scaling import as_run, value_at
from core.errors import UsageError
from tests.analysis.grown import alike, entity, grown, run


def test_the_area_of_steps_at_powers_of_ten_is_computed_in_the_head() -> None:
    """From 1 to 1000: half is found at 10, the other half at 100: (1/3)(0) + (1/3)(1/2) + (1/3)(1)."""
    made = grown(entity("a", 2, run(10, 100, end=1000)), axis="cost_usd")
    found = area(made, 1, 1000)
    assert found is not None
    assert found.value == pytest.approx(0.5)
    assert (found.low, found.high) == (None, None)


def test_a_curve_is_held_at_its_last_value_and_begins_at_the_range() -> None:
    early = grown(entity("a", 1, run(0.001, end=0.01)), axis="cost_usd")
    late = grown(entity("a", 1, run(5, end=9)), axis="cost_usd")
    assert getattr(area(early, 1, 1000), "value", None) == pytest.approx(1.0)
    assert getattr(area(late, 0.1, 1), "value", None) == 0.0


def test_the_area_is_the_mean_height_of_the_curve_over_log_x() -> None:
    made = grown(
        entity("a", 3, run(2, 7, 40, end=50), run(3, end=60)),
        entity("b", 2, run(1.5, end=20)),
        axis="cost_usd",
    )
    curve = as_run(made, draws=0)
    steps = 20_000
    xs = [1.0 * 100.0 ** ((k + 0.5) / steps) for k in range(steps)]
    by_sum = sum(value_at(curve, x) or 0.0 for x in xs) / steps
    found = area(made, 1, 100)
    assert found is not None
    assert found.value == pytest.approx(by_sum, abs=1e-4)
    assert found.low is not None and found.high is not None
    assert found.low <= found.value <= found.high


def test_the_range_is_common_to_all_and_leaves_what_costs_nothing_out() -> None:
    cheap = grown(
        entity("a", 1, run(end=2, first=0.01), run(end=3, first=0.03), run(end=1, first=None))
    )
    dear = grown(entity("a", 1, run(end=50, first=0.5)))
    assert common_range([cheap, dear]) == (0.02, 50)
    assert common_range([grown(entity("a", 1, run(end=0, first=None)))]) is None
    assert common_range([]) is None


@pytest.mark.parametrize(("low", "high"), [(0, 1), (2, 1), (1, 1), (1, float("inf"))])
def test_a_range_that_is_none_is_refused(low: float, high: float) -> None:
    with pytest.raises(UsageError, match="two numbers above 0"):
        check_range(low, high)


def test_nothing_explored_has_no_area() -> None:
    assert area(grown(), 1, 2) is None
    assert area(grown(entity("a", 1)), 1, 2) is None


def test_what_more_turns_buy_is_new_items_by_turns_really_spent() -> None:
    """One run of 3 turns and one of 10: in turns 1 to 5 they spend 3 + 5, in 6 to 10 5."""
    made = grown(entity("a", 4, run(1, 2, end=3)), entity("b", 4, run(5, 6, 10, end=10)))
    first, second = by_window(made)
    assert (first.new, first.spent, first.value) == (3, 8, 3 / 8)
    assert (second.new, second.spent, second.value) == (2, 5, 2 / 5)


def test_what_tokens_buy_is_told_by_the_thousand_and_seconds_by_the_minute() -> None:
    made = grown(entity("a", 4, run(500, 1500, end=2000, first=100)), axis="billed_tokens")
    assert [m.value for m in marginal(made, [1000, 2000])] == [1, 1]
    slow = grown(entity("a", 4, run(30, end=120, first=1)), axis="seconds")
    assert [m.value for m in marginal(slow, [60, 120, 180])] == [1, 0, None]


def test_every_dated_find_is_in_one_stretch() -> None:
    made = grown(entity("a", 9, run(0.0, 0.02, 0.3, 0.3, 7, end=8, first=0.02)), axis="cost_usd")
    assert sum(m.new for m in by_window(made)) == 5


def test_budgets_go_to_the_end_and_under_protocol_ddr_by_fives_to_a_hundred() -> None:
    assert budgets(alike(1, 1, [1], 27)) == [1, 2, 5, 10, 20, 27]
    assert budgets(alike(1, 1, [1], 230)) == [1, 2, 5, *range(10, 100, 10), 100, 150, 200, 230]
    assert budgets(alike(1, 1, [1], 27), ddr=True) == list(range(5, 101, 5))
    costs = grown(entity("a", 1, run(end=0.7, first=0.015)), axis="cost_usd")
    assert budgets(costs) == pytest.approx([0.02, 0.05, 0.1, 0.2, 0.5, 0.7])
    assert budgets(grown(entity("a", 1, run(end=0)))) == []


def test_a_doubling_is_worth_the_same_wherever_it_lies() -> None:
    def of(place: float) -> float:
        return getattr(area(grown(entity("a", 1, run(place, end=99))), 1, 64), "value", -1.0)

    assert of(2) - of(4) == pytest.approx(of(16) - of(32)) == pytest.approx(log(2) / log(64))
