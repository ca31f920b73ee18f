"""The loop: what is sent first, what a turn is, what a nudge is, and that history is whole."""

from __future__ import annotations

import asyncio

import pytest

from agent.react import ReactAgent
from core.errors import UsageError
from core.protocols import Agent, Observation
from core.run import Limits
from tests.agent.react.support import (
    NOON,
    SPECS,
    TASK,
    Desk,
    Said,
    Scripted,
    SlowDesk,
    SlowModel,
    Watch,
    call,
    explore,
    query,
    said,
)


def test_the_agent_fulfils_the_contract() -> None:
    agent: Agent = ReactAgent()
    assert isinstance(agent, Agent)
    assert agent.name == "react"


def test_without_a_model_it_says_what_to_give() -> None:
    async def start() -> None:
        async for _ in ReactAgent().explore(TASK, Desk(), None, Limits()):
            raise AssertionError

    with pytest.raises(UsageError, match="--model"):
        asyncio.run(start())


# What is sent first


def test_the_preamble_comes_first_and_is_what_the_model_was_sent() -> None:
    model = Scripted()
    done = explore(model)
    first = model.requests[0]
    assert [(m["role"], m["content"]) for m in first.messages] == [
        ("system", done.preamble.system_prompt),
        ("user", done.preamble.start_prompt),
    ]
    assert first.tools == SPECS
    assert done.preamble.tool_schemas == tuple(spec.model_dump() for spec in SPECS)


def test_the_first_message_names_the_entity_and_the_tables_with_descriptions_but_no_columns() -> (
    None
):
    start = explore(Scripted()).preamble.start_prompt
    assert TASK.text in start
    assert "id: 03" in start
    assert "- flights: One row per flight." in start
    assert "- carriers\n" in f"{start}\n"
    assert "column" not in start
    assert "Ash Air" not in start


def test_the_look_at_the_tables_is_no_turn() -> None:
    tools = Desk()
    done = explore(Scripted(query()), tools)
    assert [name for name, _ in tools.calls] == ["get_database_info", "execute_query"]
    assert [(turn.index, turn.tool_calls[0].name) for turn in done.turns] == [(1, "execute_query")]


def test_where_the_tables_cannot_be_listed_the_exploration_goes_on_without() -> None:
    broken = Observation(text="no", data={"error": "no"}, is_error=True, error_kind="internal")
    done = explore(Scripted(query()), Desk(overview=broken))
    assert "not at hand" in done.preamble.start_prompt
    assert len(done.turns) == 1


def test_no_question_no_plan_and_no_memory_is_sent_beside_the_history() -> None:
    model = Scripted(query(1), query(2))
    explore(model)
    roles = [message["role"] for message in model.requests[-1].messages]
    assert roles == ["system", "user", *("assistant", "tool") * 2]


# Turns


def test_a_reply_with_a_call_is_a_turn_with_what_was_thought_called_and_seen() -> None:
    seen = Observation(
        text='{"rows":[[7]]}',
        truncated=True,
        accessed_fields=("flights.id",),
        violations=("sql: file x",),
        duration_s=0.25,
    )
    reply = said("I count.", call(arguments={"query": "SELECT 7"}), reasoning="Hm.")
    tools = Desk({"execute_query": seen})
    (turn,) = explore(Scripted(reply), tools).turns
    assert (turn.text, turn.reasoning, turn.call) == ("I count.", "Hm.", reply.call)
    (made,), (result,) = turn.tool_calls, turn.tool_results
    assert (made.call_id, made.name, made.arguments) == (
        "c1",
        "execute_query",
        '{"query": "SELECT 7"}',
    )
    assert (result.call_id, result.name, result.text) == ("c1", "execute_query", seen.text)
    assert result.truncated
    assert (result.accessed_fields, result.violations) == (("flights.id",), ("sql: file x",))
    assert (result.duration_s, result.is_error) == (0.25, False)
    assert tools.executed == [("execute_query", {"query": "SELECT 7"})]


def test_turns_count_from_1_and_the_history_keeps_them_all() -> None:
    model = Scripted(*map(query, range(1, 6)))
    done = explore(model)
    assert [turn.index for turn in done.turns] == [1, 2, 3, 4, 5]
    assert [len(request.messages) for request in model.requests] == [2, 4, 6, 8, 10, 12]
    for earlier, later in zip(model.requests, model.requests[1:], strict=False):
        assert later.messages[: len(earlier.messages)] == earlier.messages


def test_parallel_calls_are_all_executed_and_answered_in_one_turn() -> None:
    reply = said(
        "Both.",
        call(arguments={"query": "SELECT 1"}, call_id="c1"),
        call("describe_table", {"table_name": "flights"}, "c2"),
    )
    tools, model = Desk(), Scripted(reply)
    (turn,) = explore(model, tools).turns
    assert [name for name, _ in tools.executed] == ["execute_query", "describe_table"]
    assert [c.call_id for c in turn.tool_calls] == ["c1", "c2"]
    assert [r.call_id for r in turn.tool_results] == ["c1", "c2"]
    answers = [m for m in model.requests[-1].messages if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answers] == ["c1", "c2"]


