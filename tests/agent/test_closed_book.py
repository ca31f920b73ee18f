"""The closed book: the start of an exploration, one reply without tools, its lines as insights."""

from __future__ import annotations

import asyncio

import pytest

from agent.closed_book import ClosedBookAgent, findings
from agent.react import ReactAgent
from core.errors import UsageError
from core.protocols import Agent, ChatModel, Finish, Step
from core.run import Limits
from core.trajectory import Insight, Preamble, Turn
from tests.agent.react.support import TASK, Desk, Scripted, said

TEXT = "- Carrier 03 flies 12,000 times a year.\n\n2. Its delays peak in July.\n---\n"


def explored(agent: Agent, model: ChatModel | None, desk: Desk) -> list[Step]:
    async def steps() -> list[Step]:
        return [step async for step in agent.explore(TASK, desk, model, Limits())]

    return asyncio.run(steps())


def test_one_reply_without_tools_gives_insights_and_report() -> None:
    model, desk = Scripted(said(TEXT)), Desk()
    preamble, turn, *insights, finish = explored(ClosedBookAgent(), model, desk)
    assert isinstance(preamble, Preamble)
    assert preamble.tool_schemas == ()
    assert isinstance(turn, Turn) and turn.call is not None
    told = [each for each in insights if isinstance(each, Insight)]
    assert [each.text for each in told] == [
        "Carrier 03 flies 12,000 times a year.",
        "Its delays peak in July.",
    ]
    assert {each.turn for each in told} == {1}
    assert isinstance(finish, Finish)
    assert (finish.report, finish.call, finish.stop_reason) == (TEXT.strip(), None, None)
    (asked,) = model.requests
    assert (asked.tools, asked.role) == ((), "agent")
    assert desk.executed == []


def test_it_is_told_what_an_exploration_is_told_and_no_more() -> None:
    book, _, *_ = explored(ClosedBookAgent(), Scripted(said(TEXT)), Desk())
    open_, *_ = explored(ReactAgent(insights="none"), Scripted(), Desk())
    assert isinstance(book, Preamble) and isinstance(open_, Preamble)
    assert book.start_prompt == open_.start_prompt
    assert book.system_prompt != open_.system_prompt


def test_a_finish_marker_is_no_finding() -> None:
    *_, finish = explored(ClosedBookAgent(), Scripted(said("FINISH: It is small.")), Desk())
    assert isinstance(finish, Finish)
    assert finish.report == "It is small."


def test_a_reply_without_words_hands_in_nothing() -> None:
    _, turn, finish = explored(ClosedBookAgent(), Scripted(said(" ")), Desk())
    assert isinstance(turn, Turn) and isinstance(finish, Finish)
    assert finish.report is None


def test_without_a_model_there_is_nobody_to_ask() -> None:
    with pytest.raises(UsageError, match="needs a model"):
        explored(ClosedBookAgent(), None, Desk())


def test_the_marks_of_a_list_are_no_part_of_a_finding() -> None:
    assert findings("1) a\n* b\n• c\n12. d\n3.5 is much\n\n**\n") == [
        "a",
        "b",
        "c",
        "d",
        "3.5 is much",
    ]
