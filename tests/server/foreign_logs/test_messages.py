"""A conversation becomes turns, insights and a report, whatever a client writes around it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import LogError
from core.trajectory import StopReason
from server.foreign_logs.messages import explore
from server.foreign_logs.told import Told

SYSTEM = {"role": "system", "content": "Explore."}
START = {"role": "user", "content": "Analyse carrier 01"}


def asked(name: str, call_id: str = "c1", saying: str | None = None, **arguments: Any) -> Any:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": saying,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def answer(text: str, call_id: str = "c1") -> Any:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def said(text: str) -> Any:
    return {"role": "assistant", "content": text}


def heard(*messages: Any) -> Told:
    return explore([SYSTEM, START, *messages], entity="01", where="log: line 1", model="m")


def test_a_turn_is_a_message_that_calls_tools_with_what_they_gave_back() -> None:
    told = heard(
        asked("execute_query", saying="I look.", query="SELECT 1"),
        answer("one"),
        asked("execute_query", query="SELECT 2"),  # the same id once more
        answer("two"),
        said("FINISH: It is so."),
    )
    assert [(t.index, t.text) for t in told.turns] == [(1, "I look."), (2, "")]
    assert [[r.text for r in t.tool_results] for t in told.turns] == [["one"], ["two"]]
    assert told.turns[0].tool_calls[0].arguments == '{"query": "SELECT 1"}'
    assert (told.report, told.stop_reason) == ("It is so.", StopReason.FINISHED)
    assert told.preamble is not None
    assert told.preamble.system_prompt == "Explore."
    assert told.preamble.start_prompt == "Analyse carrier 01"


def test_calls_side_by_side_are_one_turn() -> None:
    both = asked("execute_query", "a", query="SELECT 1")
    both["tool_calls"] += asked("describe_table", "b", table="t")["tool_calls"]
    (turn,) = heard(both, answer("B", "b"), answer("A", "a"), said("Done.")).turns
    assert [(r.call_id, r.text) for r in turn.tool_results] == [("a", "A"), ("b", "B")]


def test_what_our_own_tools_were_told_is_heard_as_it_was_meant() -> None:
    told = heard(
        asked("get_task"),
        answer("{}"),
        asked("mcp__ddr__execute_query", query="SELECT 1"),
        answer("1"),
        asked("submit_insight", text="The first."),
        answer("{}"),
        asked("submit_insight", text="Dated.", turn=1),
        answer("{}"),
        asked("finish", report="All of it."),
        answer("{}"),
        asked("execute_query", query="SELECT 'too late'"),
        answer("no"),
        said("Goodbye."),
    )
    assert [t.tool_calls[0].name for t in told.turns] == ["execute_query"]
    assert told.insights == ((1, "The first."), (1, "Dated."))
    assert told.report == "All of it."


def test_arguments_without_end_lose_nothing_else() -> None:
    endless = asked("submit_insight")
    endless["tool_calls"][0]["function"]["arguments"] = "[" * 100_000
    told = heard(START, endless, answer("?"), said("Done."))
    assert (told.insights, told.report) == ((), "Done.")


def test_an_insight_before_any_turn_is_undated() -> None:
    assert heard(asked("submit_insight", text="Early.")).insights == ((None, "Early."),)


def test_talk_between_calls_is_a_nudge_and_ends_nothing() -> None:
    told = heard(
        said("I have not finished."),
        {"role": "user", "content": "Go on."},
        asked("execute_query", query="SELECT 1"),
        answer("1"),
        said("There is more. FINISH: soon"),
        {"role": "user", "content": "Go on."},
        said("The end."),
    )
    assert [(n.after_turn, n.near_finish) for n in told.nudges] == [(0, False), (1, True)]
    assert told.report == "The end."
    assert told.nudges[0].call.usage.input_tokens is None


@pytest.mark.parametrize(
    "last", [[asked("execute_query", query="SELECT 1")], [asked("execute_query"), answer("1")], []]
)
def test_a_conversation_that_breaks_off_was_abandoned(last: list[Any]) -> None:
    told = heard(*last)
    assert (told.stop_reason, told.report) == (StopReason.ABANDONED, None)


def test_inspects_form_is_read_as_well() -> None:
    call = {"id": "c1", "function": "execute_query", "arguments": {"query": "SELECT 1"}}
    parts = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "I look."}]
    error = {"type": "timeout", "message": "too slow"}
    told = heard(
        {"role": "assistant", "content": parts, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "", "error": error},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "s", "function": "submit", "arguments": {"answer": "So."}}],
        },
    )
    (turn,) = told.turns
    assert (turn.text, turn.reasoning) == ("I look.", "Hm.")
    assert (turn.tool_results[0].is_error, turn.tool_results[0].text) == (True, "too slow")
    assert told.report == "So."


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ({}, "a list of messages belongs here, not an object"),
        ([3], "message 1: an object belongs here, not a number"),
        ([{"content": "x"}], "message 1: it has no role"),
        ([{"role": "user", "content": 3}], "message 1: content is a text or a list of parts"),
        ([{"role": "assistant", "tool_calls": {}}], "tool_calls is a list"),
        ([{"role": "assistant", "tool_calls": [{}]}], "call 1 names no function"),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(messages: Any, fault: str) -> None:
    with pytest.raises(LogError, match=f"log: .*{fault}|log: {fault}"):
        explore(messages, entity="01", where="log")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
ROLES = st.sampled_from(["assistant", "tool", "user", "system", "odd"])
CALLS = st.lists(
    st.fixed_dictionaries({"id": JSON, "function": JSON | st.just("f"), "arguments": JSON})
    | st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": JSON, "arguments": JSON})}),
    max_size=3,
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"role": ROLES},
            optional={"content": JSON, "tool_calls": CALLS | JSON, "tool_call_id": JSON},
        )
        | JSON,
        max_size=6,
    )
)
def test_nothing_that_json_can_say_breaks_it(messages: list[Any]) -> None:
    try:
        told = explore(messages, entity="01", where="log")
    except LogError:
        return
    assert [turn.index for turn in told.turns] == list(range(1, len(told.turns) + 1))
