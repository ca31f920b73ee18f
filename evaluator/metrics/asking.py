"""Ask a model many questions of one kind, and keep what came of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from core.errors import ProviderError
from core.trajectory import ModelCall
from evaluator.interviewing import Answered, Interviewer, Question, UnansweredError
from evaluator.persevering import Endpoint
from evaluator.replying import Fault

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")


@dataclass(frozen=True)
class Replies(Generic[Key, Found]):
    """What one model said."""

    judge: str
    found: dict[Key, Found] = field(default_factory=dict)
    failed: dict[Key, str] = field(default_factory=dict)
    """Why a question has no answer."""
    calls: list[ModelCall] = field(default_factory=list)


async def ask_all(
    interviewer: Interviewer,
    questions: Mapping[Key, Question[Found]],
    *,
    concurrency: int,
    tell: Callable[[], None] = lambda: None,
) -> Replies[Key, Found]:
    """Every question's answer or why it has none; `tell` hears of each.

    Raises CheckerError where going on is useless (persevering.Endpoint); what was answered until
    then is remembered by the interviewer.
    """
    replies: Replies[Key, Found] = Replies(interviewer.name)
    endpoint: Endpoint[Key, Answered[Found]] = Endpoint(interviewer.name, concurrency=concurrency)

    async def ask(key: Key) -> Answered[Found]:
        return await interviewer.ask(questions[key])

    async with aclosing(endpoint.ask(questions, ask)) as answers:
        async for key, said in answers:
            if isinstance(said, ProviderError):
                replies.failed[key] = " ".join(str(said).split())[:300]
                replies.calls.extend([said.call] if isinstance(said, UnansweredError) else [])
            elif isinstance(said.found, Fault):
                replies.failed[key] = str(said.found)
                replies.calls.append(said.call)
            else:
                replies.found[key] = said.found
                replies.calls.append(said.call)
            tell()
    return replies


async def ask_each(
    interviewers: Sequence[Interviewer],
    questions: Mapping[Key, Question[Found]],
    *,
    concurrency: int,
    tell: Callable[[], None] = lambda: None,
) -> list[Replies[Key, Found]]:
    """The same of several models side by side, in their order, each with `concurrency` of its own.

    Where one of them raises, the others come to their end first: what they say is paid for, and
    remembered.
    """
    asking = (ask_all(each, questions, concurrency=concurrency, tell=tell) for each in interviewers)
    found = await asyncio.gather(*asking, return_exceptions=True)
    replies = []
    for each in found:
        if isinstance(each, BaseException):
            raise each
        replies.append(each)
    return replies
