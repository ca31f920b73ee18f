"""Places along every axis, against a slow walk through the records of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.axes import (
    AXES,
    LOGARITHMIC,
    NO_MODEL,
    TITLES,
    UNPRICED,
    UNREPORTED,
    Axis,
    Course,
    act,
    course,
    courses,
    in_order,
    trail,
)
from analysis.growth import growth, latest_trails
from core.trajectory import Insight, Nudge, Role, ToolCall, ToolResult, Turn, Usage
from tests.analysis.courses import Took, asked, call
from tests.analysis.factory import START, item, trajectory

OTHERS: tuple[Role, ...] = ("insight", "report", "judge", "checker", "author")
_TOKENS = st.none() | st.integers(0, 5000)
_TOOK = st.builds(
    Took,
    st.integers(0, 5000),
    st.integers(0, 500),
    st.integers(0, 3),
    st.integers(0, 9).map(float),
    st.integers(0, 40).map(lambda n: n / 8),
)
_UNSURE = st.builds(Took, _TOKENS, _TOKENS, st.integers(0, 3), st.just(1.0), st.just(None))


def reckoned(took: Sequence[Took], axis: Axis) -> list[float]:
    """Where each turn ends, by its definition."""
    ends: list[float] = []
    total, held = 0.0, 0
    for number, each in enumerate(took, start=1):
        read, wrote = each.input_tokens or 0, each.output_tokens or 0
        if axis == "turn":
            total = number
        elif axis == "calls":
            total += each.calls
        elif axis == "billed_tokens":
            total += read + wrote
        elif axis == "new_tokens":
            total += max(read - held, 0) + wrote
            held = read + wrote
        elif axis == "cost_usd":
            total += each.cost_usd or 0
        else:
            total += each.seconds
        ends.append(total)
    return ends


@pytest.mark.parametrize("axis", AXES)
@given(st.lists(_TOOK, max_size=8))
def test_each_turn_ends_where_a_slow_sum_has_it(axis: Axis, took: list[Took]) -> None:
    found = course(trail(asked(took=took)), axis)
    if not took and axis not in ("turn", "calls", "seconds"):
        assert found == NO_MODEL
        return
    assert isinstance(found, Course)
    expected = reckoned(took, axis)
    assert list(found.places) == list(range(1, len(took) + 1))
    assert list(found.places.values()) == pytest.approx(expected)
    assert found.end == pytest.approx(max(expected, default=0))


@given(st.lists(_TOOK, min_size=1, max_size=8))
def test_new_tokens_are_never_more_than_billed_ones(took: list[Took]) -> None:
    made = trail(asked(took=took))
    new, billed = course(made, "new_tokens"), course(made, "billed_tokens")
    assert isinstance(new, Course) and isinstance(billed, Course)
    assert new.end <= billed.end
    assert new.end >= sum(each.output_tokens or 0 for each in took)
    assert all(new.places[turn] <= billed.places[turn] for turn in new.places)


@given(st.lists(_TOOK | _UNSURE, min_size=1, max_size=6))
def test_what_one_call_did_not_report_is_never_counted_as_nothing(took: list[Took]) -> None:
    made = trail(asked(took=took))
    silent = any(each.input_tokens is None or each.output_tokens is None for each in took)
    for axis in ("billed_tokens", "new_tokens"):
        assert (course(made, axis) == UNREPORTED) == silent
    unpriced = any(each.cost_usd is None for each in took)
    assert (course(made, "cost_usd") == UNPRICED) == unpriced
    known, without = courses([made], "cost_usd")
    assert len(known) + len(without) == 1
    assert list(without.values()) == ([UNPRICED] if unpriced else [])


@pytest.mark.parametrize("axis", AXES)
@given(st.lists(_TOOK, min_size=1, max_size=6), st.integers(0, 7))
def test_a_nudge_moves_what_comes_after_it_and_nothing_before(
    axis: Axis, took: list[Took], after: int
) -> None:
    nudge = Nudge(after_turn=after, text="well", call=call(Took(50, 5, 0, 1.0, 0.5)))
    plain = course(trail(asked(took=took)), axis)
    nudged = course(trail(asked(took=took, nudges=(nudge,))), axis)
    assert isinstance(plain, Course) and isinstance(nudged, Course)
    for turn, place in plain.places.items():
        if turn <= after or axis in ("turn", "calls"):
            assert nudged.places[turn] == pytest.approx(place)
        elif axis in ("billed_tokens", "cost_usd", "seconds"):
            more = {"billed_tokens": 55, "cost_usd": 0.5, "seconds": 1.0}[axis]
            assert nudged.places[turn] == pytest.approx(place + more)
    if axis in ("billed_tokens", "cost_usd", "seconds"):
        assert nudged.end > plain.end


def test_the_other_roles_move_nothing_along_any_axis() -> None:
    took = [Took(100, 10, 1, 1.0, 0.1)]
    huge = Took(10**9, 10**9, 0, 10**6, 10**6)
    told = (
        Insight(
            id="i", trajectory_id="t1", level="message", turn=1, text="x", author="m",
            call=call(huge, "insight"),
        ),
        Insight(
            id="r", trajectory_id="t1", level="trajectory", text="x", author="m",
            call=call(huge, "report"),
        ),
    )  # fmt: skip
    failed = tuple(call(huge, role) for role in OTHERS)
    beside = trail(asked(took=took, insights=told, failed_calls=failed))
    for axis in AXES:
        assert course(beside, axis) == course(trail(asked(took=took)), axis)


def test_the_finishing_message_of_the_agent_itself_is_part_of_where_it_stopped() -> None:
    report = Insight(
        id="r",
        trajectory_id="t1",
        level="trajectory",
        text="done",
        author="m",
        call=call(Took(200, 20, 0, 3.0, 0.5)),
    )
    found = course(trail(asked(took=[Took(100, 10, 1, 1.0, 0.1)], insights=(report,))), "cost_usd")
    assert isinstance(found, Course)
    assert (found.places, found.end) == ({1: 0.1}, 0.6)


def test_three_times_ten_cents_are_thirty() -> None:
    found = course(trail(asked(took=[Took(1, 1, 1, 1.0, 0.1)] * 3)), "cost_usd")
    assert isinstance(found, Course)
    assert found.places == {1: 0.1, 2: 0.2, 3: 0.3}


def test_a_free_model_has_places_at_nothing_and_nothing_is_not_unknown() -> None:
    found = course(trail(asked(took=[Took(5, 5, 1, 1.0, 0.0)] * 2)), "cost_usd")
    assert isinstance(found, Course)
    assert (found.places, found.end) == ({1: 0.0, 2: 0.0}, 0.0)
    grown = growth([item("a")], [trail(asked(took=[Took(5, 5, 1, 1.0, 0.0)]))], [], "cost_usd")
    assert grown.explorations[0].first is None
    assert grown.last == 0 and grown.left_out == {}


def test_huge_figures_are_neither_lost_nor_rounded_to_nothing() -> None:
    took = [Took(10**15, 1, 1, 1.0, 1e-9), Took(1, 1, 1, 1.0, 1e9)]
    billed = course(trail(asked(took=took)), "billed_tokens")
    cost = course(trail(asked(took=took)), "cost_usd")
    assert isinstance(billed, Course) and isinstance(cost, Course)
    assert billed.places == {1: 10**15 + 1, 2: 10**15 + 3}
    assert cost.places[1] == 1e-9


# Agents from outside


def many(index: int, calls: int, at_s: float, took_s: float) -> Turn:
    """A turn of an agent that makes several calls at once and asks no model of ours."""
    names = [f"{index}.{n}" for n in range(calls)]
    return Turn(
        index=index,
        tool_calls=tuple(ToolCall(call_id=n, name="execute_query", arguments="{}") for n in names),
        tool_results=tuple(
            ToolResult(call_id=n, name="execute_query", text="{}", duration_s=0.1) for n in names
        ),
        started_at=START + timedelta(seconds=at_s),
        duration_s=took_s,
    )


def test_several_calls_of_one_turn_are_one_place() -> None:
    made = trail(trajectory(turns=[many(1, 3, 5, 2), many(2, 1, 60, 1), many(3, 4, 90, 0.5)]))
    along = {axis: course(made, axis) for axis in AXES}
    found = {axis: each.places for axis, each in along.items() if isinstance(each, Course)}
    assert found == {
        "turn": {1: 1, 2: 2, 3: 3},
        "calls": {1: 3, 2: 4, 3: 8},
        # Nobody sees such an agent think: the time since the start.
        "seconds": {1: 7, 2: 61, 3: 90.5},
    }


def test_a_reported_total_is_where_all_its_turns_are_and_a_half_one_is_none() -> None:
    turns = [many(1, 2, 1, 1), many(2, 2, 5, 1)]
    for use, billed, cost in (
        (Usage(input_tokens=90, output_tokens=10, cost_usd=0.5), 100, 0.5),
        (Usage(input_tokens=0, output_tokens=0, cost_usd=0.0), 0, 0),
        (Usage(input_tokens=90, cost_usd=0.5), None, 0.5),
        (Usage(output_tokens=90), None, None),
    ):
        made = trail(trajectory(turns=turns, reported_usage=use))
        totals: dict[Axis, float | None] = {"billed_tokens": billed, "cost_usd": cost}
        for axis, total in totals.items():
            found = course(made, axis)
            if total is None:
                assert isinstance(found, str)
            else:
                assert isinstance(found, Course)
                assert (found.source, found.places) == ("reported", {1: total, 2: total})


def test_a_turn_that_went_wrong_with_its_clock_moves_no_other() -> None:
    late = trail(trajectory(turns=[many(1, 1, -30, 1), many(2, 1, 10, 1)]))
    found = course(late, "seconds")
    assert isinstance(found, Course)
    assert found.places == {1: -29, 2: 11}
    assert found.end == 11


# Which attempt counts


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 2), st.integers(1, 4)), max_size=9))
def test_of_each_entity_and_trial_the_highest_attempt_counts(
    made: list[tuple[str, int, int]],
) -> None:
    trails = [
        trail(trajectory(f"t{n}", entity, 1, trial=trial, attempt=attempt))
        for n, (entity, trial, attempt) in enumerate(made)
    ]
    kept = latest_trails(trails)
    assert [(each.entity_id, each.trial) for each in kept] == list(
        dict.fromkeys((entity, trial) for entity, trial, _ in made)
    )
    for each in kept:
        rivals = [a for e, t, a in made if (e, t) == (each.entity_id, each.trial)]
        assert each.attempt == max(rivals)


def test_acts_are_put_in_the_order_of_the_turns_they_follow() -> None:
    acts = [act(None, number, 0, 0, 0) for number in (1, 2)]
    beside = act(None, None, 0, 0, 0)
    assert in_order([(2, 0, acts[1]), (1, 1, beside), (1, 0, acts[0])]) == (
        acts[0],
        beside,
        acts[1],
    )


def test_every_axis_has_a_title_and_counts_are_on_no_log_scale() -> None:
    assert set(TITLES) == set(AXES)
    assert set(AXES) - LOGARITHMIC == {"turn", "calls"}
