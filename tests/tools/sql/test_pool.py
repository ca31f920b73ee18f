"""Many statements, few workers: hard deadlines, kills that nobody else sees, turns that come in order."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from tests.tools.sql.pools import (
    ENDLESS,
    LONG,
    LONG_ANSWER,
    LONGER,
    LONGER_ANSWER,
    STUBBORN,
    all_ready,
    fails,
    patience,
    rows,
    started,
    until,
)
from tools.sql.pool import DEAF_S, SqlPool

pytestmark = pytest.mark.real

HOLD = "SELECT 1 -- hold"
"""It ends by itself after many seconds, and lets nothing else run in its worker until then."""


def pids(pool: SqlPool) -> list[int]:
    """The first process of each worker."""
    return [worker.pid for worker in pool._workers]


def gone(pid: int) -> bool:
    """Whether a process is no more (one that nobody has waited for is as good as gone)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in {"Z", "X"}


async def at_work(pool: SqlPool) -> None:
    """Wait until the first worker has spent some time on what it was given."""

    def spent() -> int:
        fields = Path(f"/proc/{pids(pool)[0]}/stat").read_text("ascii").rpartition(")")[2].split()
        return int(fields[11])

    await until(lambda: pool.state().running > 0)
    before = spent()
    await until(lambda: spent() > before + os.sysconf("SC_CLK_TCK") // 4)


# Deadlines.


def test_a_query_that_never_listens_is_answered_at_its_deadline_and_its_worker_killed(
    visits: Path,
) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            (victim, _) = pids(pool)
            hand = pool.hand("a", patience(0.5))
            began = time.monotonic()
            error = await fails(hand.rows(STUBBORN, limit=1))
            assert time.monotonic() - began < 5
            assert error.kind == "timeout"
            assert "time limit of 0.5 s" in str(error)
            await until(lambda: gone(victim))
            assert pool.state().lost == 1

    asyncio.run(talk())


def test_a_query_that_listens_costs_no_worker(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            hand = pool.hand("a", patience(0.5))
            assert (await fails(hand.rows(ENDLESS, limit=1))).kind == "timeout"
            await until(lambda: pool.state().running == 0)
            assert pool.state().lost == 0
            assert await rows(pool.hand("b"), "SELECT 1") == [[1]]

    asyncio.run(talk())


def test_after_a_kill_the_spare_takes_over_and_another_is_started(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            (victim, spare) = pids(pool)
            await fails(pool.hand("a", patience(0.3)).rows(STUBBORN, limit=1))
            assert await rows(pool.hand("b"), "SELECT 2") == [[2]]
            await until(lambda: pool.state().lost == 1)
            assert pids(pool)[0] == spare
            await all_ready(pool, 2)
            assert victim not in pids(pool)
            assert await rows(pool.hand("b"), "SELECT 3") == [[3]]

    asyncio.run(talk())


def test_what_else_a_killed_worker_had_in_hand_is_run_again_unseen(
    visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.sql.pool.GRACE_S", 0.1)  # the kill comes while the others run

    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            stubborn = asyncio.create_task(
                fails(pool.hand("a", patience(0.3)).rows(STUBBORN, limit=1))
            )
            await until(lambda: pool.state().running == 1)
            sleepers = [pool.hand(name, patience(60)) for name in "bc"]
            others = [asyncio.create_task(rows(hand, LONGER)) for hand in sleepers]
            others.append(asyncio.create_task(rows(pool.hand("d"), "SELECT 4")))
            assert (await stubborn).kind == "timeout"
            assert await asyncio.gather(*others) == [LONGER_ANSWER, LONGER_ANSWER, [[4]]]
            assert pool.state().lost == 1

    asyncio.run(talk())


def test_a_query_that_is_run_again_keeps_its_own_deadline(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            stubborn = asyncio.create_task(
                fails(pool.hand("a", patience(0.4)).rows(STUBBORN, limit=1))
            )
            await until(lambda: pool.state().running == 1)
            began = time.monotonic()
            error = await fails(pool.hand("b", patience(2.0)).rows(ENDLESS, limit=1))
            assert error.kind == "timeout"
            assert "2 s" in str(error)
            assert 1.9 < time.monotonic() - began < 10
            await stubborn

    asyncio.run(talk())


def test_waiting_counts_and_the_error_says_that_it_was_waiting(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, slots=1) as pool:
            first = asyncio.create_task(fails(pool.hand("a", patience(30)).rows(ENDLESS, limit=1)))
            await until(lambda: pool.state().running == 1)
            error = await fails(pool.hand("b", patience(0.3)).rows("SELECT 1", limit=1))
            assert error.kind == "timeout"
            assert "waited 0.3 s for its turn" in str(error)
            assert pool.state().waiting == 0
            first.cancel()

    asyncio.run(talk())


def test_thirty_two_busy_sessions_all_have_their_answers_in_time(visits: Path) -> None:
    async def one(pool: SqlPool, number: int) -> float:
        hand = pool.hand(f"s{number}", patience(2.0))
        began = time.monotonic()
        error = await fails(hand.rows(STUBBORN if number % 8 == 0 else ENDLESS, limit=1))
        assert error.kind == "timeout", error
        return time.monotonic() - began - 2.0

    async def talk() -> None:
        async with started(visits, workers=2) as pool:
            over = await asyncio.gather(*(one(pool, number) for number in range(32)))
            assert min(over) > -0.1
            assert max(over) < 3
            assert await rows(pool.hand("after"), "SELECT count(*) FROM visits") == [[150]]

    asyncio.run(talk())


# Those who go away.


def test_a_caller_that_goes_away_stops_its_query(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            hand = pool.hand("a")
            call = asyncio.create_task(hand.rows(ENDLESS, limit=1))
            await until(lambda: pool.state().running == 1)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await until(lambda: pool.state().running == 0)
            assert pool.state().lost == 0
            assert await rows(hand, "SELECT 1") == [[1]]

    asyncio.run(talk())


def test_a_caller_that_goes_away_from_a_query_that_never_listens_costs_its_worker(
    visits: Path,
) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            call = asyncio.create_task(pool.hand("a").rows(STUBBORN, limit=1))
            await at_work(pool)
            call.cancel()
            await until(lambda: pool.state().lost == 1)
            assert pool.state().running == 0
            assert await rows(pool.hand("b"), "SELECT 1") == [[1]]

    asyncio.run(talk())


def test_a_caller_that_goes_away_while_it_waits_is_never_run(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, slots=1) as pool:
            first = asyncio.create_task(rows(pool.hand("a"), LONG))
            await until(lambda: pool.state().running == 1)
            second = asyncio.create_task(pool.hand("b").rows("SELECT 1 -- die", limit=1))
            await until(lambda: pool.state().waiting == 1)
            second.cancel()
            assert await first == LONG_ANSWER
            assert await rows(pool.hand("c"), "SELECT 1") == [[1]]
            assert pool.state().lost == 0

    asyncio.run(talk())


def test_closing_a_hand_ends_its_queries_and_nobody_elses(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, slots=2) as pool:
            leaving, staying = pool.hand("a"), pool.hand("a")
            calls = [asyncio.create_task(fails(leaving.rows(ENDLESS, limit=1))) for _ in range(3)]
            await until(lambda: pool.state().running > 0)
            other = asyncio.create_task(rows(staying, LONG))
            await asyncio.sleep(0)
            leaving.close()
            assert {(await call).kind for call in calls} == {"cancelled"}
            assert await other == LONG_ANSWER
            assert "closed" in str(await fails(leaving.rows("SELECT 1", limit=1)))

    asyncio.run(talk())


def test_the_end_of_a_pool_answers_everybody_and_leaves_no_process(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits, workers=2) as pool:
            await all_ready(pool, 3)
            there = pids(pool)
            calls = [
                asyncio.create_task(fails(pool.hand(f"{n}").rows(STUBBORN, limit=1)))
                for n in range(4)
            ]
            await until(lambda: pool.state().running > 0)
            await pool.close()
            assert {(await call).kind for call in calls} == {"cancelled"}
            assert all(gone(pid) for pid in there)
            assert (await fails(pool.hand("x").rows("SELECT 1", limit=1))).kind == "internal"

    asyncio.run(talk())


# Workers that break.


def test_a_query_that_breaks_its_worker_has_an_error_that_says_so(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            error = await fails(pool.hand("a").rows("SELECT 1 -- die", limit=1))
            assert error.kind == "limit"
            assert "more memory than there is, or broke the engine" in str(error)
            assert pool.state().lost == 1
            assert await rows(pool.hand("a"), "SELECT 1") == [[1]]

    asyncio.run(talk())


def test_those_beside_a_query_that_breaks_its_worker_have_their_answers(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            innocent = [asyncio.create_task(rows(pool.hand(name), LONGER)) for name in "ab"]
            await until(lambda: pool.state().running == 2)
            poison = asyncio.create_task(fails(pool.hand("p").rows("SELECT 1 -- die", limit=1)))
            assert (await poison).kind == "limit"
            assert await asyncio.gather(*innocent) == [LONGER_ANSWER, LONGER_ANSWER]
            assert pool.state().lost == 2, "once beside the others, once alone, and not again"

    asyncio.run(talk())


def test_a_query_that_keeps_the_interpreter_does_not_keep_its_neighbours(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            hand = pool.hand("hog", patience(20))
            hog = asyncio.create_task(fails(hand.rows(HOLD, limit=1)))
            await until(lambda: pool.state().running == 1)
            assert await rows(pool.hand("neighbour", patience(40)), "SELECT 1") == [[1]]
            assert not hog.done()
            hand.close()
            assert (await hog).kind == "cancelled"

    asyncio.run(talk())


def test_however_many_keep_an_interpreter_one_worker_is_left_to_everybody_else(
    visits: Path,
) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            hands = [pool.hand(name, patience(40)) for name in "abc"]
            hogs = [asyncio.create_task(fails(hand.rows(HOLD, limit=1))) for hand in hands]
            await until(lambda: pool.state().lost > 0)
            for _ in range(3):
                assert await rows(pool.hand("neighbour", patience(30)), "SELECT 1") == [[1]]
                await all_ready(pool, 2)
            assert not all(hog.done() for hog in hogs)
            for hand in hands:
                hand.close()
            assert {(await hog).kind for hog in hogs} == {"cancelled"}

    asyncio.run(talk())


def test_a_worker_that_hears_is_left_alone_however_long_its_queries_take(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            hands = [pool.hand(name, patience(3 * DEAF_S)) for name in "ab"]
            errors = await asyncio.gather(*(fails(hand.rows(ENDLESS, limit=1)) for hand in hands))
            assert [error.kind for error in errors] == ["timeout", "timeout"]
            assert pool.state().lost == 0

    asyncio.run(talk())


def test_a_worker_killed_from_outside_costs_no_answer(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            calls = [asyncio.create_task(rows(pool.hand(name), LONGER)) for name in "ab"]
            await until(lambda: pool.state().running == 2)
            os.kill(pids(pool)[0], 9)
            assert await asyncio.gather(*calls) == [LONGER_ANSWER, LONGER_ANSWER]

    asyncio.run(talk())


def test_an_idle_worker_that_dies_is_replaced(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            await all_ready(pool, 2)
            for pid in pids(pool):
                os.kill(pid, 9)
            await until(lambda: pool.state().lost == 2)
            assert await rows(pool.hand("a"), "SELECT 1") == [[1]]

    asyncio.run(talk())


def test_memory_that_python_cannot_have_is_an_error_of_that_query_alone(visits: Path) -> None:
    async def talk() -> None:
        async with started(visits) as pool:
            error = await fails(pool.hand("a").rows("SELECT 1 -- eat", limit=1))
            assert error.kind == "limit"
            assert pool.state().lost == 0

    asyncio.run(talk())


# Whose turn it is.
