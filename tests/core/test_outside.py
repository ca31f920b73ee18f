"""The turns of an agent from outside are what its exploring calls make."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.outside import UNANSWERED, Outside, OutsideCall, Seat, turns_of
from core.run import RunSpec
from core.trajectory import ToolResult, Trajectory
from tests.core.builders import NOON, at


def called(
    position: int, turn: int | None, began: float = 0, lasted: float | None = 1, text: str = "{}"
) -> OutsideCall:
    """A call; `lasted` None: it was never answered."""
    result = ToolResult(
        call_id=str(position), name="execute_query", text=text, duration_s=lasted or 0
    )
    return OutsideCall(
        position=position,
        turn=turn,
        name="execute_query",
        arguments=json.dumps({"query": f"SELECT {position}"}),
        started_at=at(began),
        result=None if lasted is None else result,
    )


def test_each_exploring_call_is_a_turn_and_the_others_are_none() -> None:
    turns = turns_of([called(1, None), called(2, 1, 5), called(3, None), called(4, 2, 9)])
    assert [(turn.index, turn.tool_calls[0].call_id) for turn in turns] == [(1, "2"), (2, "4")]
    assert [turn.started_at for turn in turns] == [at(5), at(9)]
    assert turns[0].tool_calls[0].arguments == '{"query": "SELECT 2"}'
    assert turns[0].call is None


def test_calls_that_overlapped_are_one_turn_from_the_first_beginning_to_the_last_end() -> None:
    (turn,) = turns_of([called(1, 1, 0, 2), called(2, 1, 1, 5), called(3, 1, 2, 1)])
    assert [call.call_id for call in turn.tool_calls] == ["1", "2", "3"]
    assert [result.call_id for result in turn.tool_results] == ["1", "2", "3"]
    assert (turn.started_at, turn.duration_s) == (at(0), 6)


def test_a_call_that_nobody_answered_is_told_as_that() -> None:
    (turn,) = turns_of([called(1, 1, 0, None), called(2, 1, 1, 3)])
    unanswered, answered = turn.tool_results
    assert (unanswered.error_kind, unanswered.is_error, unanswered.text) == (UNANSWERED, True, "")
    assert answered.error_kind is None
    assert turn.duration_s == 4


def test_an_answer_is_shown_as_it_was_sent() -> None:
    text = '{"turn":1,"rows":[["\u2028Zürich"]]}'
    (turn,) = turns_of([called(1, 1, text=text)])
    assert turn.tool_results[0].text == text


def test_nobody_who_only_talked_has_turns() -> None:
    assert turns_of([]) == ()
    assert turns_of([called(1, None), called(2, None)]) == ()


@given(st.lists(st.none() | st.integers(0, 1), max_size=40), st.randoms())
def test_every_exploring_call_is_in_one_turn_whatever_order_they_are_read_in(
    steps: list[int | None], shuffle: Any
) -> None:
    """Each step: None = a call beside, 1 = a new turn, 0 = the same turn as before."""
    calls, turn = [], 0
    for position, step in enumerate(steps, 1):
        turn = max(turn + (step or 0), 1) if step is not None else turn
        calls.append(called(position, None if step is None else turn, position))
    shuffled = list(calls)
    shuffle.shuffle(shuffled)
    turns = turns_of(shuffled)
    assert [each.index for each in turns] == list(range(1, turn + 1))
    inside = [call.call_id for each in turns for call in each.tool_calls]
    assert inside == [str(call.position) for call in calls if call.turn is not None]


def test_a_seat_explores_something() -> None:
    with pytest.raises(ValidationError):
        Seat(path="p", run_id="r", token_hash="h", keys=(), created_at=NOON)


@pytest.mark.parametrize("field", ["idle_s", "most_insights", "calls_at_once", "calls_per_s"])
def test_no_limit_is_nothing(field: str) -> None:
    with pytest.raises(ValidationError):
        Outside.model_validate({field: 0})


def test_a_record_from_before_there_were_agents_from_outside_is_read() -> None:
    run = {
        "id": "r",
        "scenario_id": "flights",
        "scenario_fingerprint": "f00d",
        "entity_ids": ["01"],
        "agent": "react",
        "created_at": "2026-01-31T12:00:00Z",
    }
    assert RunSpec.model_validate_json(json.dumps(run)).outside is None
    attempt = {
        "id": "r.01.1.1",
        "run_id": "r",
        "scenario_id": "flights",
        "scenario_fingerprint": "f00d",
        "entity_id": "01",
        "agent": "react",
        "started_at": "2026-01-31T12:00:00Z",
    }
    read = Trajectory.model_validate_json(json.dumps(attempt))
    assert (read.reported_agent, read.reported_model, read.reported_usage) == (None, None, None)
