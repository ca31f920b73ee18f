"""An endpoint's failure is never a wrong answer, and a broken endpoint is not asked for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable

import pytest

from core.errors import CheckerError, ProviderError, ProviderFault
from core.evaluation import Verdict
from evaluator.llm import LLMChecker, is_open
from tests.evaluator.llm.judges import Judge, Messages, Said, checker_of, explored, fact, reply

GOOD = reply(supporting_turns=[2])
ITEMS = [fact(name) for name in "abcdef"]
ABOUT = explored(report=None)
"""Six calls, at message level; the level without a report needs none."""


def down(kind: ProviderFault | None = "server") -> ProviderError:
    return ProviderError("503 from the endpoint:\n busy", status_code=503, kind=kind)


async def run(checker: LLMChecker) -> tuple[dict[str, Verdict], CheckerError | None]:
    """The verdicts that needed a call, by item, and what ended the pass."""
    found: dict[str, Verdict] = {}
    try:
        async for verdict in checker.check(ITEMS, ABOUT, evaluation_id="e"):
            if verdict.level == "message":
                assert verdict.item_id not in found
                found[verdict.item_id] = verdict
    except CheckerError as exc:
        return found, exc
    return found, None


def one_by_one(said: list[Said]) -> tuple[dict[str, Verdict], CheckerError | None, Judge]:
    judge = Judge(said)
    return *asyncio.run(run(checker_of(judge, concurrency=1))), judge


def test_a_failure_leaves_its_item_unscored_and_the_others_are_judged() -> None:
    found, end, _ = one_by_one([GOOD, down(), GOOD, GOOD, GOOD, GOOD])
    assert end is None
    assert [found[name].label for name in "abcdef"] == ["supported", None, *["supported"] * 4]
    assert found["b"].unscored_reason == "judge failed: 503 from the endpoint: busy"
    call = found["b"].call
    assert call is not None
    assert (call.role, call.model_asked) == ("checker", "test/judge")
    assert call.error == "503 from the endpoint:\n busy"
    assert (call.usage.cost_usd, call.usage.cost_reason) == (None, "the call failed")
    assert [name for name in "abcdef" if is_open(found[name])] == ["b"]


def test_a_first_ask_that_was_paid_for_stays_in_the_call_of_a_second_that_failed() -> None:
    found, _, _ = one_by_one(["no object", down(), *[GOOD] * 5])
    call = found["a"].call
    assert call is not None
    assert call.error is not None
    assert call.usage.cost_usd is None, "of the second nobody knows"
    assert is_open(found["a"])


def test_whatever_else_ends_a_request_ends_the_pass_once_the_open_ones_have_answered() -> None:
    def answer(messages: Messages) -> Said | Awaitable[Said]:
        return _spent() if "(b)" in str(messages) else _later()

    async def _spent() -> Said:
        raise LookupError("the purse is empty")

    async def _later() -> Said:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return GOOD

    found: set[str] = set()

    async def check() -> None:
        checker = checker_of(Judge(answer), concurrency=3)
        async for verdict in checker.check(ITEMS, ABOUT, evaluation_id="e"):
            found.update({verdict.item_id} if verdict.level == "message" else ())

    with pytest.raises(LookupError, match="empty"):
        asyncio.run(check())
    assert found == {"a", "c", "d"}, "a was asked ahead, and b, c and d with one another"


def test_two_failures_in_a_row_and_two_at_the_end_do_not_end_the_pass() -> None:
    found, end, _ = one_by_one([down(), down(), GOOD, GOOD, down(), down()])
    assert end is None
    assert [name for name in "abcdef" if found[name].label is None] == ["a", "b", "e", "f"]


def test_the_third_failure_in_a_row_ends_the_pass_at_the_first_item_that_failed() -> None:
    found, end, judge = one_by_one([GOOD, down(), down(), down()])
    assert "test/judge failed 3 times in a row: 503" in str(end)
    assert isinstance(end.__cause__ if end else None, ProviderError)
    assert list(found) == ["a"]
    assert len(judge.asked) == 4


def test_a_refused_key_ends_the_pass_at_once() -> None:
    found, end, judge = one_by_one([GOOD, down("auth")])
    assert "test/judge failed: 503" in str(end)
    assert list(found) == ["a"]
    assert len(judge.asked) == 2


def test_insights_that_are_too_long_for_the_judge_never_end_the_pass() -> None:
    found, end, _ = one_by_one([down("context_length")] * 6)
    assert end is None
    assert {verdict.unscored_reason for verdict in found.values()} == {
        "too long for the judge: 503 from the endpoint: busy"
    }
    assert len(found) == 6
    assert not any(map(is_open, found.values())), "they are too long the next time too"


def test_an_unreadable_reply_is_an_answer_of_the_endpoint() -> None:
    said: list[Said] = [down(), down(), "?", "?", down(), down(), GOOD]
    found, end, _ = one_by_one(said)
    assert end is None
    assert [found[name].label for name in "abcdef"] == [None] * 5 + ["supported"]


def test_failures_are_counted_from_one_trajectory_to_the_next() -> None:
    checker = checker_of(Judge([down()] * 3))

    async def twice() -> list[Verdict]:
        found: list[Verdict] = []
        for items in (ITEMS[:2], ITEMS[2:3]):
            async for verdict in checker.check(items, ABOUT, evaluation_id="e"):
                found.append(verdict)  # noqa: PERF401 - what came before the error is looked at
        return found

    with pytest.raises(CheckerError, match="3 times in a row"):
        asyncio.run(twice())


def test_after_the_end_the_same_checker_can_go_on_where_it_stopped() -> None:
    async def resumed() -> set[str]:
        checker = checker_of(Judge([GOOD, down("auth"), *[GOOD] * 5]), concurrency=1)
        first, end = await run(checker)
        assert end is not None
        done = frozenset((name, "message") for name in first)
        rest = checker.check(ITEMS, ABOUT, evaluation_id="e", done=done)  # type: ignore[arg-type]
        return set(first) | {v.item_id async for v in rest if v.level == "message"}

    assert asyncio.run(resumed()) == set("abcdef")


def test_who_goes_on_after_the_end_gets_three_new_chances() -> None:
    async def resumed() -> tuple[CheckerError | None, CheckerError | None]:
        said: list[Said] = [*[down()] * 3, *[down()] * 2, *[GOOD] * 4]
        checker = checker_of(Judge(said), concurrency=1)
        return (await run(checker))[1], (await run(checker))[1]

    first, second = asyncio.run(resumed())
    assert first is not None
    assert second is None


class Gate:
    """Answers a request only when the test lets it."""

    def __init__(self) -> None:
        self.waiting: list[tuple[str, asyncio.Future[Said]]] = []

    async def answer(self, messages: Messages) -> Said:
        future: asyncio.Future[Said] = asyncio.get_running_loop().create_future()
        item = messages[1]["content"].rpartition("(")[2][0]
        self.waiting.append((item, future))
        return await future

    def release(self, item: str, said: Said) -> None:
        next(future for name, future in self.waiting if name == item).set_result(said)

    @property
    def open(self) -> str:
        return "".join(name for name, future in self.waiting if not future.done())


async def message_verdicts(checker: LLMChecker) -> AsyncIterator[Verdict]:
    async for verdict in checker.check(ITEMS, ABOUT, evaluation_id="e"):
        if verdict.level == "message":
            yield verdict


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_so_many_requests_are_under_way_as_asked_for_and_each_verdict_comes_at_once() -> None:
    async def watch() -> None:
        gate = Gate()
        found = message_verdicts(checker_of(Judge(gate.answer), concurrency=3))
        coming = asyncio.ensure_future(anext(found))
        await settle()
        assert gate.open == "a", "one goes ahead, so that a prompt cache serves the others"
        gate.release("a", GOOD)
        assert (await coming).item_id == "a"
        coming = asyncio.ensure_future(anext(found))
        await settle()
        assert gate.open == "bcd"
        gate.release("c", GOOD)
        assert (await coming).item_id == "c"
        coming = asyncio.ensure_future(anext(found))
        await settle()
        assert gate.open == "bde"
        gate.release("e", GOOD)
        assert (await coming).item_id == "e"
        await found.aclose()  # type: ignore[attr-defined]

    asyncio.run(watch())


def test_what_is_under_way_at_the_end_is_waited_for_and_kept() -> None:
    async def watch() -> None:
        gate = Gate()
        checking = asyncio.ensure_future(run(checker_of(Judge(gate.answer), concurrency=3)))
        await settle()
        gate.release("a", GOOD)
        await settle()
        gate.release("b", down("auth"))
        await settle()
        assert gate.open == "cd"
        gate.release("c", GOOD)
        gate.release("d", GOOD)
        found, end = await checking
        assert end is not None
        assert set(found) == {"a", "c", "d"}

    asyncio.run(watch())


def test_a_pass_that_is_cancelled_leaves_no_request_under_way() -> None:
    async def watch() -> None:
        gate = Gate()
        checking = asyncio.ensure_future(run(checker_of(Judge(gate.answer), concurrency=4)))
        await settle()
        checking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await checking
        assert gate.open == ""
        assert all(future.cancelled() for _, future in gate.waiting)

    asyncio.run(watch())


def test_a_fault_that_is_no_endpoints_is_not_hidden() -> None:
    def broken(_: Messages) -> Said:
        raise ZeroDivisionError("a bug in a plug-in")

    with pytest.raises(ZeroDivisionError):
        asyncio.run(run(checker_of(Judge(broken))))
