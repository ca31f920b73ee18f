"""Only a message that starts with the marker and calls no tool ends an exploration."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.finish import MARKER, after_marker, near_finish
from core.protocols import Observation
from tests.agent.react.support import TASK, Desk, Scripted, call, explore, query, said


@pytest.mark.parametrize("before", ["", " ", "\n\n\t ", "\u00a0"])
def test_a_message_that_starts_with_the_marker_ends_it_and_the_rest_is_the_report(
    before: str,
) -> None:
    last = said(f"{before}FINISH:\n\nCarrier 03 is late: 31.2 %.\n")
    done = explore(Scripted(query(), last))
    assert done.finish.report == "Carrier 03 is late: 31.2 %."
    assert done.finish.call == last.call
    assert done.finish.stop_reason is None
    assert done.order == ["Preamble", "Turn", "Finish"]


def test_a_model_may_stop_before_its_first_turn() -> None:
    assert explore(Scripted(said("FINISH: nothing here"))).order == ["Preamble", "Finish"]


def test_a_finish_without_a_report_hands_none_in() -> None:
    assert explore(Scripted(said("FINISH:  \n"))).finish.report is None


def test_a_finish_that_was_cut_off_is_a_finish_and_its_call_says_so() -> None:
    done = explore(Scripted(said("FINISH: It is la", finish_reason="length")))
    assert done.finish.report == "It is la"
    assert done.finish.call is not None
    assert done.finish.call.finish_reason == "length"


# Field case F27


def test_the_word_finished_beside_a_call_ends_nothing_and_the_call_is_made() -> None:
    tools = Desk()
    reply = said("I have not finished; next I query doses.", call(arguments={"query": "SELECT 1"}))
    done = explore(Scripted(reply, query(2)), tools)
    assert len(done.turns) == 2
    assert tools.executed[0] == ("execute_query", {"query": "SELECT 1"})
    assert not done.turns[0].near_finish


def test_a_task_that_quotes_the_marker_ends_nothing() -> None:
    task = TASK.model_copy(update={"text": "FINISH: is how you stop. Explore carrier 03."})
    done = explore(Scripted(query()), task=task)
    assert task.text in done.preamble.start_prompt
    assert len(done.turns) == 1


def test_a_cell_that_holds_the_marker_ends_nothing() -> None:
    seen = Observation(text='FINISH: all done "rows":[["FINISH: all done"]]')
    done = explore(Scripted(query(1), query(2)), Desk({"execute_query": seen}))
    assert len(done.turns) == 2
    assert done.finish.report == "done"


@pytest.mark.parametrize("tail", ["", " then a report"])
def test_a_call_beside_the_marker_is_made_and_counted_as_a_near_finish(tail: str) -> None:
    tools = Desk()
    done = explore(Scripted(said(f"FINISH:{tail}", call()), query(2)), tools)
    assert [turn.near_finish for turn in done.turns] == [True, False]
    assert [name for name, _ in tools.executed] == ["execute_query", "execute_query"]


@pytest.mark.parametrize(
    "text", ["I am done.\nFINISH: It is late.", "**FINISH:** late", "I will send FINISH: soon"]
)
def test_the_marker_elsewhere_is_a_near_finish_that_is_nudged(text: str) -> None:
    done = explore(Scripted(said(text)))
    (nudge,) = done.nudges
    assert nudge.near_finish
    assert done.finish.report == "done"


def test_a_finish_is_no_near_finish_even_where_its_report_names_the_marker() -> None:
    assert not near_finish(said("FINISH: I said FINISH: to stop."))
    assert near_finish(said("FINISH: now", call()))


@pytest.mark.parametrize("text", ["finish: late", "FINISH late", "Finished:", "FINISHED: late"])
def test_what_only_resembles_the_marker_is_none(text: str) -> None:
    (nudge,) = explore(Scripted(said(text))).nudges
    assert not nudge.near_finish


@settings(deadline=None)
@given(st.text())
def test_whatever_follows_the_marker_is_the_report(report: str) -> None:
    assert after_marker(f"  {MARKER}{report}") == report.strip()


@settings(deadline=None)
@given(st.text())
def test_a_text_that_does_not_start_with_the_marker_has_no_report(text: str) -> None:
    assert after_marker(f"x{text}") is None
