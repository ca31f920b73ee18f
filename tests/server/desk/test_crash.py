"""Whatever is killed, or full, or locked: no record is lost or doubled, and what is gone is said to be."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.outside import UNANSWERED
from core.protocols import Observation
from server.desk import STORE, Desk
from server.store import Repository, open_store
from server.store.callbook import CallBook
from server.store.engine import BUSY_TIMEOUT_S
from server.toolhost import ToolHost
from tests.server.desk.house import PYTHON, SQL, House, begun, python, query, say, told
from tests.server.desk.worker import Worker
from tests.support.needs import needs
from tests.support.processes import until
from tools.host.client import GONE

pytestmark = pytest.mark.real

NAP = "import time\nfor _ in range(5): time.sleep(0.1)\nx += 1"


# A worker


@needs("user namespaces")
def test_kill_9_of_a_worker_in_mid_call_loses_no_record_and_no_variable(
    house: House, tool_host: ToolHost
) -> None:
    (seat,) = house.enrol(outside={"calls_at_once": 1})
    mine = f"{seat.run_id}.01.1.1"

    def count() -> int:
        return len(CallBook(house.store).calls(mine))

    with Worker(house, seat, tool_host) as first:
        assert first.call("get_task")["turn"] == 0
        assert first.call(PYTHON, code="x = 41")["turn"] == 1
        first.ask(PYTHON, {"code": NAP})
        until(lambda: count() == 3, "the call that is killed")
        first.kill()
    (lost,) = [call for call in CallBook(house.store).calls(mine) if call.result is None]
    assert (lost.position, lost.turn) == (3, 2)

    async def talk(desk: Desk) -> list[Observation]:
        return [await query(desk), await python(desk, "x"), await say(desk, "get_task")]

    seen = [told(each) for each in house.talk(seat, talk)]
    assert [each["turn"] for each in seen] == [3, 4, 4]
    assert seen[1]["value"] == "42"  # the cell went on to its end
    assert seen[1]["note"] is None
    kept = house.only(seat)
    assert [turn.index for turn in kept.turns] == [1, 2, 3, 4]
    assert kept.turns[1].tool_results[0].error_kind == UNANSWERED
    assert [call.position for call in house.calls(seat)] == [1, 2, 3, 4, 5, 6]


def test_a_worker_that_was_killed_before_it_could_prepare_leaves_that_to_the_next(
    house: House,
) -> None:
    from server.store.seats import Seats
    from tests.server.support import START, draft

    (seat,) = house.enrol()
    run = house.run(seat)
    Seats(house.store).hear(
        seat.path, "initialize", None, START, lambda key: draft(run, *key)
    )  # and killed
    assert house.only(seat).preamble is None
    house.talk(seat, query)
    assert house.only(seat).preamble is not None


# The tool host


@needs("user namespaces")
def test_kill_9_of_the_tool_host_in_mid_call_can_be_repeated_and_says_what_is_lost(
    house: House,
) -> None:
    (seat,) = house.enrol()
    mortal = ToolHost()
    house.reach = mortal

    async def talk() -> list[Observation]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                await query(other)
                await python(one, "x = 41")
                call = asyncio.create_task(python(one, NAP))
                await begun(house, seat, 3)
                await asyncio.sleep(0.2)
                assert mortal.pid is not None
                os.kill(mortal.pid, signal.SIGKILL)
                return [await call, await query(other), await python(one, "'x' in globals()")]

    try:
        lost, others, again = asyncio.run(talk())
    finally:
        mortal.close()
    assert lost.error_kind == "tool_host"
    assert "can be repeated" in lost.text
    assert GONE in lost.text
    assert told(others)["note"] is None
    assert told(again)["value"] == "False"
    kept = house.only(seat)
    assert [turn.index for turn in kept.turns] == [1, 2, 3, 4, 5]
    assert [len(turn.tool_calls) for turn in kept.turns] == [1] * 5
    assert kept.stop_reason is None


@needs("user namespaces")
def test_variables_that_are_gone_are_said_to_be_once_by_whichever_desk_comes_first(
    house: House,
) -> None:
    """Here the session ended as after half an hour of silence; whoever comes did not use Python."""
    (seat,) = house.enrol()

    async def talk() -> list[Observation]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one:
                await python(one, "x = 41")
                for tools in one._tools.values():
                    await tools.close()
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                return [await query(other), await query(one), await query(other)]

    notes = [told(each)["note"] for each in asyncio.run(talk())]
    assert notes == [f"The tools were restarted: {GONE}.", None, None]


@needs("user namespaces")
def test_the_very_first_call_of_python_is_told_of_no_loss(house: House) -> None:
    (seat,) = house.enrol()
    seen = told(house.talk(seat, lambda desk: python(desk, "1 + 1")))
    assert (seen["value"], seen["note"]) == ("2", None)


# The store


@pytest.fixture
def hasty(house: House) -> Iterator[Repository]:
    """The same store, by somebody who waits for no lock."""
    with open_store(house.store.path, busy_timeout_s=0.05) as store:
        yield store


class Lock:
    """Another process that writes to the store, and does not come to an end."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("BEGIN IMMEDIATE")

    def release(self) -> None:
        self._connection.execute("ROLLBACK")
        self._connection.close()


