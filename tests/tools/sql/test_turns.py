"""Whose turn it is at the workers: first come within a session, turns between sessions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tools.sql.pools import (
    ENDLESS,
    LONG,
    LONG_ANSWER,
    all_ready,
    fails,
    patience,
    rows,
    started,
    until,
)
from tools.limits import ToolLimits
from tools.sql.hand import SqlHand
from tools.sql.pool import SqlPool

pytestmark = pytest.mark.real


def test_first_come_is_first_served(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, slots=1) as pool:
            order: list[int] = []

            async def one(number: int) -> None:
                await rows(pool.hand(f"{number}"), f"SELECT {number}")
                order.append(number)

            await asyncio.gather(*(one(number) for number in range(20)))
            assert order == list(range(20))

    asyncio.run(talk())


def test_sessions_take_turns_however_much_one_has_asked_before(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, slots=1) as pool:
            order: list[str] = []

            async def one(session: SqlHand, name: str) -> None:
                await rows(session, "SELECT 1")
                order.append(name)

            greedy, modest = pool.hand("greedy"), pool.hand("modest")
            calls = [one(greedy, f"greedy {number}") for number in range(4)]
            await asyncio.gather(*calls, one(modest, "modest 0"), one(modest, "modest 1"))
            assert order == ["greedy 0", "greedy 1", "modest 0", "greedy 2", "modest 1", "greedy 3"]

    asyncio.run(talk())


def test_sessions_that_ask_without_end_do_not_keep_another_from_its_turn(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, workers=2) as pool:
            await all_ready(pool, 3)
            greedy = [pool.hand(f"greedy {number}", patience(60)) for number in range(2)]
            calls = [
                asyncio.create_task(fails(hand.rows(ENDLESS, limit=1)))
                for _ in range(40)
                for hand in greedy
            ]
            await until(lambda: pool.state().running == 6)
            for number in range(2):
                newcomer = pool.hand(f"newcomer {number}", patience(10))
                assert await rows(newcomer, LONG) == LONG_ANSWER
            assert pool.state().running == 6
            for hand in greedy:
                hand.close()
            await asyncio.gather(*calls)

    asyncio.run(talk())


def test_next_is_who_holds_the_fewest_places(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            greedy, other = pool.hand("greedy", patience(60)), pool.hand("other", patience(60))
            calls = [
                asyncio.create_task(fails(hand.rows(ENDLESS, limit=1)))
                for hand in (greedy, greedy, greedy, other)
            ]
            await until(lambda: pool.state().running >= 2)
            assert pool._held[other] == 1
            await until(lambda: pool.state().running == 3)
            assert pool._held[greedy] == 2
            greedy.close()
            other.close()
            await asyncio.gather(*calls)

    asyncio.run(talk())


def test_one_session_leaves_a_place_to_the_others(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, slots=3) as pool:
            greedy = pool.hand("greedy", patience(60, queries_at_once=50))
            calls = [asyncio.create_task(fails(greedy.rows(ENDLESS, limit=1))) for _ in range(8)]
            await until(lambda: pool.state().running == 2)
            assert await rows(pool.hand("modest"), "SELECT 1") == [[1]]
            assert pool.state().waiting == 6
            greedy.close()
            await asyncio.gather(*calls)

    asyncio.run(talk())


def test_a_session_has_only_so_many_queries_at_once(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, workers=2) as pool:
            hand = pool.hand("a", patience(60, queries_at_once=1))
            calls = [asyncio.create_task(fails(hand.rows(ENDLESS, limit=1))) for _ in range(3)]
            await until(lambda: pool.state().running == 1)
            await rows(pool.hand("b"), "SELECT 1")
            assert pool.state().running == 1
            assert pool.state().waiting == 2
            hand.close()
            await asyncio.gather(*calls)

    asyncio.run(talk())


def test_more_than_may_wait_are_refused_at_once(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, slots=1) as pool:
            hand = pool.hand("a", patience(60, queries_waiting=2))
            calls = [asyncio.create_task(fails(hand.rows(ENDLESS, limit=1))) for _ in range(3)]
            await until(lambda: pool.state().waiting == 2)
            error = await fails(hand.rows("SELECT 1", limit=1))
            assert error.kind == "limit"
            assert "2 queries of this session wait already" in str(error)
            hand.close()
            await asyncio.gather(*calls)

    asyncio.run(talk())


def test_a_long_query_does_not_keep_short_ones_waiting(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            long = asyncio.create_task(fails(pool.hand("a", patience(60)).rows(ENDLESS, limit=1)))
            await until(lambda: pool.state().running == 1)
            assert await rows(pool.hand("b"), "SELECT 1") == [[1]]
            assert not long.done()
            long.cancel()

    asyncio.run(talk())


def test_each_hand_has_its_own_limits(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            narrow = pool.hand("a", ToolLimits(cell_chars=10, frame_rows=5))
            wide = pool.hand("b")
            sql = "SELECT 'a long enough text' FROM visits"
            assert (await rows(narrow, sql, 1))[0][0].startswith("a long eno…")
            assert await rows(wide, sql, 1) == [["a long enough text"]]
            assert (await narrow.frame(sql)).row_count == 5
            assert (await wide.frame(sql)).row_count == 150

    asyncio.run(talk())


def test_many_queries_of_many_sessions_all_get_their_own_answers(visits: Path) -> None:
    async def one(pool: SqlPool, session: int) -> list[object]:
        hand = pool.hand(f"{session}")
        return [await rows(hand, f"SELECT {session}, {number}") for number in range(5)]

    async def talk() -> None:
        async with started(visits, workers=2) as pool:
            got = await asyncio.gather(*(one(pool, session) for session in range(40)))
        assert got == [[[[s, n]] for n in range(5)] for s in range(40)]

    asyncio.run(talk())
