"""The same is asked once: at the same time, later, and in another process; what failed is asked again."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ProviderError
from core.trajectory import NO_USAGE, ModelCall, Usage
from evaluator.interviewing import (
    KEPT,
    Answered,
    Interviewer,
    Memory,
    Question,
    Remembered,
    ShortMemory,
    UnansweredError,
    summed,
)
from evaluator.replying import Fault
from tests.evaluator.llm.judges import USED, Judge, Messages, Said
from tests.evaluator.records import MOMENT, STEADY

UNREADABLE = Fault("unreadable", "no number", "say a number")
WAVERING = Fault("unreadable", "two numbers", again=False)


def read(text: str) -> int | Fault:
    if text.isdecimal():
        return int(text)
    return WAVERING if "or" in text else UNREADABLE


def question(words: str = "How many?", **fields: Any) -> Question[int]:
    form: dict[str, Any] = {
        "messages": ({"role": "system", "content": "Count."}, {"role": "user", "content": words}),
        "read": read,
        "again": lambda fault: {"role": "user", "content": f"Once more: {fault}"},
    }
    return Question(**{**form, **fields})


def interviewer(judge: Judge, memory: Memory | None = None, **parameters: Any) -> Interviewer:
    return Interviewer(judge, role="checker", parameters=parameters, memory=memory)


def ask(judge: Judge, *questions: Question[int], memory: Memory | None = None) -> list[Any]:
    """What came of each, asked one after the other by one interviewer; an error is in its place."""

    async def all_of_them() -> list[Any]:
        mine = interviewer(judge, memory)
        found: list[Any] = []
        for each in questions:
            found += await asyncio.gather(mine.ask(each), return_exceptions=True)
        return found

    return asyncio.run(all_of_them())


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


class Doors:
    """Holds back every request until the test opens its door."""

    def __init__(self) -> None:
        self.doors: list[asyncio.Future[Said]] = []

    def __call__(self, _: Messages) -> Awaitable[Said]:
        door: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        self.doors.append(door)
        return door


# What is asked once more


def test_a_reply_that_can_be_used_is_asked_for_once() -> None:
    judge = Judge(["12"])
    (answered,) = ask(judge, question())
    assert (answered.found, answered.text) == (12, "12")
    assert answered.call.usage == USED
    assert not answered.call.is_recalled
    assert judge.roles == ["checker"]


def test_one_that_cannot_is_asked_for_once_more_with_what_was_wrong() -> None:
    judge = Judge(["a dozen", "12"])
    (answered,) = ask(judge, question())
    assert answered.found == 12
    assert answered.call.usage == USED + USED
    assert answered.call.duration_s == 1.0
    assert [m["content"] for m in judge.asked[1]] == [
        "Count.",
        "How many?",
        "a dozen",
        "Once more: say a number",
    ]


def test_after_the_second_the_fault_stands() -> None:
    judge = Judge(["a dozen", "twelve", "12"])
    (answered,) = ask(judge, question())
    assert answered.found == UNREADABLE
    assert answered.text == "twelve"
    assert len(judge.asked) == 2


def test_a_fault_that_asking_does_not_cure_is_not_asked_again() -> None:
    judge = Judge(["11 or 12", "12"])
    (answered,) = ask(judge, question())
    assert answered.found == WAVERING
    assert len(judge.asked) == 1


def test_an_empty_reply_is_not_put_into_the_history() -> None:
    judge = Judge([" \n", "12"])
    (answered,) = ask(judge, question())
    assert answered.found == 12
    assert [m["content"] for m in judge.asked[1]] == ["Count.", "How many?"]


def test_of_a_reply_without_end_only_the_beginning_goes_back() -> None:
    judge = Judge(["x" * (KEPT + 1), "12"])
    ask(judge, question())
    assert judge.asked[1][2] == {"role": "assistant", "content": "x" * KEPT}


def test_what_others_share_is_told_where_the_model_wants_it_and_is_no_part_of_the_key() -> None:
    judge = Judge(["?", "12", "12"])
    sharing = question(shared=3)

    async def both() -> None:
        marks = Interviewer(judge, role="checker", marks_shared=True)
        assert marks.key(sharing) == interviewer(judge).key(question())
        await marks.ask(sharing)
        await interviewer(judge).ask(sharing)

    asyncio.run(both())
    told = [[message.get("shared") for message in messages] for messages in judge.asked]
    assert told == [[None, 3], [None, 3, None, None], [None, None]]


# What is asked once


def test_two_that_ask_the_same_at_the_same_time_make_one_request() -> None:
    async def both() -> None:
        doors = Doors()
        judge = Judge(doors)
        mine = interviewer(judge)
        first, second = (asyncio.create_task(mine.ask(question())) for _ in range(2))
        await settle()
        assert len(doors.doors) == 1
        doors.doors[0].set_result("12")
        asked, heard = await first, await second
        assert asked.found == heard.found == 12
        assert (asked.call.is_recalled, heard.call.is_recalled) == (False, True)
        assert heard.call.usage == NO_USAGE
        assert len(judge.asked) == 1

    asyncio.run(both())


def test_others_are_asked_beside_it() -> None:
    async def both() -> None:
        doors = Doors()
        mine = interviewer(Judge(doors))
        tasks = [asyncio.create_task(mine.ask(question(words))) for words in ("a", "b")]
        await settle()
        assert len(doors.doors) == 2
        doors.doors[1].set_result("2")
        assert (await tasks[1]).found == 2
        doors.doors[0].set_result("1")
        assert (await tasks[0]).found == 1

    asyncio.run(both())


def test_where_the_first_fails_those_that_waited_ask_one_at_a_time() -> None:
    async def three() -> None:
        doors = Doors()
        mine = interviewer(Judge(doors))
        tasks = [asyncio.create_task(mine.ask(question())) for _ in range(3)]
        await settle()
        doors.doors[0].set_result(ProviderError("busy", status_code=503, kind="server"))
        await settle()
        assert len(doors.doors) == 2
        doors.doors[1].set_result("12")
        with pytest.raises(UnansweredError, match="busy"):
            await tasks[0]
        second, third = await tasks[1], await tasks[2]
        assert second.found == third.found == 12
        assert (second.call.is_recalled, third.call.is_recalled) == (False, True)
        assert len(doors.doors) == 2

    asyncio.run(three())


def test_where_the_first_brings_nothing_usable_the_next_asks() -> None:
    async def both() -> None:
        judge = Judge(["?", "?", "12"])
        mine = interviewer(judge)
        first, second = await asyncio.gather(mine.ask(question()), mine.ask(question()))
        assert (first.found, second.found) == (UNREADABLE, 12)
        assert len(judge.asked) == 3

    asyncio.run(both())


def test_where_the_first_is_cancelled_the_next_asks() -> None:
    async def both() -> None:
        doors = Doors()
        mine = interviewer(Judge(doors))
        first, second = (asyncio.create_task(mine.ask(question())) for _ in range(2))
        await settle()
        first.cancel()
        await settle()
        assert len(doors.doors) == 2
        doors.doors[1].set_result("12")
        answered = await second
        assert answered.found == 12
        assert not answered.call.is_recalled
        assert first.cancelled()

    asyncio.run(both())


def test_one_that_waits_may_be_cancelled_and_the_first_goes_on() -> None:
    async def both() -> None:
        doors = Doors()
        mine = interviewer(Judge(doors))
        first, second = (asyncio.create_task(mine.ask(question())) for _ in range(2))
        await settle()
        second.cancel()
        await settle()
        doors.doors[0].set_result("12")
        assert (await first).found == 12
        assert second.cancelled()

    asyncio.run(both())


@STEADY
@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_however_often_and_in_whatever_order_each_question_costs_one_request(asked: str) -> None:
    judge = Judge(lambda heard: str("abc".index(heard[1]["content"])))

    async def all_at_once() -> list[Answered[int]]:
        mine = interviewer(judge)
        return await asyncio.gather(*(mine.ask(question(words)) for words in asked))

    found = asyncio.run(all_at_once())
    assert [each.found for each in found] == ["abc".index(words) for words in asked]
    assert len(judge.asked) == len(set(asked))
    assert sum(not each.call.is_recalled for each in found) == len(set(asked))


# What is remembered


def test_what_is_remembered_costs_nothing_and_says_who_said_it() -> None:
    judge = Judge(["12"])
    first, second = ask(judge, question(), question())
    assert (second.found, second.text) == (12, "12")
    assert second.call.is_recalled
    assert second.call.usage == NO_USAGE
    assert (second.call.usage.cost_usd, second.call.usage.input_tokens) == (0.0, 0)
    assert second.call.duration_s == 0.0
    assert second.call.model_served == first.call.model_served == "judge-2026"
    assert len(judge.asked) == 1


def test_a_second_asking_is_remembered_by_the_first_question() -> None:
    judge = Judge(["a dozen", "12"])
    _, second = ask(judge, question(), question())
    assert second.found == 12
    assert len(judge.asked) == 2


@pytest.mark.parametrize("said", ["?", "1 or 2"])
def test_what_cannot_be_used_is_never_remembered(said: str) -> None:
    judge = Judge([said, *["?"] * (said == "?"), "12"])
    first, second = ask(judge, question(), question())
    assert isinstance(first.found, Fault)
    assert second.found == 12


def test_neither_is_a_failure() -> None:
    memory = ShortMemory()
    judge = Judge([ProviderError("busy", kind="server"), "12"])
    first, second = ask(judge, question(), question(), memory=memory)
    assert isinstance(first, UnansweredError)
    assert second.found == 12


def test_a_memory_outlives_the_interviewer() -> None:
    memory = ShortMemory()
    ask(Judge(["12"]), question(), memory=memory)
    (answered,) = ask(Judge([]), question(), memory=memory)
    assert answered.found == 12
    assert answered.call.is_recalled


def test_what_other_rules_of_reading_left_is_asked_again_and_replaced() -> None:
    memory = ShortMemory()
    ask(Judge(["a dozen"]), question(read=len), memory=memory)
    (answered,) = ask(Judge(["12"]), question(), memory=memory)
    assert answered.found == 12
    assert not answered.call.is_recalled
    (again,) = ask(Judge([]), question(), memory=memory)
    assert again.found == 12


def test_what_cannot_be_kept_is_told_and_nobody_waits_for_it_for_ever() -> None:
    class Full(ShortMemory):
        def keep(self, key: str, remembered: Remembered) -> None:
            raise OSError("the disk is full")

    first, second = ask(Judge(["12", "12"]), question(), question(), memory=Full())
    assert isinstance(first, OSError)
    assert isinstance(second, OSError)


# The key


def test_a_key_is_a_sha_256_and_always_the_same() -> None:
    key = interviewer(Judge([])).key(question())
    assert len(key) == 64
    assert set(key) <= set(string.hexdigits.lower())
    assert interviewer(Judge([])).key(question()) == key


def _renamed() -> Judge:
    judge = Judge([])
    judge.name = "test/other"
    return judge


@pytest.mark.parametrize(
    "other",
    [
        lambda: interviewer(_renamed()).key(question()),
        lambda: interviewer(Judge([]), temperature=0.5).key(question()),
        lambda: Interviewer(Judge([]), role="insight").key(question()),
        lambda: interviewer(Judge([])).key(question("How many? ")),
        lambda: interviewer(Judge([])).key(question(repeat=1)),
        lambda: interviewer(Judge([])).key(
            question(messages=({"role": "user", "content": "Count.\nHow many?"},))
        ),
    ],
    ids=["judge", "parameters", "role", "words", "repeat", "messages"],
)
def test_another_judge_parameter_role_word_or_repeat_is_another_question(
    other: Callable[[], str],
) -> None:
    assert other() != interviewer(Judge([])).key(question())


def test_the_order_of_parameters_does_not_matter() -> None:
    one = interviewer(Judge([]), seed=1, top_p=0.5).key(question())
    assert interviewer(Judge([]), top_p=0.5, seed=1).key(question()) == one


def test_how_a_reply_is_read_is_no_part_of_the_key() -> None:
    mine = interviewer(Judge([]))
    assert mine.key(question(read=len)) == mine.key(question())


@STEADY
@given(st.text(), st.text())
def test_two_texts_have_one_key_only_where_they_are_the_same(one: str, other: str) -> None:
    mine = interviewer(Judge([]))
    assert (mine.key(question(one)) == mine.key(question(other))) == (one == other)


# What failed, and what it took


def test_a_failure_bears_all_that_was_asked_for_the_question() -> None:
    judge = Judge(["?", ProviderError("too many", status_code=429, kind="rate_limit")])
    (error,) = ask(judge, question())
    assert isinstance(error, UnansweredError)
    assert (error.kind, error.status_code) == ("rate_limit", 429)
    assert isinstance(error.__cause__, ProviderError)
    assert error.call.error == "too many"
    assert error.call.usage.cost_usd is None, "of the failed one nobody knows"
    assert error.call.duration_s >= 0.5, "the first ask is in it"


def _call(**fields: Any) -> ModelCall:
    form = {"role": "checker", "model_asked": "j", "usage": USED, "started_at": MOMENT}
    return ModelCall.model_validate({**form, "duration_s": 1.0, **fields})


def test_calls_in_sum_name_all_who_served_and_are_recalled_where_all_are() -> None:
    calls = [_call(model_served="a"), _call(model_served="b"), _call(model_served="a")]
    whole = summed(calls)
    assert whole.model_served == "a, b"
    assert whole.usage == Usage(input_tokens=300, output_tokens=30, cost_usd=0.75)
    assert whole.duration_s == 3.0
    assert not summed([_call(is_recalled=True), _call()]).is_recalled
    assert summed([_call(is_recalled=True)]).is_recalled
