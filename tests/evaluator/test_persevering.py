"""Several who ask one endpoint at the same time share its places, its failures and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable, Iterable
from contextlib import aclosing

import pytest

from core.errors import CheckerError, ProviderError, ProviderFault
from evaluator import persevering
from evaluator.persevering import Endpoint

Pair = tuple[str, str | ProviderError]
BUSY = ProviderError("503: busy", status_code=503, kind="server")


class Wire:
    """An endpoint that answers a case when the test says so."""

    def __init__(self, concurrency: int) -> None:
        self.endpoint: Endpoint[str, str] = Endpoint("judge", concurrency=concurrency)
        self.began: list[str] = []
        self._waiting: dict[str, asyncio.Future[str]] = {}

    async def _ask(self, case: str) -> str:
        self.began.append(case)
        self._waiting[case] = asyncio.get_running_loop().create_future()
        try:
            return await self._waiting[case]
        finally:
            del self._waiting[case]

    def ask(
        self, cases: Iterable[str], shares: Callable[[str], Hashable] | None = None
    ) -> AsyncGenerator[Pair, None]:
        return self.endpoint.ask(cases, self._ask, shares=shares)

    async def all_of(
        self, cases: Iterable[str], shares: Callable[[str], Hashable] | None = None
    ) -> list[Pair]:
        return [pair async for pair in self.ask(cases, shares)]

    @property
    def open(self) -> str:
        return " ".join(sorted(self._waiting))

    async def answer(self, *cases: str) -> None:
        for case in cases:
            self._waiting[case].set_result(case.upper())
        await settle()

    async def fail(self, case: str, kind: ProviderFault = "server") -> None:
        self._waiting[case].set_exception(ProviderError(f"{kind}!", kind=kind))
        await settle()


async def settle() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


def begun(*asking: AsyncGenerator[Pair, None]) -> list[asyncio.Task[list[Pair]]]:
    async def listed(each: AsyncGenerator[Pair, None]) -> list[Pair]:
        return [pair async for pair in each]

    return [asyncio.create_task(listed(each)) for each in asking]


def test_the_places_are_for_all_who_ask_and_the_earlier_one_comes_first() -> None:
    async def watch() -> None:
        wire = Wire(3)
        one, two = begun(wire.ask(["a1", "a2", "a3", "a4"]), wire.ask(["b1", "b2"]))
        await settle()
        assert wire.open == "a1 a2 a3"
        await wire.answer("a2")
        assert wire.open == "a1 a3 a4"
        await wire.answer("a1")
        assert wire.open == "a3 a4 b1"
        await wire.answer("a3", "a4")
        assert wire.open == "b1 b2"
        assert sorted(await one) == [(f"a{n}", f"A{n}") for n in (1, 2, 3, 4)]
        await wire.answer("b1", "b2")
        assert sorted(await two) == [("b1", "B1"), ("b2", "B2")]

    asyncio.run(watch())


def test_a_place_is_given_back_when_the_next_result_is_asked_for() -> None:
    async def watch() -> None:
        wire = Wire(1)
        async with aclosing(wire.ask(["a1", "a2"])) as asking:
            coming = asyncio.ensure_future(anext(asking))
            (other,) = begun(wire.ask(["b1"]))
            await settle()
            await wire.answer("a1")
            assert await coming == ("a1", "A1")
            await settle()
            assert wire.open == "", "the result of a1 may not be stored yet"
            coming = asyncio.ensure_future(anext(asking))
            await settle()
            assert wire.open == "a2"
            await wire.answer("a2")
            await coming
        await settle()
        assert wire.open == "b1"
        await wire.answer("b1")
        assert await other == [("b1", "B1")]

    asyncio.run(watch())


def test_the_first_that_begins_alike_is_asked_alone_and_others_fill_the_places() -> None:
    async def watch() -> None:
        wire = Wire(3)
        asking = begun(
            wire.ask(["a1", "a2", "a3"], lambda case: case[0]),
            wire.ask(["b1", "b2"], lambda case: case[0]),
            wire.ask(["c1"], lambda case: case[0]),
        )
        await settle()
        assert wire.open == "a1 b1 c1"
        await wire.answer("b1")
        assert wire.open == "a1 b2 c1"
        await wire.answer("a1")
        assert wire.open == "a2 b2 c1"
        await wire.answer("b2", "c1")
        assert wire.open == "a2 a3"
        await wire.answer("a2", "a3")
        assert [len(found) for found in await asyncio.gather(*asking)] == [3, 2, 1]

    asyncio.run(watch())


def test_where_the_first_fails_its_like_are_asked_all_the_same() -> None:
    async def watch() -> None:
        wire = Wire(3)
        (asking,) = begun(wire.ask(["a1", "a2", "a3"], lambda case: case[0]))
        await settle()
        await wire.fail("a1")
        assert wire.open == "a2 a3"
        await wire.answer("a2", "a3")
        assert {case for case, _ in await asking} == {"a1", "a2", "a3"}

    asyncio.run(watch())


def test_nobody_waits_for_ever_for_one_that_begins_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persevering, "PATIENCE_S", 0.0)

    async def watch() -> None:
        wire = Wire(3)
        (asking,) = begun(wire.ask(["a1", "a2", "a3"], lambda case: case[0]))
        while wire.open != "a1 a2 a3":
            await asyncio.sleep(0)
        await wire.answer("a1", "a2", "a3")
        assert len(await asking) == 3

    asyncio.run(watch())


def test_failures_in_a_row_are_counted_over_all_who_ask_and_end_them_all() -> None:
    async def watch() -> None:
        wire = Wire(4)
        one, two = begun(wire.ask(["a1", "a2", "a3"]), wire.ask(["b1", "b2", "b3"]))
        await settle()
        assert wire.open == "a1 a2 a3 b1"
        await wire.fail("a1")
        await wire.fail("b1")
        assert wire.open == "a2 a3 b2 b3"
        await wire.fail("a2")
        assert wire.open == "a3 b2 b3", "what is under way may end"
        assert not one.done()
        assert not two.done()
        await wire.answer("a3", "b2", "b3")
        for each in (one, two):
            with pytest.raises(CheckerError, match="judge failed 3 times in a row"):
                await each
        assert wire.began == ["a1", "a2", "a3", "b1", "b2", "b3"]

    asyncio.run(watch())


def test_what_the_others_had_under_way_at_the_end_is_given() -> None:
    async def watch() -> None:
        wire = Wire(2)
        found: list[Pair] = []

        async def second() -> None:
            async for pair in wire.ask(["b1", "b2"]):
                found.append(pair)  # noqa: PERF401 - what came before the error is looked at

        first, other = *begun(wire.ask(["a1"])), asyncio.create_task(second())
        await settle()
        await wire.fail("a1", "auth")
        assert wire.open == "b1"
        await wire.answer("b1")
        for each in (first, other):
            with pytest.raises(CheckerError, match="auth"):
                await each
        assert found == [("b1", "B1")]
        assert wire.began == ["a1", "b1"]

    asyncio.run(watch())


def test_an_answer_to_another_shows_that_a_failure_was_its_cases_own() -> None:
    async def watch() -> None:
        wire = Wire(2)
        async with aclosing(wire.ask(["a1", "a2", "a3"])) as asking:
            coming = asyncio.ensure_future(anext(asking))
            await settle()
            await wire.fail("a1")
            (other,) = begun(wire.ask(["b1"]))
            await settle()
            await wire.fail("a2")
            assert wire.open == "a3 b1"
            await wire.answer("b1")
            assert await other == [("b1", "B1")]
            await wire.fail("a3")
            case, error = await coming
            assert case == "a1"
            assert isinstance(error, ProviderError)
            assert [case async for case, _ in asking] == ["a2", "a3"]

    asyncio.run(watch())


def test_who_asks_after_the_end_gets_new_chances() -> None:
    async def watch() -> None:
        wire = Wire(4)
        (asking,) = begun(wire.ask(["a1", "a2", "a3", "a4"]))
        await settle()
        for case in ("a1", "a2", "a3", "a4"):
            await wire.fail(case)
        with pytest.raises(CheckerError):
            await asking
        (again,) = begun(wire.ask(["a1", "a2", "a3"]))
        await settle()
        await wire.fail("a1")
        await wire.fail("a2")
        await wire.answer("a3")
        assert len(await again) == 3

    asyncio.run(watch())


@pytest.mark.parametrize("by_answer", [True, False])
def test_who_is_cancelled_leaves_its_places_to_the_others(by_answer: bool) -> None:
    async def watch() -> None:
        wire = Wire(2)
        one, two, three = begun(wire.ask(["a1", "a2", "a3"]), wire.ask(["b1"]), wire.ask(["c1"]))
        await settle()
        assert wire.open == "a1 a2"
        if by_answer:
            wire._waiting["a1"].set_result("A1")
        one.cancel()
        two.cancel()
        await settle()
        assert wire.open == "c1"
        await wire.answer("c1")
        assert await three == [("c1", "C1")]
        (both,) = begun(wire.ask(["d1", "d2", "d3"]))
        await settle()
        assert wire.open == "d1 d2", "no place is lost and none is new"
        await wire.answer("d1", "d2")
        await wire.answer("d3")
        assert len(await both) == 3

    asyncio.run(watch())


def test_a_place_that_came_too_late_is_not_lost() -> None:
    async def watch() -> None:
        wire = Wire(1)
        one, two = begun(wire.ask(["a1"]), wire.ask(["b1"]))
        await settle()
        wire._waiting["a1"].set_exception(ProviderError("no", kind="auth"))
        for each in (one, two):
            with pytest.raises(CheckerError):
                await each
        (after,) = begun(wire.ask(["c1"]))
        await settle()
        await wire.answer("c1")
        assert await after == [("c1", "C1")]

    asyncio.run(watch())
