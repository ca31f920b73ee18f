"""What the questions of a trajectory share is the same to the letter, comes first, and is told of."""

from __future__ import annotations

import asyncio

import pytest

from evaluator.interviewing import Interviewer
from evaluator.llm import LLMChecker
from tests.evaluator.llm.judges import DELAY, REPORT, Judge, Messages, choice, explored, fact, reply

GOOD = reply("insufficient")


def asked(*, batch: int = 1) -> list[Messages]:
    """What a judge is asked of three items at two levels, told what is shared."""
    judge = Judge(lambda _: GOOD if batch == 1 else "{}")
    interviewer = Interviewer(judge, role="checker", marks_shared=True)
    checker = LLMChecker([interviewer], batch=batch, concurrency=1)
    items = [fact("a"), fact("b"), fact("c")]

    async def check() -> None:
        async for _ in checker.check(items, explored(), evaluation_id="e"):
            pass

    asyncio.run(check())
    return judge.asked


@pytest.mark.parametrize(("level", "shown"), [(0, DELAY), (1, REPORT)])
def test_instructions_and_insights_are_shared_and_the_item_is_not(level: int, shown: str) -> None:
    mine = asked()[3 * level : 3 * level + 3]
    assert len({system["content"] for system, _ in mine}) == 1
    (length,) = {user["shared"] for _, user in mine}
    (shared,) = {user["content"][:length] for _, user in mine}
    assert shown in shared
    assert "How late" not in shared
    rest = [user["content"][length:] for _, user in mine]
    assert all(text.startswith("\n\n") and shown not in text for text in rest)
    assert len(set(rest)) == 3


def test_of_a_batch_nothing_is_told_to_be_shared_since_nothing_else_is_asked() -> None:
    together = [messages for messages in asked(batch=3) if "Question number" in str(messages)]
    assert together
    assert not any("shared" in message for messages in together for message in messages)


def test_a_closed_item_shares_the_insights_with_others_of_its_kind_alone() -> None:
    judge = Judge(
        lambda messages: GOOD if "true answer" in str(messages) else '{"answer": "worse"}'
    )
    checker = LLMChecker([Interviewer(judge, role="checker", marks_shared=True)])

    async def check() -> None:
        async for _ in checker.check([fact("a"), choice()], explored(), evaluation_id="e"):
            pass

    asyncio.run(check())
    systems = {messages[0]["content"] for messages in judge.asked}
    assert len(systems) == 2
    assert all(messages[1]["shared"] > 0 for messages in judge.asked)
