"""Whoever takes a call back, or hangs up, stops its work; it is written down, and hits no other call."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine
from typing import Any

import anyio
import pytest

from core.outside import CANCELLED
from core.protocols import Observation
from core.trajectory import StopReason
from server.desk import Desk
from server.desks import LISTEN_S
from server.store import open_store
from tests.server.desk.house import (
    LONG_SQL,
    PYTHON,
    SQL,
    Clock,
    House,
    ask,
    begun,
    python,
    query,
    say,
    told,
    until,
)
from tests.support.needs import needs

pytestmark = pytest.mark.real

SLEEP = "import time\ntime.sleep(30)"


async def hang_up(call: asyncio.Task[Any]) -> None:
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call


def start(call: Coroutine[Any, Any, Observation]) -> asyncio.Task[Observation]:
    return asyncio.create_task(call)


def test_a_call_is_taken_back_in_the_worker_that_has_it(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        call = start(ask(desk, SQL, "7", query=LONG_SQL))
        await begun(house, seat, 2)
        await desk.cancel("8")
        await desk.cancel("7")
        return [await call, await query(desk)]

    began = time.monotonic()
    stopped, after = house.talk(seat, talk)
    assert time.monotonic() - began < 15
    assert stopped.error_kind == CANCELLED
    assert (told(stopped)["turn"], told(after)["turn"], after.error_kind) == (2, 3, None)
    kept = [call.result for call in house.calls(seat)]
    assert [each and each.error_kind for each in kept] == [None, CANCELLED, None]
    assert kept[1] is not None
    assert kept[1].text == stopped.text


def test_a_notice_that_another_worker_hears_stops_the_work_within_a_second(house: House) -> None:
    (seat,) = house.enrol()
    house.clock = Clock(is_real=True)

    async def talk() -> tuple[Observation, float]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                await query(one)
                call = start(ask(one, SQL, "7", query=LONG_SQL))
                await begun(house, seat, 2)
                noticed = time.monotonic()
                await other.cancel("7")
                seen = await call
                return seen, time.monotonic() - noticed

    seen, waited = asyncio.run(talk())
    assert seen.error_kind == CANCELLED
    assert waited < 1.0 + LISTEN_S


def test_a_notice_that_came_before_a_call_does_not_stop_it(house: House) -> None:
    (seat,) = house.enrol()
    house.clock = Clock(is_real=True)

    async def talk(desk: Desk) -> Observation:
        await query(desk)
        await desk.cancel("7")
        call = start(ask(desk, SQL, "7", query=LONG_SQL))
        await begun(house, seat, 2)
        await asyncio.sleep(2 * LISTEN_S)  # the time in which it would be heard
        assert not call.done()
        await desk.cancel("7")
        return await call

    assert house.talk(seat, talk).error_kind == CANCELLED


def test_a_notice_for_a_call_that_is_over_or_never_was_harms_nobody(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        seen = [await ask(desk, SQL, "7", query="SELECT 1")]
        for name in ("7", "7", "never", "", "x\ud800" * 50_000):
            await desk.cancel(name)
        return [*seen, await ask(desk, SQL, "7", query="SELECT 1")]

    assert [each.error_kind for each in house.talk(seat, talk)] == [None, None]


def test_a_notice_is_one_seats_alone(house: House) -> None:
    first, second = house.enrol(seats=[[("01", 1)], [("02", 1)]])

    async def talk() -> Observation:
        async with house.worker() as desks:
            one, other = await desks.at(first.path), await desks.at(second.path)
            assert one is not None
            assert other is not None
            call = start(ask(one, SQL, "7", query=LONG_SQL))
            await begun(house, first)
            await other.cancel("7")
            await asyncio.sleep(0)
            assert not call.done()
            await one.cancel("7")
            return await call

    assert asyncio.run(talk()).error_kind == CANCELLED


def test_where_two_clients_wait_for_the_same_id_neither_is_stopped(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await query(desk)
        one = start(ask(desk, SQL, "1", query=LONG_SQL))
        other = start(ask(desk, SQL, "1", query=LONG_SQL))
        await begun(house, seat, 3)
        await desk.cancel("1")
        await asyncio.sleep(0)
        assert not one.done()
        assert not other.done()
        await hang_up(one)
        await desk.cancel("1")
        return [await other]

    (seen,) = house.talk(seat, talk)
    assert seen.error_kind == CANCELLED
    kinds = [call.result and call.result.error_kind for call in house.calls(seat)]
    assert kinds == [None, CANCELLED, CANCELLED]


def test_where_clients_of_two_workers_wait_for_the_same_id_neither_is_stopped(
    house: House,
) -> None:
    (seat,) = house.enrol()
    house.clock = Clock(is_real=True)

    async def talk() -> list[Observation]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                await query(one)
                calls = [start(ask(desk, SQL, "1", query=LONG_SQL)) for desk in (one, other)]
                await begun(house, seat, 3)
                await one.cancel("1")
                await asyncio.sleep(2 * LISTEN_S)  # the time in which it would be heard
                assert not any(call.done() for call in calls)
                await hang_up(calls[0])
                await one.cancel("1")
                return [await calls[1]]

    assert [each.error_kind for each in asyncio.run(talk())] == [CANCELLED]


def test_whoever_hangs_up_stops_the_work_and_the_next_call_is_answered_at_once(
    house: House,
) -> None:
    """F23."""
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> tuple[Observation, float]:
        await query(desk)
        call = start(query(desk, LONG_SQL))
        await begun(house, seat, 2)
        await hang_up(call)
        assert call.cancelled()
        assert not desk.is_busy
        before = time.monotonic()
        return await query(desk), time.monotonic() - before

    seen, waited = house.talk(seat, talk)
    assert told(seen)["turn"] == 3
    assert waited < 2
    assert [turn.tool_results[0].error_kind for turn in house.only(seat).turns] == [
        None,
        CANCELLED,
        None,
    ]


def test_a_scope_that_is_left_stops_the_work_as_the_wires_do(house: House) -> None:
    """The protocol's library ends its handlers by anyio, which cancels again and again."""
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> Observation:
        await query(desk)
        with anyio.move_on_after(0.1) as scope:
            await query(desk, LONG_SQL)
        assert scope.cancelled_caught
        assert not desk.is_busy
        return await query(desk)

    assert told(house.talk(seat, talk))["turn"] == 3
    kinds = [call.result and call.result.error_kind for call in house.calls(seat)]
    assert kinds == [None, CANCELLED, None]


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5, 8, 13, 21])
def test_whoever_hangs_up_while_a_call_begins_leaves_none_under_way(
    house: House, steps: int
) -> None:
    """At whatever step: its record is there, answered or cancelled, and holds nobody up."""
    (seat,) = house.enrol(outside={"calls_at_once": 1})

    async def talk(desk: Desk) -> Observation:
        call = start(query(desk, "SELECT 1"))
        for _ in range(steps):
            await asyncio.sleep(0)
        await hang_up(call)
        return await query(desk, "SELECT 2")

    seen = house.talk(seat, talk)
    assert seen.error_kind is None
    calls = house.calls(seat)
    assert all(call.result is not None for call in calls)
    kept = [call.result and call.result.error_kind for call in calls]
    assert kept[:-1] in ([], [CANCELLED], [None])
    assert told(seen)["turn"] == len(calls)


