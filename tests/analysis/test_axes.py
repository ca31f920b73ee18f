"""Where turns end along each axis: computed by hand, and unknown where it is unknown."""

from __future__ import annotations

import pytest

from analysis.axes import (
    AXES,
    NO_MODEL,
    TOTAL_ALONE,
    UNPRICED,
    UNREPORTED,
    Axis,
    Course,
    course,
    trail,
)
from analysis.growth import finds, growth
from analysis.scaling import as_run
from core.trajectory import Trajectory, Usage
from tests.analysis.courses import ENDS, PLACES, TEN, Took, asked, asked_turn, call, ten_turns
from tests.analysis.factory import item, trajectory, verdict


def along(made: Trajectory, axis: Axis) -> Course:
    found = course(trail(made), axis)
    assert isinstance(found, Course), found
    return found


@pytest.mark.parametrize("axis", AXES)
def test_the_ten_turns_end_where_a_hand_computed_it(axis: Axis) -> None:
    found = along(ten_turns(), axis)
    assert list(found.places.values()) == pytest.approx(PLACES[axis])
    assert found.end == pytest.approx(ENDS[axis])
    assert found.source == "measured"


@pytest.mark.parametrize("axis", AXES)
def test_the_ten_turn_trajectorys_curve_is_the_hand_computed_one(axis: Axis) -> None:
    """Five items: found at turn 2, at 5, at 5, at 9, never."""
    items = [item(f"i{n}") for n in range(5)]
    verdicts = [verdict(f"i{n}", turns=(t,)) for n, t in enumerate((2, 5, 5, 9))]
    grown = growth(items, [trail(ten_turns())], finds(verdicts), axis)
    curve = as_run(grown)
    second, fifth, ninth = (PLACES[axis][turn - 1] for turn in (2, 5, 9))
    expected = {second: 0.2, fifth: 0.6, ninth: 0.8, ENDS[axis]: 0.8}
    read = {round(point.x, 9): point.value for point in curve.points}
    assert {place: read[place] for place in expected} == pytest.approx(expected)
    for x, value in read.items():
        reached = [share for place, share in expected.items() if place <= x]
        assert value == pytest.approx(max(reached, default=0.0))


def test_a_call_without_usage_takes_the_trajectory_off_the_token_axes_and_no_other() -> None:
    took = [*TEN[:3], Took(None, 10, 1, 1, 0.01), *TEN[4:]]
    made = trail(asked(took=took))
    assert course(made, "billed_tokens") == UNREPORTED
    assert course(made, "new_tokens") == UNREPORTED
    for axis in ("turn", "calls", "cost_usd", "seconds"):
        assert isinstance(course(made, axis), Course)


def test_a_call_without_a_price_takes_it_off_the_cost_axis_alone() -> None:
    made = trail(asked(took=[Took(5, 5, 1, 1, 0.01), Took(9, 5, 1, 1, None)]))
    assert course(made, "cost_usd") == UNPRICED
    assert along(asked(took=[Took(5, 5, 1, 1, 0.01), Took(9, 5, 1, 1, None)]), "billed_tokens")


def test_what_is_unknown_of_the_last_failed_call_leaves_the_turns_before_it_their_places() -> None:
    failed = call(Took(None, None, 0, 1, None), at_s=105)
    made = asked(failed_calls=(failed,))
    # Without the nudge and the finishing message.
    assert along(made, "billed_tokens").places[10] == 2570 - 240
    assert along(made, "billed_tokens").end == 2570 - 240
    early = asked(failed_calls=(call(Took(None, None, 0, 1, None), at_s=55),))
    assert course(trail(early), "billed_tokens") == UNREPORTED


def test_an_agent_that_asks_no_model_has_no_place_on_the_axes_of_models() -> None:
    made = trail(trajectory(turns=3))
    for axis in ("billed_tokens", "new_tokens", "cost_usd"):
        assert course(made, axis) == NO_MODEL
    # The factory's turns begin at 1, 2, 3 seconds and take 0.02 each.
    assert along(trajectory(turns=3), "seconds").places == pytest.approx(
        {1: 1.02, 2: 2.02, 3: 3.02}
    )


def test_a_total_that_an_agent_from_outside_reports_places_all_turns_at_its_end() -> None:
    use = Usage(input_tokens=1200, output_tokens=30, cost_usd=0.25)
    made = trajectory(turns=3, reported_usage=use)
    billed = along(made, "billed_tokens")
    assert (billed.source, billed.end, set(billed.places.values())) == ("reported", 1230, {1230})
    assert along(made, "cost_usd").end == 0.25
    assert course(trail(made), "new_tokens") == TOTAL_ALONE
    half = trajectory(turns=3, reported_usage=Usage(input_tokens=5))
    assert course(trail(half), "billed_tokens") == TOTAL_ALONE


def test_a_trajectory_without_a_turn_ends_at_nothing() -> None:
    assert along(trajectory(turns=0), "turn") == Course("t1", "01", {}, 0)
    assert along(trajectory(turns=0), "seconds").end == 0


def test_turns_keep_their_numbers_also_where_one_is_missing() -> None:
    made = asked().model_copy(update={"turns": (asked_turn(2, TEN[0]), asked_turn(5, TEN[1]))})
    assert along(made, "turn").places == {2: 2, 5: 5}
    assert along(made, "billed_tokens").places == {2: 110, 5: 240}
