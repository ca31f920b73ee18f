"""The paper's own rules: one call per turn, three nudges, 100 turns, a report after any forced end."""

from __future__ import annotations

from core.run import Limits
from core.trajectory import StopReason
from tests.agent.react.support import Desk, Scripted, call, explore, query, said


def test_one_call_per_turn_is_made_and_each_further_one_is_refused_in_words() -> None:
    tools = Desk()
    reply = said("", call(call_id="a"), call("describe_table", call_id="b"), call(call_id="c"))
    model = Scripted(reply)
    (turn,) = explore(model, tools, protocol="ddr").turns
    assert [name for name, _ in tools.executed] == ["execute_query"]
    assert [c.call_id for c in turn.tool_calls] == ["a", "b", "c"]
    assert [r.error_kind for r in turn.tool_results] == [None, "parallel_call", "parallel_call"]
    answers = [m for m in model.requests[-1].messages if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in answers] == ["a", "b", "c"]
    assert "one tool only" in answers[1]["content"]


def test_it_stops_at_100_turns_with_a_forced_report() -> None:
    done = explore(Scripted(*[query()] * 120), protocol="ddr")
    assert len(done.turns) == 100
    assert (done.finish.report, done.finish.stop_reason) == ("It is large.", StopReason.MAX_TURNS)


def test_another_limit_of_turns_outweighs_the_papers() -> None:
    done = explore(Scripted(*[query()] * 120), protocol="ddr", limits=Limits(max_turns=110))
    assert len(done.turns) == 110


def test_after_three_idle_replies_the_report_is_asked_for_and_it_did_not_stop_by_itself() -> None:
    model = Scripted(query(), *[said("Well.")] * 5)
    done = explore(model, protocol="ddr")
    assert done.order == ["Preamble", "Turn", "Nudge", "Nudge", "Nudge", "Finish"]
    assert (done.finish.report, done.finish.stop_reason) == ("It is large.", StopReason.IDLE)
    (asked,) = model.asked("report")
    assert "called no tool" not in asked.last, "the last idle reply is answered by the question"
    assert asked.messages[-2]["content"] == "Well."


def test_a_forced_report_may_be_turned_off_here_too() -> None:
    model = Scripted(*[said("Well.")] * 3)
    assert not explore(model, protocol="ddr", final_report="none").finished


def test_by_itself_it_stops_as_ever() -> None:
    done = explore(Scripted(query()), protocol="ddr")
    assert (done.finish.report, done.finish.stop_reason) == ("done", None)


def test_without_it_there_is_no_limit_of_turns() -> None:
    assert len(explore(Scripted(*[query()] * 120)).turns) == 120
