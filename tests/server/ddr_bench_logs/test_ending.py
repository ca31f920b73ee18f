"""Which end a log shows, with and without its statistics."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.trajectory import StopReason
from server.ddr_bench_logs.ending import BY_MISTAKE, NO_END, Ending, ending_of
from server.ddr_bench_logs.files import Row
from server.ddr_bench_logs.messages import Message, Stats


def message(role: str, content: str, tool: str | None = None) -> Message:
    row = Row("chat_messages.csv", 2, {})
    return Message(row, role, content, tool, "{}", is_error=False, at=None)


CALLED = message("agent", "I look.", "execute_query")
ANSWERED = message("environment", "Tool execution result: 1")
TALKED = message("agent", "Let me think.")
NUDGED = message("environment", "Call a function or end the task.")


def ended(
    *messages: Message, lengths: Sequence[int | None] | None = None, turns: int = 1
) -> Ending:
    """`lengths`: as the statistics tell them, of the agent's messages; left out = no statistics."""
    spoken = [each for each in messages if each.role == "agent"]
    told = [None] * len(spoken) if lengths is None else lengths
    stats = [None if length is None else Stats(length, 1, 1, 0.0, None) for length in told]
    return ending_of(messages, stats, turns=turns)


def said(text: str) -> Message:
    return message("agent", text)


@pytest.mark.parametrize(
    "messages",
    [(), (CALLED, ANSWERED), (CALLED,), (CALLED, ANSWERED, TALKED, NUDGED)],
)
def test_a_log_without_a_last_word_was_broken_off(messages: tuple[Message, ...]) -> None:
    assert ended(*messages) == Ending(StopReason.ABANDONED, error=NO_END)


@pytest.mark.parametrize(
    ("text", "report"),
    [
        ("FINISH: Two are late.", "Two are late."),
        ("  FINISH\nTwo are late.", "Two are late."),
        ("## FINISH ##\n\nTwo are late.", "Two are late."),
        ("`FINISH` - Two are late.", "Two are late."),
        ("Two are late. FINISH", "Two are late."),
        ("Two are late.\n\n**FINISH**", "Two are late."),
        ("They FINISH late. FINISH.", "They FINISH late."),
        ("Two are late, and FINISHED so.", "Two are late, and FINISHED so."),
        ("FINISH: FINISH", ""),
    ],
)
def test_the_marker_is_no_part_of_the_report(text: str, report: str) -> None:
    ending = ended(CALLED, ANSWERED, said(text), lengths=[7, len(text)])
    assert ending.reason is StopReason.FINISHED
    assert (ending.report or "") == report


@pytest.mark.parametrize("text", ["I finish here.", "Finishing up: two are late.", "unfinished"])
def test_a_word_of_a_sentence_is_no_marker(text: str) -> None:
    ending = ended(CALLED, ANSWERED, said(text))
    assert (ending.reason, ending.error) == (StopReason.ABANDONED, BY_MISTAKE)
    assert ending.report == text


def test_the_length_tells_a_summary_that_was_asked_for_from_one_that_was_not() -> None:
    text = "FINISH: Two are late."
    own = ended(CALLED, ANSWERED, said(text), lengths=[7, len(text)])
    asked = ended(CALLED, ANSWERED, said(text), lengths=[7, len(text) - len("FINISH: ")])
    assert (own.reason, own.forced) == (StopReason.FINISHED, False)
    assert (asked.reason, asked.forced) == (StopReason.MAX_TURNS, True)
    assert own.report == asked.report == "Two are late."


def test_a_summary_after_idle_messages_is_that_of_an_idle_agent() -> None:
    text = "FINISH: Nothing."
    idle = [TALKED, NUDGED] * 4
    ending = ended(CALLED, ANSWERED, *idle, said(text), lengths=[7, *[13] * 4, len(text) - 8])
    assert (ending.reason, ending.forced) == (StopReason.IDLE, True)
    without = ended(CALLED, ANSWERED, *idle, said(text))
    assert (without.reason, without.forced) == (StopReason.IDLE, True)
    thrice = ended(CALLED, ANSWERED, *idle[:6], said(text))
    assert (thrice.reason, thrice.forced) == (StopReason.FINISHED, False)


def test_without_statistics_a_hundred_turns_are_the_limit() -> None:
    text = "FINISH: Much."
    assert ended(CALLED, ANSWERED, said(text), turns=99).forced is False
    ending = ended(CALLED, ANSWERED, said(text), turns=100)
    assert (ending.reason, ending.forced) == (StopReason.MAX_TURNS, True)


def test_a_summary_that_asks_for_its_own_end_is_cleaned_twice() -> None:
    text = "FINISH: FINISH: Two are late."
    ending = ended(CALLED, ANSWERED, said(text), lengths=[7, len(text) - len("FINISH: ")])
    assert (ending.forced, ending.report) == (True, "Two are late.")


def test_a_first_message_can_be_the_last() -> None:
    ending = ended(said("FINISH: I will not look."), turns=0)
    assert (ending.reason, ending.report) == (StopReason.FINISHED, "I will not look.")