def test_an_insight_whose_client_hung_up_is_kept_or_not_there_and_told_as_it_is(
    house: House,
) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> Observation:
        await query(desk)
        call = start(say(desk, "submit_insight", text="It is so."))
        await asyncio.sleep(0.001)
        await hang_up(call)
        return await say(desk, "submit_insight", text="It is so.")

    again = house.talk(seat, talk)
    first = house.calls(seat)[1]
    assert first.result is not None
    assert first.result.error_kind is None
    assert told(again)["duplicate"] is True
    assert len(house.only(seat).insights) == 1


@needs("user namespaces")
@pytest.mark.parametrize("hangs_up", [False, True])
def test_what_becomes_of_variables_when_python_is_stopped_is_said(
    house: House, hangs_up: bool
) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> list[Observation]:
        await python(desk, "x = 41")
        call = start(ask(desk, PYTHON, "7", code=SLEEP))
        await begun(house, seat, 2)
        await asyncio.sleep(0.2)  # so that it is in the sandbox
        if hangs_up:
            await hang_up(call)
        else:
            await desk.cancel("7")
            assert (await call).error_kind == CANCELLED
        return [await python(desk, "'x' in globals()"), await python(desk, "y = 1")]

    first, second = (told(each) for each in house.talk(seat, talk))
    if first["value"] == "False":
        assert "gone" in first["note"]
    else:
        assert first["note"] is None
    assert second["note"] is None


def test_a_call_that_is_under_way_as_its_worker_ends_is_written_down_and_can_be_repeated(
    house: House,
) -> None:
    (seat,) = house.enrol()

    async def talk() -> Observation:
        async with house.desk(seat) as desk:
            await query(desk)
            call = start(query(desk, LONG_SQL))
            await begun(house, seat, 2)
        return await call

    seen = asyncio.run(talk())
    assert seen.error_kind == "shutdown"
    assert "repeated" in told(seen)["error"]
    kept = [call.result for call in house.calls(seat)]
    assert [each and each.error_kind for each in kept] == [None, "shutdown"]
    assert kept[1] is not None
    assert kept[1].text == seen.text


def test_a_finish_whose_client_hung_up_ends_it_or_can_be_repeated(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> Observation:
        await query(desk)
        call = start(say(desk, "finish", report="That is all."))
        await asyncio.sleep(0)
        await hang_up(call)
        await until(lambda: not desk.is_busy, "the end of the call")
        return await say(desk, "finish", report="That is all.")

    assert told(house.talk(seat, talk))["status"] == "finished"
    kept = house.only(seat)
    assert (kept.stop_reason, kept.report) == (StopReason.FINISHED, "That is all.")
