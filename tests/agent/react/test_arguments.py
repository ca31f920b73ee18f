"""Broken arguments and missing ids: nothing is executed by guess, and each call has its answer."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.calls import distinct, is_sound, read_arguments
from core.trajectory import ToolCall
from tests.agent.react.support import Desk, Messages, Scripted, call, explore, query, said

TRUNCATED = '{"query": "SELECT 1'


def _replayed(messages: Messages, place: int = 2) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = messages[place]["tool_calls"]
    return calls


def test_truncated_arguments_are_answered_with_an_error_and_nothing_is_executed() -> None:
    tools = Desk()
    model = Scripted(said("", call(arguments=TRUNCATED), finish_reason="length"), query(2))
    first, second = explore(model, tools).turns
    assert tools.executed == [("execute_query", {"query": "SELECT 2"})]
    (result,) = first.tool_results
    assert (result.call_id, result.is_error, result.error_kind) == ("c1", True, "malformed_call")
    assert "Nothing was executed" in result.text
    assert "cut off" in result.text
    assert first.call is not None
    assert first.call.finish_reason == "length"
    assert not second.tool_results[0].is_error


def test_broken_arguments_are_recorded_verbatim_and_replayed_as_valid_json() -> None:
    model = Scripted(said("", call(arguments=TRUNCATED)))
    (turn,) = explore(model).turns
    assert turn.tool_calls[0].arguments == TRUNCATED
    (entry,) = _replayed(model.requests[1].messages)
    assert entry == {
        "id": "c1",
        "type": "function",
        "function": {"name": "execute_query", "arguments": "{}"},
    }


@pytest.mark.parametrize(
    "arguments",
    [
        TRUNCATED,
        "[1]",
        '"SELECT 1"',
        "null",
        "SELECT 1",
        '{"limit": NaN}',
        "{}{}",
        "[" * 100_000,
        '{"limit": ' + "9" * 5000 + "}",
        "{'query': 'SELECT 1'}",
    ],
    ids=lambda text: text[:12],
)
def test_what_is_no_json_object_reaches_no_tool(arguments: str) -> None:
    tools = Desk()
    (turn,) = explore(Scripted(said("", call(arguments=arguments))), tools).turns
    assert tools.executed == []
    assert turn.tool_results[0].error_kind == "malformed_call"


def test_beside_a_broken_call_the_whole_ones_are_made() -> None:
    tools = Desk()
    whole = call(arguments={"query": "SELECT 1"}, call_id="c1")
    model = Scripted(said("", whole, call(arguments=TRUNCATED, call_id="c2"), raw_key=1))
    (turn,) = explore(model, tools).turns
    assert tools.executed == [("execute_query", {"query": "SELECT 1"})]
    assert [result.is_error for result in turn.tool_results] == [False, True]
    message = model.requests[1].messages[2]
    assert [e["function"]["arguments"] for e in message["tool_calls"]] == [whole[2], "{}"]
    assert message["raw_key"] == 1


@pytest.mark.parametrize("arguments", ["", "  "])
def test_blank_arguments_are_none_at_all(arguments: str) -> None:
    tools = Desk()
    model = Scripted(said("", call("describe_table", arguments)))
    (turn,) = explore(model, tools).turns
    assert tools.executed == [("describe_table", {})]
    assert turn.tool_calls[0].arguments == arguments
    assert _replayed(model.requests[1].messages)[0]["function"]["arguments"] == "{}"


def test_blank_arguments_of_a_reply_that_was_cut_off_are_missing() -> None:
    tools = Desk()
    explore(Scripted(said("", call(arguments=""), finish_reason="length")), tools)
    assert tools.executed == []


# Field case F28


def test_missing_ids_get_distinct_ones_that_the_history_names_too() -> None:
    model = Scripted(said("", call(call_id=None), call("describe_table", call_id=None)))
    (turn,) = explore(model).turns
    ids = [made.call_id for made in turn.tool_calls]
    assert len(set(ids)) == 2
    assert all(ids)
    assert [result.call_id for result in turn.tool_results] == ids
    messages = model.requests[1].messages
    assert [entry["id"] for entry in _replayed(messages)] == ids
    assert [m["tool_call_id"] for m in messages[3:]] == ids


def test_an_id_that_is_used_twice_is_kept_for_the_first_alone() -> None:
    model = Scripted(said("", call(call_id="x"), call("describe_table", call_id="x")))
    (turn,) = explore(model).turns
    first, second = (made.call_id for made in turn.tool_calls)
    assert first == "x"
    assert second != "x"
    assert [e["id"] for e in _replayed(model.requests[1].messages)] == [first, second]


def test_calls_that_the_providers_message_lacks_are_put_into_the_history() -> None:
    reply = query()
    bare = reply.model_copy(update={"raw": {"role": "assistant", "content": "SELECT"}})
    model = Scripted(bare)
    explore(model)
    (entry,) = _replayed(model.requests[1].messages)
    assert entry["id"] == "c1"
    assert json.loads(entry["function"]["arguments"]) == {"query": "SELECT 1"}


ids = st.sampled_from(["", "a", "b", "call-1-1", "call-1-2", "call-1-2-"]) | st.text(max_size=3)


@settings(deadline=None)
@given(st.lists(ids, max_size=6))
def test_every_call_has_an_id_of_its_own_and_the_first_keeps_what_it_had(given: list[str]) -> None:
    calls = [ToolCall(call_id=one, name="x", arguments="{}") for one in given]
    named = [made.call_id for made in distinct(calls, 1)]
    assert len(set(named)) == len(given)
    assert all(named)
    for one in set(given) - {""}:
        assert named[given.index(one)] == one


@settings(deadline=None)
@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()))
def test_a_whole_object_is_read_as_it_is(values: dict[str, Any]) -> None:
    made = ToolCall(call_id="c", name="x", arguments=json.dumps(values))
    assert read_arguments(made) == values
    assert is_sound(made)


@settings(deadline=None)
@given(st.text())
def test_whatever_the_arguments_are_they_are_read_or_said_to_be_wrong(text: str) -> None:
    made = ToolCall(call_id="c", name="x", arguments=text)
    if is_sound(made):
        assert isinstance(json.loads(text), dict)
