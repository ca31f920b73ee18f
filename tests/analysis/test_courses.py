"""What holds along every axis, whatever an agent did."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.axes import AXES, Axis, Course, course, courses, trail
from core.trajectory import Nudge, Trajectory
from tests.analysis.courses import TEN, Took, asked, call, ten_turns
from tests.analysis.factory import START, trajectory

_ACT = st.builds(
    Took,
    input_tokens=st.integers(0, 10_000),
    output_tokens=st.integers(0, 2_000),
    calls=st.integers(0, 4),
    seconds=st.floats(0, 100),
    cost_usd=st.floats(0, 1),
)


def along(made: Trajectory, axis: Axis) -> Course:
    found = course(trail(made), axis)
    assert isinstance(found, Course), found
    return found


@given(st.lists(_ACT, min_size=1, max_size=12), st.sampled_from(AXES))
def test_places_never_go_back_and_end_at_the_end(took: list[Took], axis: Axis) -> None:
    found = along(asked(took=took), axis)
    places = list(found.places.values())
    assert places == sorted(places)
    assert found.end == places[-1]
    assert places[0] >= 0


@given(st.lists(_ACT, min_size=1, max_size=12))
def test_new_tokens_are_never_more_than_billed_ones_and_hold_all_output(took: list[Took]) -> None:
    made = asked(took=took)
    new, billed = along(made, "new_tokens"), along(made, "billed_tokens")
    written = 0
    for turn, each in enumerate(took, start=1):
        written += each.output_tokens or 0
        assert written <= new.places[turn] <= billed.places[turn]


@given(st.lists(st.tuples(st.integers(1, 500), st.integers(1, 500)), min_size=1, max_size=12))
def test_of_a_conversation_that_only_grows_new_tokens_are_its_length(
    steps: list[tuple[int, int]],
) -> None:
    """Each prompt is all that was said before it and something more."""
    took, length = [], 0
    for read, written in steps:
        took.append(Took(length + read, written, 1, 1.0, 0.0))
        length += read + written
    assert along(asked(took=took), "new_tokens").end == length


def test_what_other_roles_took_moves_nothing_along_any_axis() -> None:
    made = ten_turns()
    alone = made.model_copy(
        update={
            "insights": tuple(i for i in made.insights if i.level == "trajectory"),
            "failed_calls": (),
        }
    )
    for axis in AXES:
        assert along(made, axis) == along(alone, axis)


def test_a_report_that_was_asked_for_is_no_part_of_the_agents_own() -> None:
    made = ten_turns()
    report = made.insights[-1]
    assert report.call is not None
    forced = report.model_copy(update={"call": report.call.model_copy(update={"role": "report"})})
    changed = made.model_copy(update={"insights": (*made.insights[:-1], forced)})
    assert along(made, "billed_tokens").end - along(changed, "billed_tokens").end == 330 + 50
    assert along(made, "billed_tokens").places == along(changed, "billed_tokens").places


def test_nudges_before_the_first_turn_and_after_the_last_have_their_places() -> None:
    nudge = call(Took(50, 5, 0, 2, 0.5))
    first = Nudge(after_turn=0, text="", call=nudge)
    last = Nudge(after_turn=2, text="", call=nudge)
    plain = asked(took=TEN[:2])
    begun = along(plain.model_copy(update={"nudges": (first,)}), "cost_usd")
    assert begun.places == pytest.approx({1: 0.51, 2: 0.52})
    ended = along(plain.model_copy(update={"nudges": (last,)}), "cost_usd")
    assert ended.places == pytest.approx({1: 0.01, 2: 0.02})
    assert ended.end == pytest.approx(0.52)


def test_seconds_of_an_agent_that_asks_a_model_leave_pauses_out() -> None:
    """Turns begin ten seconds apart, for insights were asked for between them, and take one or more."""
    assert along(asked(), "seconds").end == sum(took.seconds for took in TEN)


def test_seconds_of_an_agent_from_outside_are_those_since_its_start() -> None:
    made = trajectory(turns=2)
    late = made.turns[1].model_copy(update={"started_at": START + timedelta(seconds=90)})
    changed = made.model_copy(update={"turns": (made.turns[0], late)})
    assert along(changed, "seconds").places == pytest.approx({1: 1.02, 2: 90.02})


def test_those_without_places_are_told_apart_by_trajectory() -> None:
    known, unknown = asked("t1"), asked("t2", took=[Took(1, None, 1, 1, 0.1)])
    places, reasons = courses([trail(known), trail(unknown)], "billed_tokens")
    assert set(places) == {"t1"}
    assert reasons == {"t2": "a call reported no usage"}
    places, reasons = courses([trail(known), trail(unknown)], "turn")
    assert (set(places), reasons) == ({"t1", "t2"}, {})


def test_three_dimes_are_thirty_cents_and_no_hair_more() -> None:
    """In binary 0.1 + 0.1 + 0.1 is more than 0.3: what was found by then would be missed at 0.3."""
    places = along(asked(took=[Took(1, 1, 1, 0.1, 0.1)] * 3), "cost_usd").places
    assert places == {1: 0.1, 2: 0.2, 3: 0.3}
