"""A log's turns keep their numbers, its tokens are as reported, and its end is told honestly."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.errors import LogError
from core.trajectory import StopReason
from server.ddr_bench_logs.calls import Caller, reported
from server.ddr_bench_logs.exploring import Explored, explore
from server.ddr_bench_logs.finding import find
from server.ddr_bench_logs.messages import read_session
from tests.server.ddr_bench_logs.written import Log, usual


def explored(log: Log, tmp_path: Path, *, without: str = "") -> Explored:
    log.write(tmp_path / "company_7", without=without)
    (session,) = find(tmp_path, {"7"}).sessions
    return explore(read_session(session), Caller("a/model"))


def test_turn_k_is_the_kth_call_and_no_insight_keeps_its_number(tmp_path: Path) -> None:
    found = explored(usual(), tmp_path)
    assert [turn.index for turn in found.turns] == [1, 2, 3, 4]
    assert [turn.text for turn in found.turns] == ["I look.", "And again.", "", "Once more."]
    noted = [(each.turn, each.text) for each in found.noted]
    assert noted == [(1, "There is\none row."), (2, None), (4, "Four is even.")]
    assert [(nudge.after_turn, nudge.text) for nudge in found.nudges] == [(3, "Let me think.")]
    second = found.turns[1]
    assert second.tool_calls[0].name == "execute_query"
    assert second.tool_calls[0].arguments == '{"query": "SELECT 2"}'
    assert second.tool_results[0].text == "Tool execution result: {'error': 'no such table'}"
    assert [turn.tool_results[0].is_error for turn in found.turns] == [False, True, False, False]
    assert found.notes == ()


def test_tokens_and_times_are_as_reported_and_what_is_not_told_is_unknown(tmp_path: Path) -> None:
    found = explored(usual(), tmp_path)
    call = found.turns[0].call
    assert call is not None
    assert (call.role, call.model_asked, call.duration_s) == ("agent", "a/model", 2.0)
    assert (call.usage.input_tokens, call.usage.output_tokens) == (100, 7)
    assert (call.usage.cost_usd, call.usage.cost_reason) == (None, "the log holds no cost")
    assert found.turns[0].tool_results[0].duration_s == 0.5
    assert found.turns[0].duration_s == 2.5
    insight = found.noted[0].call
    assert (insight.role, insight.duration_s) == ("insight", 1.5)
    assert insight.usage.input_tokens is None
    assert found.started_at == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert found.ended_at > found.started_at
    assert reported({"total_prompt_tokens": 900, "total_completion_tokens": 35}) is not None
    assert reported({"total_prompt_tokens": 0, "total_completion_tokens": 0}) is None
    assert reported({"total_prompt_tokens": "many"}) is None


def test_an_endpoint_that_reports_no_tokens_took_no_known_number(tmp_path: Path) -> None:
    log = Log(tokens=False).call("I look.", "SELECT 1", {}).finish("FINISH: so")
    call = explored(log, tmp_path).turns[0].call
    assert call is not None
    assert (call.usage.input_tokens, call.usage.output_tokens) == (None, None)


@pytest.mark.parametrize(
    ("text", "report"),
    [
        ("FINISH: All is well.", "All is well."),
        ("**FINISH**\n\nAll is well.", "All is well."),
        ("All is well.\n\nFINISH", "All is well."),
        ("All is well, so I FINISH here.", "All is well, so I FINISH here."),
        ("All is well.", "All is well."),
        ("FINISH", None),
    ],
)
def test_who_ends_it_hands_in_what_stands_beside_the_marker(
    tmp_path: Path, text: str, report: str | None
) -> None:
    ending = explored(Log().call("I look.", "SELECT 1", {}).finish(text), tmp_path).ending
    assert (ending.reason, ending.report) == (StopReason.FINISHED, report)
    assert (ending.forced, ending.error) == (False, None)


def test_a_sentence_that_speaks_of_finishing_was_no_choice(tmp_path: Path) -> None:
    text = "Let me finish by checking the costs."
    ending = explored(Log().call("I look.", "SELECT 1", {}).finish(text), tmp_path).ending
    assert (ending.reason, ending.report) == (StopReason.ABANDONED, text)
    assert "took the word 'finish'" in (ending.error or "")


@pytest.mark.parametrize("without", ["", "message_stats"])
def test_a_summary_after_three_nudges_is_forced_and_idle(tmp_path: Path, without: str) -> None:
    log = Log().call("I look.", "SELECT 1", {})
    for number in range(4):
        log.say(f"Hm {number}.")
    found = explored(log.forced("I saw little."), tmp_path, without=without)
    assert (found.ending.reason, found.ending.forced) == (StopReason.IDLE, True)
    assert found.ending.report == "I saw little."
    assert len(found.nudges) == 4
    assert found.report_call is not None
    assert found.report_call.role == "report"


def test_a_summary_after_a_result_is_forced_by_the_limit_of_turns(tmp_path: Path) -> None:
    log = Log().call("I look.", "SELECT 1", {}).call("Again.", "SELECT 2", {}).forced("Little.")
    ending = explored(log, tmp_path).ending
    assert (ending.reason, ending.forced, ending.report) == (StopReason.MAX_TURNS, True, "Little.")


def test_without_statistics_a_marker_counts_as_the_models_own(tmp_path: Path) -> None:
    log = Log().call("I look.", "SELECT 1", {}).forced("Little.")
    ending = explored(log, tmp_path, without="message_stats").ending
    assert (ending.reason, ending.forced) == (StopReason.FINISHED, False)


def test_a_summary_that_failed_hands_in_nothing_and_says_why(tmp_path: Path) -> None:
    log = Log().call("I look.", "SELECT 1", {}).forced_in_vain("429 from the endpoint")
    found = explored(log, tmp_path)
    assert (found.ending.reason, found.ending.report) == (StopReason.MAX_TURNS, None)
    assert found.ending.error == "no summary: 429 from the endpoint"
    assert found.turns[0].call is not None
    assert found.turns[0].call.usage.input_tokens == 100


def test_a_session_that_was_killed_leaves_its_insights(tmp_path: Path) -> None:
    without = "chat_messages message_stats session_stats"
    found = explored(usual(), tmp_path, without=without)
    assert (found.ending.reason, found.ending.report) == (StopReason.ABANDONED, None)
    assert "no end" in (found.ending.error or "")
    assert [turn.tool_calls[0].name for turn in found.turns] == ["unknown"] * 3
    assert [(each.turn, each.text) for each in found.noted][1:] == [(2, None), (3, "Four is even.")]
    assert "no chat_messages" in found.notes[0]


def test_a_last_insight_that_was_not_written_to_its_end_is_left_out(tmp_path: Path) -> None:
    folder = usual().write(tmp_path / "7", without="chat_messages message_stats session_stats")
    (path,) = folder.glob("insights_*.csv")
    path.write_bytes(path.read_bytes() + b'2026-01-31T12:00:00,"And then I')
    (session,) = find(tmp_path, {"7"}).sessions
    assert len(explore(read_session(session), Caller("m")).turns) == 3


def test_statistics_of_another_session_give_no_tokens(tmp_path: Path) -> None:
    log = usual()
    log.stats.pop(0)
    found = explored(log, tmp_path)
    assert "message_stats does not fit" in found.notes[0]
    assert all(turn.call and turn.call.usage.input_tokens is None for turn in found.turns)


def test_insights_of_another_session_are_refused(tmp_path: Path) -> None:
    log = usual()
    log.insights[0]["user_message"] = "something else"
    with pytest.raises(LogError, match=r"insights_.*csv: line 3: column 'user_message'"):
        explored(log, tmp_path)