def test_an_unknown_tool_is_answered_with_the_tool_layers_error_and_it_goes_on() -> None:
    model = Scripted(said("", call("launch_rocket")), query())
    first, second = explore(model).turns
    (result,) = first.tool_results
    assert (result.is_error, result.error_kind) == (True, "unknown_tool")
    assert model.requests[1].last == "there is no tool 'launch_rocket'"
    assert not second.tool_results[0].is_error


@pytest.mark.parametrize("text", ["", "[]", "0"])
def test_an_empty_observation_is_still_a_tool_message(text: str) -> None:
    model = Scripted(query())
    explore(model, Desk({"execute_query": Observation(text=text)}))
    assert model.requests[-1].messages[-1] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": text,
    }


def test_a_tools_failure_reaches_the_model_as_the_tool_words_it() -> None:
    seen = Observation(text="no column nope; there are: id", is_error=True, error_kind="sql")
    model = Scripted(query())
    (turn,) = explore(model, Desk({"execute_query": seen})).turns
    assert model.requests[-1].last == "no column nope; there are: id"
    assert turn.tool_results[0].error_kind == "sql"


def test_a_turn_says_when_it_began_and_how_long_model_and_tools_took() -> None:
    watch = Watch()
    model = SlowModel(watch, 3, query(1), query(2))
    done = explore(model, SlowDesk(watch=watch, seconds=2), clock=watch.clock, now=watch.now)
    assert [turn.duration_s for turn in done.turns] == [5, 5]
    # The look at the tables, 2 s, comes before the first turn.
    assert [(turn.started_at - NOON).total_seconds() for turn in done.turns] == [2, 7]


# Nudges


def test_a_reply_with_neither_call_nor_marker_is_nudged_and_is_no_turn() -> None:
    reply = said("Let me think about it.", reasoning="Hm.")
    model = Scripted(query(1), reply, query(2))
    done = explore(model)
    (nudge,) = done.nudges
    assert (nudge.after_turn, nudge.text, nudge.reasoning) == (1, "Let me think about it.", "Hm.")
    assert (nudge.near_finish, nudge.call) == (False, reply.call)
    assert [turn.index for turn in done.turns] == [1, 2]
    assert model.requests[2].messages[-2]["content"] == "Let me think about it."
    assert "called no tool" in model.requests[2].last
    assert done.order == ["Preamble", "Turn", "Nudge", "Turn", "Finish"]


def test_a_nudge_before_the_first_turn_follows_turn_0() -> None:
    (nudge,) = explore(Scripted(said("Hello!"))).nudges
    assert nudge.after_turn == 0


def test_three_idle_replies_in_a_row_end_it_without_a_last_word() -> None:
    model = Scripted(query(), *[said("Well.")] * 3)
    done = explore(model)
    assert done.order == ["Preamble", "Turn", "Nudge", "Nudge", "Nudge"]
    assert len(model.requests) == 4
    assert done.error is None


def test_idle_replies_with_a_turn_between_them_do_not_add_up() -> None:
    lazy = [said("Well."), said("Hm.")]
    done = explore(Scripted(*lazy, query(1), *lazy, query(2), *lazy))
    assert len(done.nudges) == 6
    assert done.finish.report == "done"


def test_how_many_idle_replies_end_it_is_a_limit() -> None:
    done = explore(Scripted(said("Well.")), limits=Limits(max_idle_turns=1))
    assert done.order == ["Preamble", "Nudge"]


@pytest.mark.parametrize(
    "reply",
    [
        said(None, reasoning="Endless thought", finish_reason="length"),
        said(None, finish_reason="tool_calls", tool_calls=[]),
        said("", finish_reason="content_filter"),
        said("  \n", finish_reason=None),
        said("So far", finish_reason="length", tool_calls=[]),
    ],
    ids=["thought only", "no calls", "filtered", "blank", "cut off"],
)
def test_empty_content_is_neither_a_finish_nor_a_crash(reply: Said) -> None:
    model = Scripted(reply, reply, reply)
    done = explore(model)
    assert done.order == ["Preamble", "Nudge", "Nudge", "Nudge"]
    assert all(nudge.call.role == "agent" for nudge in done.nudges)
    assert len(model.asked("agent")) == 3


def test_an_empty_reply_is_not_replayed_since_no_provider_takes_it_back() -> None:
    model = Scripted(query(), said(None, reasoning="Hm.", finish_reason="length"))
    explore(model)
    assert [m["role"] for m in model.requests[-1].messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "user",
    ]


def test_an_endless_repeater_goes_on_until_a_limit_ends_it() -> None:
    same = [query()] * 120
    assert len(explore(Scripted(*same)).turns) == 120
    assert len(explore(Scripted(*same), limits=Limits(max_turns=40)).turns) == 40
