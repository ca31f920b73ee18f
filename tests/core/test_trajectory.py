"""Trajectories: sums that keep the unknown unknown, totals that are derived, reasons to stop."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.trajectory import (
    NO_USAGE,
    RUN_LIMIT,
    Nudge,
    Sandbox,
    StopReason,
    ToolCall,
    ToolResult,
    Usage,
)
from tests.core.builders import at, call, insight, trajectory, turn

COUNTS = (
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
tokens = st.none() | st.integers(0, 10**9)
usages = st.builds(
    Usage,
    **dict.fromkeys(COUNTS, tokens),
    # Multiples of a 64th add up without rounding, so that sums can be compared exactly.
    cost_usd=st.none() | st.integers(0, 10**6).map(lambda n: n / 64),
    cost_reason=st.none() | st.sampled_from(["no price", "not reported"]),
)


def result(seconds: float, call_id: str = "c") -> ToolResult:
    return ToolResult(call_id=call_id, name="execute_query", text="[]", duration_s=seconds)


def asked(call_id: str) -> ToolCall:
    return ToolCall(call_id=call_id, name="execute_query", arguments="{}")


# Usage


@given(usage=usages)
def test_nothing_added_to_a_usage_leaves_it_as_it_was(usage: Usage) -> None:
    assert usage + NO_USAGE == usage
    assert NO_USAGE + usage == usage


@given(a=usages, b=usages, c=usages)
def test_the_order_of_adding_up_does_not_matter(a: Usage, b: Usage, c: Usage) -> None:
    assert (a + b) + c == a + (b + c)


@given(a=usages, b=usages)
def test_a_sum_with_one_unknown_part_is_unknown_and_never_smaller(a: Usage, b: Usage) -> None:
    total = a + b
    for name in (*COUNTS, "cost_usd"):
        left, right, both = (getattr(usage, name) for usage in (a, b, total))
        assert both == (None if None in (left, right) else left + right)


@given(a=usages, b=usages)
def test_the_first_reason_for_a_missing_price_is_kept(a: Usage, b: Usage) -> None:
    assert (a + b).cost_reason == (a.cost_reason or b.cost_reason)


def test_an_unpriced_call_makes_the_cost_unknown_but_not_the_tokens() -> None:
    priced = Usage(input_tokens=10, cost_usd=0.5)
    unpriced = Usage(input_tokens=5, cost_reason="no price")
    total = priced + unpriced
    assert (total.input_tokens, total.cost_usd, total.cost_reason) == (15, None, "no price")


# Totals


def test_calls_of_turns_and_insights_are_one_list_in_order_of_time() -> None:
    made = trajectory(
        turns=(turn(1, call=call(seconds=0)), turn(2, call=call(seconds=20))),
        insights=(insight(turn=1, call=call("insight", seconds=10)),),
    )
    assert [c.started_at for c in made.calls] == [at(0), at(10), at(20)]
    assert [c.role for c in made.calls] == ["agent", "insight", "agent"]


def test_usage_counts_the_agents_own_calls_unless_all_are_asked_for() -> None:
    made = trajectory(
        turns=(turn(1, call=call(input_tokens=100, output_tokens=1)),),
        insights=(
            insight(turn=1, call=call("insight", input_tokens=7, output_tokens=1)),
            insight("trajectory", id="i2", call=call("report", input_tokens=50, output_tokens=1)),
        ),
    )
    assert made.usage().input_tokens == 100
    assert made.usage("insight").input_tokens == 7
    assert made.usage(None).input_tokens == 157
    assert made.usage("judge") == NO_USAGE


def test_an_agent_without_a_model_has_spent_nothing_and_that_is_known() -> None:
    made = trajectory(turns=(turn(1), turn(2)))
    assert made.calls == ()
    assert made.usage() == NO_USAGE
    assert made.usage().cost_usd == 0


def test_what_an_outside_agent_says_of_itself_is_not_mixed_with_what_was_measured() -> None:
    made = trajectory(reported_usage=Usage(input_tokens=999, cost_usd=9.0))
    assert made.usage(None) == NO_USAGE


def test_parallel_tool_calls_count_each_and_their_time_adds_up() -> None:
    made = trajectory(
        turns=(
            turn(
                1,
                tool_calls=(asked("a"), asked("b")),
                tool_results=(result(0.5, "a"), result(0.25, "b")),
            ),
            turn(2),
            turn(3, tool_calls=(asked("c"),), tool_results=(result(1.0, "c"),)),
        )
    )
    assert made.tool_calls == 3
    assert made.tool_seconds == 1.75


def test_near_finishes_are_counted_beside_a_call_and_in_a_nudged_reply() -> None:
    nudged = [
        Nudge(after_turn=1, text="I FINISH: soon", near_finish=True, call=call()),
        Nudge(after_turn=1, text="Well.", call=call()),
    ]
    made = trajectory(turns=(turn(1), turn(2, near_finish=True)), nudges=tuple(nudged))
    assert made.near_finishes == 2
    assert trajectory().near_finishes == 0


def test_an_empty_insight_keeps_its_turn() -> None:
    made = trajectory(
        insights=(
            insight(id="a", turn=1),
            insight(id="b", turn=2, text=None),
            insight("trajectory", id="c"),
        )
    )
    assert [(i.turn, i.text) for i in made.message_insights] == [(1, "found"), (2, None)]


def test_the_report_is_the_last_trajectory_wise_insight_that_has_a_text() -> None:
    made = trajectory(
        insights=(
            insight("trajectory", id="a", text="draft"),
            insight("trajectory", id="b", text="final"),
            insight("trajectory", id="c", text=None),
            insight(id="d", turn=1, text="not a report"),
        )
    )
    assert made.report == "final"


@pytest.mark.parametrize("insights", [(), (insight(turn=1),), (insight("trajectory", text=None),)])
def test_without_a_report_there_is_none(insights: tuple[Any, ...]) -> None:
    assert trajectory(insights=insights).report is None


def test_totals_are_not_stored() -> None:
    stored = trajectory(turns=(turn(1),)).model_dump()
    assert not {"calls", "usage", "tool_calls", "tool_seconds", "report"} & set(stored)


# Bounds


def test_turns_count_from_1() -> None:
    with pytest.raises(ValidationError, match="index"):
        turn(0)


@pytest.mark.parametrize("field", ["trial", "attempt"])
def test_trials_and_attempts_count_from_1(field: str) -> None:
    assert getattr(trajectory(), field) == 1
    with pytest.raises(ValidationError, match=field):
        trajectory(**{field: 0})


def test_time_does_not_run_backwards() -> None:
    with pytest.raises(ValidationError, match="duration_s"):
        result(-0.1)


def test_arguments_are_kept_as_emitted_even_where_they_are_no_json() -> None:
    broken = '{"query": "SELECT 1'
    made = trajectory(
        turns=(turn(1, tool_calls=(ToolCall(call_id="a", name="sql", arguments=broken),)),)
    )
    again = type(made).model_validate_json(made.model_dump_json())
    assert again.turns[0].tool_calls[0].arguments == broken


# Why it stopped


def test_only_an_agent_that_finished_stopped_by_itself() -> None:
    assert [reason for reason in StopReason if reason.self_terminated] == [StopReason.FINISHED]


def test_our_faults_are_unscored_and_every_other_ending_is_scored() -> None:
    unscored = {reason.value for reason in StopReason if not reason.scored}
    assert unscored == {"provider_error", "tool_unavailable", "cancelled", "no_contact"}


def test_an_agent_that_ran_into_a_limit_or_gave_up_is_scored() -> None:
    assert StopReason.MAX_TURNS.scored
    assert StopReason.ABANDONED.scored
    assert StopReason.CONTEXT_LENGTH.scored


def test_a_stop_reason_is_stored_as_its_word() -> None:
    assert trajectory(stop_reason="idle").model_dump(mode="json")["stop_reason"] == "idle"
    with pytest.raises(ValidationError, match="stop_reason"):
        trajectory(stop_reason="bored")


def test_insights_stand_in_the_order_of_turns_and_a_failed_one_gives_way_to_the_next() -> None:
    failure = call("insight").model_copy(update={"error": "503 from the endpoint"})
    made = trajectory(
        insights=(
            insight(id="a", turn=3),
            insight(id="b", turn=1, text=None, call=failure),
            insight(id="c", turn=2, text=None, call=failure),
            insight(id="d", turn=1, text="later"),
        )
    )
    assert [(i.id, i.failed) for i in made.message_insights] == [
        ("d", False),
        ("c", True),
        ("a", False),
    ]
    assert len(made.calls) == 2, "what was asked in vain was asked"


@pytest.mark.parametrize(("name", "unsafe"), [("bubblewrap", False), ("unsafe-none", True)])
def test_a_sandbox_that_is_none_says_so(name: str, unsafe: bool) -> None:
    assert Sandbox(name=name).is_unsafe is unsafe


@pytest.mark.parametrize(
    ("kinds", "met", "refused"),
    [
        ([None, None], False, False),
        (["limit", "limit"], False, False),
        ([None, RUN_LIMIT], True, False),
        ([RUN_LIMIT, RUN_LIMIT], True, True),
        ([], False, False),
    ],
)
def test_a_turn_knows_whether_a_limit_of_the_run_met_it_and_whether_before_its_first_call(
    kinds: list[str | None], met: bool, refused: bool
) -> None:
    answers = tuple(result(0.1).model_copy(update={"error_kind": kind}) for kind in kinds)
    made = tuple(asked("c") for _ in kinds)
    one = turn(1, tool_calls=made, tool_results=answers)
    assert (one.met_limit, one.was_refused) == (met, refused)


@pytest.mark.parametrize(
    ("asked_for", "named", "served"),
    [
        ("m", None, ()),
        ("m", "m-2026", ("m-2026",)),
        ("m", "a, b", ("a", "b")),
        ("scripted:/my, own/m.jsonl", "scripted:/my, own/m.jsonl", ("scripted:/my, own/m.jsonl",)),
    ],
)
def test_who_served_a_call_is_told_one_by_one(
    asked_for: str, named: str | None, served: tuple[str, ...]
) -> None:
    made = call().model_copy(update={"model_asked": asked_for, "model_served": named})
    assert made.served == served
