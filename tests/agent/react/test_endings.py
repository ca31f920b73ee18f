"""Every ending has its reason: limits, faults and silence are told from an agent's own choice."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from agent.prompting import Prompts
from agent.react import ReactAgent
from core.errors import ProviderError, ProviderFault
from core.protocols import Finish, Observation
from core.run import Limits
from core.trajectory import RUN_LIMIT, StopReason
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
    too_long,
)

REFUSAL = Observation(text="the limit is reached", is_error=True, error_kind=RUN_LIMIT)

# Limits, and the forced report


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(max_turns=3), StopReason.MAX_TURNS),
        (Limits(max_tokens=30), StopReason.MAX_TOKENS),
        (Limits(max_cost_usd=0.75), StopReason.MAX_COST),
    ],
    ids=str,
)
def test_at_a_limit_no_further_turn_is_asked_for_and_the_report_is_asked_for_once(
    limits: Limits, reason: StopReason
) -> None:
    model = Scripted(*[said("", call(), tokens=10, cost_usd=0.25)] * 9, report="It is large.")
    done = explore(model, limits=limits)
    assert len(done.turns) == len(model.asked("agent")) == 3
    (asked,) = model.asked("report")
    assert asked.tools == ()
    assert "The exploration has come to its end" in asked.last
    assert asked.messages[:-1] == [*model.asked("agent")[-1].messages, *asked.messages[-3:-1]]
    assert (done.finish.report, done.finish.stop_reason) == ("It is large.", reason)
    assert done.finish.call is not None
    assert done.finish.call.role == "report"
    assert done.finish.prompt_hash == Prompts.builtin().hash_of("report")
    assert done.order[-1] == "Finish"
    assert done.error is None


def test_time_is_asked_before_each_call_of_the_model() -> None:
    watch = Watch()
    model = SlowModel(watch, 4, *[query()] * 9)
    done = explore(model, limits=Limits(max_seconds=10), clock=watch.clock, now=watch.now)
    assert len(done.turns) == 3
    assert done.finish.stop_reason == StopReason.MAX_SECONDS


def test_the_tokens_of_nudged_replies_count_towards_a_limit() -> None:
    model = Scripted(said("Well.", tokens=10), query(), *[query()] * 9)
    done = explore(model, limits=Limits(max_tokens=20))
    assert len(model.asked("agent")) == 2
    assert done.finish.stop_reason == StopReason.MAX_TOKENS


def test_what_was_not_reported_is_no_limit() -> None:
    model = Scripted(*[said("", call(), tokens=None)] * 9)
    done = explore(model, limits=Limits(max_tokens=1, max_cost_usd=0.01))
    assert len(done.turns) == 9
    assert done.finish.stop_reason is None


def test_the_report_of_a_limited_run_may_be_turned_off() -> None:
    model = Scripted(*[query()] * 9)
    done = explore(model, limits=Limits(max_turns=2), final_report="none")
    assert model.asked("report") == []
    assert done.finish == Finish(report=None, stop_reason=StopReason.MAX_TURNS)


@pytest.mark.parametrize("text", ["FINISH: It is late.", "\nFINISH:\nIt is late.\n", "It is late."])
def test_a_marker_before_the_forced_report_is_taken_off(text: str) -> None:
    done = explore(Scripted(query(), report=text), limits=Limits(max_turns=1))
    assert done.finish.report == "It is late."


def test_a_forced_report_without_words_is_none() -> None:
    silent = said(None, call("execute_query"), finish_reason="length")
    tools = Desk()
    done = explore(Scripted(query(), report=[silent]), tools, limits=Limits(max_turns=1))
    assert done.finish.report is None
    assert done.finish.stop_reason == StopReason.MAX_TURNS
    assert len(tools.executed) == 1, "a call in the forced report is never made"


def test_an_agent_that_finishes_at_its_last_allowed_call_chose_to_stop() -> None:
    done = explore(Scripted(query(), said("FINISH: done")), limits=Limits(max_turns=2))
    assert done.finish.stop_reason is None


def test_a_limit_that_a_nudge_reached_asks_for_the_report_in_the_same_message() -> None:
    model = Scripted(said("Well."), report="It is large.")
    done = explore(model, limits=Limits(max_tokens=10))
    (asked,) = model.asked("report")
    assert "called no tool" in asked.last
    assert asked.last.endswith("Answer with the report alone.")
    assert done.finish.stop_reason == StopReason.MAX_TOKENS


# Tools that answer nothing more


def test_tools_that_refuse_for_a_limit_end_the_exploring() -> None:
    model = Scripted(query(), *[query()] * 9)
    done = explore(model, Desk({"execute_query": REFUSAL}), limits=Limits(max_seconds=600))
    assert len(done.turns) == 1
    assert (done.finish.report, done.finish.stop_reason) == (
        "It is large.",
        StopReason.MAX_SECONDS,
    )


def test_without_a_limit_of_time_a_refusal_means_that_the_money_is_spent() -> None:
    done = explore(Scripted(query()), Desk({"execute_query": REFUSAL}))
    assert done.finish.stop_reason == StopReason.MAX_COST


def test_where_our_own_count_has_reached_a_limit_too_that_is_the_reason() -> None:
    desk = Desk({"execute_query": REFUSAL})
    done = explore(Scripted(query()), desk, limits=Limits(max_turns=1, max_seconds=600))
    assert done.finish.stop_reason == StopReason.MAX_TURNS


def test_every_parallel_call_is_answered_where_the_limit_comes_between_them() -> None:
    tools = Desk({"describe_table": REFUSAL})
    reply = said("", call(call_id="a"), call("describe_table", call_id="b"), call(call_id="c"))
    done = explore(Scripted(reply), tools, limits=Limits(max_seconds=600))
    assert [r.error_kind for r in done.turns[0].tool_results] == [None, RUN_LIMIT, None]
    assert done.finish.stop_reason == StopReason.MAX_SECONDS


def test_a_query_that_wanted_too_much_memory_ends_nothing() -> None:
    greedy = Observation(
        text="too much memory",
        is_error=True,
        error_kind="limit",
    )
    done = explore(Scripted(query(1), query(2)), Desk({"execute_query": greedy}))
    assert len(done.turns) == 2
    assert done.finish.stop_reason is None


def test_a_turn_that_was_refused_whole_costs_no_insight_call() -> None:
    model = Scripted(query())
    done = explore(model, Desk({"execute_query": REFUSAL}), insights="per-turn")
    (insight,) = done.insights
    assert (insight.turn, insight.text, insight.call) == (1, None, None)
    assert model.asked("insight") == []


def test_a_turn_that_was_refused_in_part_is_still_asked_about() -> None:
    tools = Desk({"describe_table": REFUSAL})
    reply = said("", call(call_id="a"), call("describe_table", call_id="b"))
    model = Scripted(reply, insight="Carrier 03 has 7.")
    done = explore(model, tools, limits=Limits(max_seconds=600), insights="per-turn")
    assert [insight.text for insight in done.insights] == ["Carrier 03 has 7."]


# A history that no longer fits


def _holding(most: int, report: str = "It is large.") -> Scripted:
    """A model that takes so many messages and no more."""

    def agent(number: int) -> Said:
        return query(number)

    def fitting(request: Request) -> Said:
        return said(report) if len(request.messages) <= most else too_long()

    return Scripted(*map(agent, range(1, 9)), too_long(), report=fitting)


def test_after_an_overflow_the_newest_turns_that_fit_are_sent_and_the_cut_is_said() -> None:
    # Eight turns of two messages, and three around them; halved to four, then to two turns.
    model = _holding(most=8)
    done = explore(model)
    assert [len(request.messages) for request in model.asked("report")] == [11, 7]
    last = model.asked("report")[-1]
    full = model.asked("agent")[-1].messages
    assert last.messages[:2] == full[:2]
    assert last.messages[2:-1] == full[-4:]
    assert "earlier turns were cut: 6 of them" in last.last
    assert last.last.endswith("Answer with the report alone.")
    assert last.tools == ()
    assert (done.finish.report, done.finish.stop_reason) == (
        "It is large.",
        StopReason.CONTEXT_LENGTH,
    )


def test_the_overflow_is_raised_after_the_report_so_that_the_caller_sees_both() -> None:
    done = explore(_holding(most=8))
    assert done.order[-2:] == ["Turn", "Finish"]
    assert done.error is not None
    assert done.error.kind == "context_length"


def test_a_caller_that_stops_at_the_report_meets_no_error() -> None:
    async def last_word() -> Finish:
        steps = ReactAgent(insights="none").explore(TASK, Desk(), _holding(most=8), Limits())
        async for step in steps:
            if isinstance(step, Finish):
                await steps.aclose()  # type: ignore[attr-defined]
                return step
        raise AssertionError

    assert asyncio.run(last_word()).stop_reason == StopReason.CONTEXT_LENGTH


def test_at_the_worst_the_task_alone_is_sent() -> None:
    model = _holding(most=2)
    done = explore(model)
    assert [len(request.messages) for request in model.asked("report")] == [11, 7, 5, 2]
    assert done.finish.report == "It is large."


def test_where_not_even_the_task_fits_there_is_no_report_and_the_ending_stays_the_same() -> None:
    done = explore(_holding(most=1))
    assert not done.finished
    assert done.error is not None
    assert done.error.kind == "context_length"


def test_an_overflow_at_the_first_call_asks_with_the_task_alone() -> None:
    done = explore(Scripted(too_long()))
    assert done.order == ["Preamble", "Finish"]
    assert done.finish.report == "It is large."


def test_after_an_overflow_no_report_is_asked_for_where_it_is_turned_off() -> None:
    model = Scripted(query(), too_long())
    done = explore(model, final_report="none")
    assert not done.finished
    assert model.asked("report") == []
    assert done.error is not None
    assert done.error.kind == "context_length"


def test_a_forced_report_that_overflows_is_asked_for_again_over_less_and_the_limit_stays() -> None:
    model = _holding(most=8)
    done = explore(model, limits=Limits(max_turns=8))
    assert [len(request.messages) for request in model.asked("report")] == [19, 11, 7]
    assert "were cut" not in model.asked("report")[0].last
    assert done.finish.stop_reason == StopReason.MAX_TURNS
    assert done.error is None


# Faults of the endpoint

KINDS: list[ProviderFault] = [
    "auth",
    "rate_limit",
    "server",
    "timeout",
    "connection",
    "malformed",
    "bad_request",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_providers_error_is_raised_and_never_becomes_a_report(kind: ProviderFault) -> None:
    fault = ProviderError("FINISH: the endpoint is down", kind=kind)
    model = Scripted(query(), fault)
    done = explore(model)
    assert done.order == ["Preamble", "Turn"]
    assert done.error is fault
    assert model.asked("report") == []


def test_an_error_of_unknown_kind_is_raised_too() -> None:
    assert explore(Scripted(ProviderError("?"))).error is not None


@pytest.mark.parametrize("start", [[query()], [query(), too_long()]], ids=["limit", "overflow"])
def test_a_fault_while_the_report_is_asked_for_is_a_fault_and_no_report(start: list[Said]) -> None:
    fault = ProviderError("500", status_code=500, kind="server")
    model = Scripted(*start, report=[fault])
    done = explore(model, limits=Limits(max_turns=len(start)))
    assert not done.finished
    assert done.error is fault


def test_tools_that_are_lost_are_raised_as_they_are() -> None:
    class Lost(Desk):
        async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
            if name == "execute_query":
                raise ConnectionError("gone")
            return await super().call(name, arguments)

    with pytest.raises(ConnectionError, match="gone"):
        explore(Scripted(query()), Lost())