def test_a_call_that_cannot_be_written_down_is_not_carried_out_and_can_be_repeated(
    house: House, hasty: Repository
) -> None:
    (seat,) = house.enrol()

    async def talk() -> list[Observation]:
        async with house.desk(seat, hasty) as desk:
            await query(desk)
            lock = Lock(house.store.path)
            refused = [await query(desk), await say(desk, "finish", report="That is all.")]
            lock.release()
            return [*refused, await query(desk)]

    seen = asyncio.run(talk())
    assert [each.error_kind for each in seen] == [STORE, STORE, None]
    assert [told(each)["turn"] for each in seen] == [1, 1, 2]
    assert "again" in told(seen[0])["error"]
    assert len(house.calls(seat)) == 2
    assert house.only(seat).stop_reason is None


def test_whoever_waits_for_a_locked_store_holds_up_nobody_else(house: House) -> None:
    (seat,) = house.enrol()

    async def talk(desk: Desk) -> tuple[int, Observation]:
        await query(desk)
        lock = Lock(house.store.path)
        call = asyncio.create_task(query(desk))
        steps = 0
        for _ in range(20):
            await asyncio.sleep(0.01)
            steps += 1
        assert not call.done()
        lock.release()
        return steps, await call

    began = time.monotonic()
    steps, seen = house.talk(seat, talk)
    assert (steps, seen.error_kind) == (20, None)
    assert time.monotonic() - began < BUSY_TIMEOUT_S


@needs("user namespaces")
def test_an_answer_that_cannot_be_written_down_is_not_sent(house: House, hasty: Repository) -> None:
    (seat,) = house.enrol(outside={"calls_at_once": 1})

    async def talk() -> list[Observation]:
        async with house.desk(seat, hasty) as desk:
            await python(desk, "x = 1")
            call = asyncio.create_task(python(desk, NAP))
            await begun(house, seat, 2)
            lock = Lock(house.store.path)
            lost = await call
            lock.release()
            return [lost, await python(desk, "x")]

    lost, after = asyncio.run(talk())
    assert (lost.error_kind, after.error_kind) == (STORE, None)
    assert (told(lost)["turn"], told(after)["turn"]) == (2, 3)
    assert told(after)["value"] == "2"
    kept = [call.result for call in house.calls(seat)]
    assert [each and each.error_kind for each in kept] == [None, STORE, None]
    assert kept[1] is not None
    assert kept[1].text == lost.text


def test_what_could_not_be_written_down_is_when_the_worker_ends(
    house: House, hasty: Repository
) -> None:
    (seat,) = house.enrol()

    async def talk() -> Observation:
        async with house.desk(seat, hasty) as desk:
            await query(desk)
            lock = None

            async def nap() -> Observation:
                return await query(desk, "SELECT count(*) FROM range(3000) a, range(30000) b")

            call = asyncio.create_task(nap())
            await begun(house, seat, 2)
            lock = Lock(house.store.path)
            seen = await call
            lock.release()
            return seen

    seen = asyncio.run(talk())
    last = house.calls(seat)[-1]
    assert last.result is not None
    assert last.result.text == seen.text


def test_a_full_disk_is_an_error_that_can_be_repeated_and_what_was_sent_is_kept(
    house: House, tool_host: ToolHost
) -> None:
    """A limit on a file's size stands for the full disk: SQLite meets both in write()."""
    (seat,) = house.enrol(outside={"most_insights": 1000})
    sent: list[dict[str, Any]] = []
    with Worker(house, seat, tool_host) as worker:
        worker.call("get_task")
        worker.call(SQL, query="SELECT 1")
        worker.ask("most bytes of a file", 700_000)
        worker.answer()
        text = "x" * 3_000
        for number in range(400):
            sent.append(worker.call("submit_insight", text=f"{number} {text}"))
            if sent[-1].get("kind") == STORE:
                break
        failed = worker.call(SQL, query="SELECT 1")
        assert worker.process.poll() is None
    assert len(sent) > 3
    assert {each.get("kind") for each in sent[:-1]} == {None}
    assert sent[-1]["kind"] == STORE
    assert "again" in sent[-1]["error"]
    assert failed.get("kind") in {None, STORE}
    kept = {insight.text for insight in house.only(seat).insights}
    assert {f"{number} {text}" for number in range(len(sent) - 1)} <= kept
    answered = [call for call in house.calls(seat) if call.result is not None]
    assert len(answered) >= len(sent) + 1
    again = house.talk(seat, lambda desk: say(desk, "submit_insight", text=f"{len(sent)} {text}"))
    assert again.error_kind is None
