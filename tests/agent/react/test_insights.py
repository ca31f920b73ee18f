"""Message-wise insights: one turn alone is seen, and failing to say something ends nothing."""

from __future__ import annotations

import asyncio

import pytest

from agent.insights import InsightWriter, read, render
from agent.prompting import Prompts
from core.errors import ProviderError
from core.protocols import Observation
from core.trajectory import Usage
from tests.agent.react.support import (
    TASK,
    Desk,
    Request,
    Said,
    Scripted,
    SlowModel,
    Watch,
    call,
    explore,
    query,
    said,
)


def test_each_turn_is_followed_by_its_insight_from_a_call_of_its_own() -> None:
    model = Scripted(query(1), query(2), insight=[said("Carrier 03 has 7."), said("And 8.")])
    done = explore(model, insights="per-turn")
    assert done.order == ["Preamble", "Turn", "Insight", "Turn", "Insight", "Finish"]
    assert [(i.turn, i.text, i.level) for i in done.insights] == [
        (1, "Carrier 03 has 7.", "message"),
        (2, "And 8.", "message"),
    ]
    assert [request.role for request in model.requests] == [
        "agent",
        "insight",
        "agent",
        "insight",
        "agent",
    ]
    assert all(i.call is not None and i.call.role == "insight" for i in done.insights)
    assert all(i.prompt_hash == Prompts.builtin().hash_of("insight") for i in done.insights)
    assert {i.author for i in done.insights} == {"scripted"}


def test_the_call_sees_that_turn_alone_and_the_task() -> None:
    seen = Observation(text='{"rows":[["{turn} {task}"]]}')
    second = said(
        "Second thought.", call(arguments={"query": "SELECT 2"}), reasoning="Deep reason."
    )
    model = Scripted(said("First thought.", call(arguments={"query": "SELECT 1"})), second)
    explore(model, Desk({"execute_query": seen}), insights="per-turn")
    asked = model.asked("insight")[1]
    assert len(asked.messages) == 1
    assert asked.tools == ()
    for part in (
        TASK.text,
        "Deep reason.",
        "Second thought.",
        'execute_query {"query": "SELECT 2"}',
        seen.text,
    ):
        assert part in asked.last
    assert "First thought." not in asked.last
    assert "SELECT 1" not in asked.last


def test_all_parallel_calls_and_their_answers_are_seen_and_errors_marked() -> None:
    refused = Observation(text="no such table", is_error=True, error_kind="arguments")
    reply = said("", call(call_id="a"), call("describe_table", call_id="b"))
    (turn,) = explore(Scripted(reply), Desk({"describe_table": refused})).turns
    assert render(turn) == (
        "Call 1: execute_query {}\n\n"
        'Answer 1: {"rows": [[1]]}\n\n'
        "Call 2: describe_table {}\n\n"
        "Answer 2 (an error): no such table"
    )


def test_insights_are_not_part_of_the_conversation() -> None:
    with_them, without = (
        Scripted(query(1), query(2), insight="Carrier 03 has 7."),
        Scripted(query(1), query(2)),
    )
    explore(with_them, insights="per-turn")
    explore(without, insights="none")
    assert [r.messages for r in with_them.asked("agent")] == [r.messages for r in without.requests]


@pytest.mark.parametrize("when", ["later", "none"])
def test_insights_may_be_left_for_later_or_left_out(when: str) -> None:
    model = Scripted(query())
    done = explore(model, insights=when)
    assert done.order == ["Preamble", "Turn", "Finish"]
    assert model.asked("insight") == []


def test_nudges_and_the_report_have_no_insight() -> None:
    done = explore(Scripted(said("Well."), query()), insights="per-turn")
    assert done.order == ["Preamble", "Nudge", "Turn", "Insight", "Finish"]


@pytest.mark.parametrize(
    "text",
    [
        "NO INSIGHT",
        " no insight. ",
        "**NO INSIGHT**",
        "__NO INSIGHT__",
        '"No insight"',
        "NO INSIGHT: the query failed.",
        "NO INSIGHT\n\nOnly tables were listed.",
        "NO INSIGHTS",
        "",
        " \n",
        "...",
    ],
)
def test_where_there_is_none_the_text_is_none_and_the_turn_is_kept(text: str) -> None:
    (insight,) = explore(Scripted(query(), insight=text), insights="per-turn").insights
    assert insight.text is None
    assert insight.turn == 1
    assert insight.call is not None
    assert insight.call.error is None


@pytest.mark.parametrize(
    "text",
    [
        "No insight into delays is possible, but carrier 03 has 54,635 rows.",
        "Carrier 03 is late in 31.2 %. NO INSIGHT into why.",
        "NO INSIGHTFUL gaps: 0 % missing.",
    ],
)
def test_words_that_only_resemble_it_are_an_insight(text: str) -> None:
    assert read(f" {text}\n") == text


# Another model, and one that fails


def test_another_model_may_write_the_insights() -> None:
    writer = Scripted(insight="Carrier 03 has 7.")
    writer.name = "writer"
    model = Scripted(query())
    done = explore(model, insights="per-turn", insight_model=writer)
    assert model.asked("insight") == []
    assert len(writer.requests) == 1
    assert (done.insights[0].author, done.insights[0].text) == ("writer", "Carrier 03 has 7.")


def test_a_failing_insight_call_ends_nothing_and_is_recorded() -> None:
    watch = Watch()
    fault = ProviderError("429 from the endpoint", status_code=429, kind="rate_limit")
    model = SlowModel(watch, 3, query(1), query(2), insight=[fault, said("It has 7.")])
    done = explore(model, insights="per-turn", clock=watch.clock, now=watch.now)
    first, second = done.insights
    assert (first.turn, first.text, second.text) == (1, None, "It has 7.")
    assert first.call is not None
    assert (first.call.role, first.call.model_asked) == ("insight", "scripted")
    assert first.call.error == "429 from the endpoint"
    assert first.call.duration_s == 3
    assert done.error is None
    assert done.finish.report == "done"


@pytest.mark.parametrize(
    "fault",
    [
        ProviderError("500", status_code=500, kind="server"),
        ProviderError("it hangs", kind="timeout"),
    ],
    ids=["a status", "a lost reply"],
)
def test_what_a_failed_call_cost_is_unknown_and_not_nothing(fault: ProviderError) -> None:
    (insight,) = explore(Scripted(query(), insight=[fault]), insights="per-turn").insights
    assert insight.call is not None
    assert insight.call.usage == Usage(cost_reason="the call failed")


def test_an_insight_prompt_that_is_too_long_ends_nothing() -> None:
    def too_long(_request: Request) -> Said:
        return ProviderError("too long", status_code=400, kind="context_length")

    done = explore(Scripted(query(), insight=too_long), insights="per-turn")
    assert done.insights[0].text is None
    assert done.finish.stop_reason is None


def test_a_writer_can_be_used_after_the_run() -> None:
    (turn,) = explore(Scripted(query())).turns
    writer = InsightWriter(Scripted(insight="It has 7."), Prompts.builtin(), TASK)
    insight = asyncio.run(writer.write(turn))
    assert (insight.turn, insight.text) == (1, "It has 7.")
