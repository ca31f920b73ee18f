"""Many questions to several models: side by side, failures told apart, nothing that was paid for lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.errors import CheckerError
from evaluator.interviewing import Interviewer, ShortMemory
from evaluator.metrics.asking import Replies, ask_all, ask_each
from evaluator.metrics.rating import Pair, Rated, rating_of
from providers.scripted import ScriptedModel

QUESTIONS = {name: rating_of(Pair(truth=name, prediction="p")) for name in "abcd"}
FAILS = {"error": {"kind": "server", "text": "down"}}
REFUSED = {"error": {"kind": "auth", "text": "no key"}}


def judge(name: str, *replies: Any, memory: ShortMemory | None = None) -> Interviewer:
    said = [f"<rating>{r}</rating>" if isinstance(r, int) else r for r in replies]
    return Interviewer(ScriptedModel(said, name=name), role="judge", memory=memory)


def numbers(replies: Replies[str, Rated]) -> dict[str, int]:
    return {key: rated.said for key, rated in replies.found.items()}


def test_each_question_has_its_answer_or_why_it_has_none() -> None:
    told: list[int] = []
    asked = judge("one", 1, FAILS, "?", "??", 4)
    found = asyncio.run(ask_all(asked, QUESTIONS, concurrency=1, tell=lambda: told.append(1)))
    assert numbers(found) == {"a": 1, "d": 4}
    assert "down" in found.failed["b"]
    assert found.failed["c"].startswith("unreadable")
    assert len(found.calls) == len(told) == 4


def test_several_models_are_told_apart_in_their_order() -> None:
    judges = [judge("one", 1, 2, 3, 4), judge("two", 5, 6, 7, 8)]
    first, second = asyncio.run(ask_each(judges, QUESTIONS, concurrency=2))
    assert (first.judge, numbers(first)) == ("one", {"a": 1, "b": 2, "c": 3, "d": 4})
    assert (second.judge, numbers(second)) == ("two", {"a": 5, "b": 6, "c": 7, "d": 8})


def test_where_one_model_refuses_the_others_answers_are_kept() -> None:
    memory = ShortMemory()
    judges = [judge("one", REFUSED), judge("two", 5, 6, 7, 8, memory=memory)]
    with pytest.raises(CheckerError, match="one failed"):
        asyncio.run(ask_each(judges, QUESTIONS, concurrency=1))
    again = asyncio.run(ask_all(judge("two", memory=memory), QUESTIONS, concurrency=1))
    assert numbers(again) == {"a": 5, "b": 6, "c": 7, "d": 8}


def test_nobody_is_asked_nothing() -> None:
    assert asyncio.run(ask_each([], QUESTIONS, concurrency=1)) == []
