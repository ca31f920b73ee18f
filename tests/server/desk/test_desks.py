"""Desks find seats by their path, and two of them on one seat are as one."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import pytest

from core.errors import ScenarioError
from core.outside import Caller, Seat
from core.protocols import Observation
from core.run import RunSpec
from core.trajectory import StopReason
from server.attendance import close_run
from server.desk import Desk
from server.desks import MOST_DESKS, UNUSED_S
from server.store import Repository, open_store
from server.store.callbook import ENDED
from server.store.seats import Seats
from tests.server.desk.house import House, at, python, query, say, told, until
from tests.support.needs import needs
from tools.host.client import GONE

pytestmark = pytest.mark.real


def test_a_path_that_nobody_was_given_is_nobodys(house: House) -> None:
    (seat,) = house.enrol()
    guessed = (
        "",
        "x",
        seat.path[:-1],
        f"{seat.path}/",
        "../x",
        "\ud800",
        "é",
        "x" * 100_000,
        "%00",
    )

    async def talk() -> list[Desk | None]:
        async with house.worker() as desks:
            return [await desks.at(path) for path in guessed]

    assert asyncio.run(talk()) == [None] * len(guessed)
    assert house.store.heads(seat.run_id) == []


def test_a_seat_is_one_desk_in_a_worker(house: House) -> None:
    first, second = house.enrol(seats=[[("01", 1)], [("02", 1)]])

    async def talk() -> None:
        async with house.worker() as desks:
            one, same = await asyncio.gather(at(desks, first), at(desks, first))
            other = await at(desks, second)
            assert one is same
            assert one is not other
            assert [desk.task().entity_id for desk in (one, other)] == ["01", "02"]

    asyncio.run(talk())


def test_a_database_that_changed_since_is_said_and_explored_by_nobody(house: House) -> None:
    (seat,) = house.enrol(scenario_fingerprint="another")

    async def talk() -> None:
        async with house.worker() as desks:
            for _ in range(2):
                with pytest.raises(ScenarioError):
                    await desks.at(seat.path)

    asyncio.run(talk())


@needs("user namespaces")
def test_one_client_over_three_calls_is_one_trajectory_of_three_turns(house: House) -> None:
    """F20: each call in another worker, as a protocol without sessions has it."""
    (seat,) = house.enrol()

    async def talk() -> list[Observation]:
        seen = []
        for code in ("z = 41", "print(z + 1)"):
            async with house.desk(seat) as desk:
                seen.append(await python(desk, code))
        async with house.desk(seat) as desk:
            return [*seen, await query(desk)]

    first, second, third = map(told, asyncio.run(talk()))
    assert second["stdout"] == "42\n"
    assert [each["turn"] for each in (first, second, third)] == [1, 2, 3]
    assert not any(GONE in str(each["note"]) for each in (first, second))
    assert [turn.index for turn in house.only(seat).turns] == [1, 2, 3]


@needs("user namespaces")
def test_two_clients_over_fifty_rounds_never_meet_each_others_variables(house: House) -> None:
    """F21."""
    seats = house.enrol(seats=[[("01", 1)], [("02", 1)]])
    code = "print(globals().get('x')); x = '{}{}'"

    async def talk() -> list[list[str]]:
        async with house.worker() as one, house.worker() as other:
            desks = [await at(one, seats[0]), await at(other, seats[1])]
            read: list[list[str]] = [[], []]
            for number in range(50):
                seen = await asyncio.gather(
                    *(
                        python(desk, code.format(me, number))
                        for me, desk in zip("ab", desks, strict=True)
                    )
                )
                for mine, each in zip(read, seen, strict=True):
                    mine.append(told(each)["stdout"].strip())
            return read

    for me, read in zip("ab", asyncio.run(talk()), strict=True):
        assert read == ["None", *(f"{me}{number}" for number in range(49))]
    kept = house.trajectories(seats[0])
    assert [(each.entity_id, len(each.turns)) for each in kept] == [("01", 50), ("02", 50)]
    said = [{call.arguments for turn in each.turns for call in turn.tool_calls} for each in kept]
    assert not said[0] & said[1]


@needs("user namespaces")
def test_two_workers_at_one_seat_are_as_one(house: House) -> None:
    (seat,) = house.enrol()

    async def talk() -> list[Observation]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                return [
                    await say(one, "get_task"),
                    await python(other, "x = 1"),
                    await say(one, "submit_insight", text="It is so."),
                    await say(other, "submit_insight", text="it is SO."),
                    await python(one, "x + 1"),
                    await say(other, "finish", report="That is all."),
                    await query(one),
                    await say(one, "finish", report="Twice."),
                ]

    seen = [told(each) for each in asyncio.run(talk())]
    assert [each["turn"] for each in seen] == [0, 1, 1, 1, 2, 2, 2, 2]
    assert (seen[2]["duplicate"], seen[3]["duplicate"]) == (False, True)
    assert seen[4]["value"] == "2"
    assert seen[6]["kind"] == ENDED
    assert seen[7]["duplicate"] is True
    kept = house.only(seat)
    assert [len(kept.turns), len(kept.insights), kept.report] == [2, 2, "That is all."]


def test_two_workers_at_once_lose_nothing_and_double_nothing(house: House) -> None:
    (seat,) = house.enrol(outside={"calls_at_once": 64})

    async def work(desk: Desk, name: str) -> list[str]:
        texts = []
        for number in range(15):
            seen = await query(desk, f"SELECT '{name}' AS who, {number} AS n")
            texts.append(seen.text)
            said = await say(desk, "submit_insight", text=f"Finding {number % 5}")
            texts.append(said.text)
        return texts

    async def talk() -> list[str]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                agents = (work(one, "a"), work(one, "b"), work(other, "c"), work(other, "d"))
                return [text for texts in await asyncio.gather(*agents) for text in texts]

    sent = asyncio.run(talk())
    calls = house.calls(seat)
    assert [call.position for call in calls] == list(range(1, 121))
    assert sorted(call.result.text for call in calls if call.result) == sorted(sent)
    kept = house.only(seat)
    assert [turn.index for turn in kept.turns] == list(range(1, len(kept.turns) + 1))
    assert sum(len(turn.tool_calls) for turn in kept.turns) == 60
    assert sorted(each.text or "" for each in kept.insights) == [f"Finding {n}" for n in range(5)]


def test_of_two_workers_that_are_first_at_once_one_begins_the_exploration(house: House) -> None:
    (seat,) = house.enrol()

    async def talk() -> list[Observation]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                await asyncio.gather(
                    *(desk.hear("initialize", Caller()) for desk in (one, other, one, other))
                )
                return await asyncio.gather(*(say(desk, "get_task") for desk in (one, other)))

    assert [each.error_kind for each in asyncio.run(talk())] == [None, None]
    kept = house.only(seat)
    assert kept.attempt == 1
    assert len(house.store.heads(seat.run_id)) == 1
    assert kept.preamble is not None
    assert [each.count for each in Seats(house.store).contacts(seat.path)] == [4]


def test_of_two_workers_that_ask_for_the_next_task_at_once_one_moves_on(house: House) -> None:
    (seat,) = house.enrol(("01", 1), ("02", 1), ("03", 1), outside={"queue": True})

    async def talk() -> list[Observation]:
        with open_store(house.store.path) as store:
            async with house.desk(seat) as one, house.desk(seat, store) as other:
                await say(one, "finish", report="That is all.")
                return await asyncio.gather(*(say(desk, "get_task") for desk in (one, other)))

    assert [told(each)["carrier"] for each in asyncio.run(talk())] == ["02", "02"]
    assert [each.entity_id for each in house.trajectories(seat)] == ["01", "02"]


async def stop_reason(house: House, seat: Seat) -> StopReason | None:
    """Once there is one."""
    await until(lambda: house.only(seat).stop_reason is not None, "the end of it")
    return house.only(seat).stop_reason


def test_a_worker_looks_after_those_who_went_silent_whatever_else_fails(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    from server import attendance, desks

    (seat,) = house.enrol(outside={"idle_s": 60})
    looks: list[datetime] = []

    def end_silent(store: Repository, now: datetime, specs: dict[str, RunSpec]) -> int:
        looks.append(now)
        if len(looks) == 1:
            raise RuntimeError("a fault of ours")
        return attendance.end_silent(store, now, specs)

    monkeypatch.setattr(desks, "end_silent", end_silent)
    monkeypatch.setattr(desks, "SWEEP_S", 0.0)
    monkeypatch.setattr(desks, "LISTEN_S", 0.01)

    async def talk(desk: Desk) -> tuple[Observation, StopReason | None, Observation]:
        seen = await query(desk)
        await until(lambda: len(looks) > 3, "a look after the fault")
        assert house.only(seat).stop_reason is None
        house.clock.skip(61)
        return seen, await stop_reason(house, seat), await query(desk)

    first, reason, after = house.talk(seat, talk)
    assert (first.error_kind, reason, after.error_kind) == (None, StopReason.ABANDONED, ENDED)


def test_a_seat_that_was_taken_back_takes_nothing_and_says_so(house: House) -> None:
    met, never = house.enrol(seats=[[("01", 1)], [("02", 1)]])

    async def talk() -> list[Observation]:
        async with house.worker() as desks:
            one, other = await at(desks, met), await at(desks, never)
            await query(one)
            close_run(house.run(met), house.store, house.clock())
            await other.hear("initialize", Caller())
            return [await query(one), await say(one, "finish", report="x"), await query(other)]

    seen = asyncio.run(talk())
    assert [each.error_kind for each in seen] == [ENDED] * 3
    assert all("taken back" in told(each)["error"] for each in seen)
    assert [told(each)["turn"] for each in seen] == [1, 1, 0]
    assert len(house.calls(met)) == 3
    assert [
        (each.entity_id, each.stop_reason, each.turns == ()) for each in house.trajectories(met)
    ] == [
        ("01", StopReason.ABANDONED, False),
        ("02", StopReason.NO_CONTACT, True),
    ]


def test_a_desk_that_nobody_came_to_for_long_is_left_and_found_again(house: House) -> None:
    first, second = house.enrol(seats=[[("01", 1)], [("02", 1)]])

    async def talk() -> None:
        async with house.worker() as desks:
            old, used = await at(desks, first), await at(desks, second)
            await query(old)
            house.clock.skip(UNUSED_S + 1)
            await query(used)
            await desks._tidy(timedelta(seconds=UNUSED_S))
            assert await at(desks, second) is used
            again = await at(desks, first)
            assert again is not old
            assert told(await query(again))["turn"] == 2
            assert told(await query(old))["turn"] == 3  # whoever still holds it is served

    asyncio.run(talk())


def test_a_desk_at_work_is_never_left(house: House) -> None:
    (seat,) = house.enrol()

    async def talk() -> None:
        async with house.worker() as desks:
            desk = await at(desks, seat)
            calling = asyncio.create_task(query(desk))
            await asyncio.sleep(0)
            assert desk.is_busy
            house.clock.skip(UNUSED_S + 1)
            await desks._tidy(timedelta(seconds=UNUSED_S))
            assert await at(desks, seat) is desk
            assert (await calling).error_kind is None
            assert not desk.is_busy

    asyncio.run(talk())


def test_past_the_most_desks_the_longest_unused_one_is_left(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.desks.MOST_DESKS", 2)
    seats = house.enrol(seats=[[("01", n)] for n in (1, 2, 3)], trials=3)

    async def talk() -> None:
        async with house.worker() as desks:
            first, second = await at(desks, seats[0]), await at(desks, seats[1])
            await at(desks, seats[0])
            await at(desks, seats[2])
            assert await at(desks, seats[0]) is first
            assert await at(desks, seats[1]) is not second

    assert MOST_DESKS > 500
    asyncio.run(talk())


def test_what_has_ended_leaves_no_session_with_the_tools(house: House) -> None:
    (seat,) = house.enrol(("01", 1), ("02", 1), outside={"queue": True})

    async def talk() -> tuple[list[str], list[str]]:
        async with house.desk(seat) as desk:
            await query(desk)
            mine = f"{seat.run_id}.01.1.1"
            house.store.end_trajectory(mine, StopReason.ABANDONED, ended_at=house.clock())
            before = list(desk._tools)
            await say(desk, "get_task")
            during = list(desk._tools)
            await say(desk, "finish", report="That is all.")
            assert desk._tools == {}
            return before, during

    before, during = asyncio.run(talk())
    assert before == [f"{seat.run_id}.01.1.1"]
    assert during == [f"{seat.run_id}.02.1.1"]
