"""A house with desks: a home of a test's own on the real flights, behind a tool host that all tests share."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from core.outside import Caller, Key, Outside, OutsideCall, Seat
from core.protocols import Observation
from core.run import Limits, RunSpec
from core.trajectory import Trajectory
from databases.catalog import InstalledScenario
from server.desk import Desk
from server.desks import Desks, opened
from server.runner import utc_now
from server.secret import token_hash
from server.settings import Settings
from server.store import Repository
from server.store.callbook import CallBook
from server.store.seats import Seats
from tests.server.support import START, spec
from tools.host.link import Reach

T = TypeVar("T")
SQL = "execute_query"
PYTHON = "execute_code"
LONG_SQL = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range+b.range=7"
"""Runs until it is stopped."""


class Clock:
    """Time that passes when a test says so, and a little with each look; or the machine's own."""

    def __init__(self, *, is_real: bool = False) -> None:
        self.time, self._is_real = START, is_real

    def __call__(self) -> datetime:
        if self._is_real:
            return utc_now()
        self.time += timedelta(milliseconds=1)
        return self.time

    def skip(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


class House:
    """What one installation keeps, and who works in it."""

    def __init__(
        self, home: Path, store: Repository, flights: InstalledScenario, reach: Reach
    ) -> None:
        """`home` is all tests' together, whose tools would else be started for each of them."""
        self.settings = Settings(home)
        self.store, self.flights, self.reach = store, flights, reach
        self.clock = Clock()

    def enrol(
        self,
        *keys: Key,
        limits: Limits | None = None,
        outside: Mapping[str, Any] | None = None,
        seats: Sequence[Sequence[Key]] = (),
        **changes: Any,
    ) -> list[Seat]:
        """A run with one seat for `keys`, or with several. Its id is no other test's."""
        given = [tuple(each) for each in seats] or [keys or (("01", 1),)]
        values = {
            "run_id": f"20260131-flights-{secrets.token_hex(4)}",
            "scenario_id": "flights",
            "scenario_fingerprint": self.flights.scenario.fingerprint,
            "entity_ids": tuple(dict.fromkeys(key[0] for each in given for key in each)),
            "agent": "mine",
            "limits": limits or Limits(),
            "outside": Outside.model_validate({"calls_per_s": 10_000, **(outside or {})}),
            **changes,
        }
        run = spec(**values)
        self.store.add_run(run)
        made = [
            Seat(
                path=secrets.token_hex(8),
                run_id=run.id,
                token_hash=token_hash("the token"),
                keys=each,
                created_at=START,
            )
            for each in given
        ]
        Seats(self.store).add(made)
        return made

    @asynccontextmanager
    async def worker(self, store: Repository | None = None) -> AsyncIterator[Desks]:
        """The desks of one worker process; two of them are as two processes on one store."""
        async with opened(
            self.settings, store or self.store, reach=self.reach, now=self.clock
        ) as desks:
            yield desks

    @asynccontextmanager
    async def desk(self, seat: Seat, store: Repository | None = None) -> AsyncIterator[Desk]:
        """One seat in a worker of its own."""
        async with self.worker(store) as desks:
            yield await at(desks, seat)

    def talk(self, seat: Seat, say: Callable[[Desk], Awaitable[T]]) -> T:
        """What comes of a conversation at a seat."""

        async def talk() -> T:
            async with self.desk(seat) as desk:
                return await say(desk)

        return asyncio.run(talk())

    def run(self, seat: Seat) -> RunSpec:
        return self.store.run(seat.run_id)

    def trajectories(self, seat: Seat) -> list[Trajectory]:
        return self.store.trajectories(seat.run_id)

    def only(self, seat: Seat) -> Trajectory:
        """The one trajectory of a seat's run."""
        (trajectory,) = self.trajectories(seat)
        return trajectory

    def calls(self, seat: Seat) -> list[OutsideCall]:
        """Every call of the trajectory that the seat is at."""
        state = Seats(self.store).at(seat.path)
        assert state is not None
        assert state.trajectory_id is not None
        return CallBook(self.store).calls(state.trajectory_id)


async def at(desks: Desks, seat: Seat) -> Desk:
    desk = await desks.at(seat.path)
    assert desk is not None
    return desk


async def say(desk: Desk, tool: str, /, **arguments: Any) -> Observation:
    """A call by a client that names no request."""
    return await desk.call(tool, arguments, Caller())


async def ask(desk: Desk, tool: str, request_id: str, /, **arguments: Any) -> Observation:
    """A call that can be taken back."""
    return await desk.call(tool, arguments, Caller(request_id=request_id))


async def query(desk: Desk, sql: str = "SELECT 1 AS n", /, **more: Any) -> Observation:
    return await say(desk, SQL, query=sql, **more)


async def python(desk: Desk, code: str) -> Observation:
    return await say(desk, PYTHON, code=code)


def told(seen: Observation) -> dict[str, Any]:
    """What an answer says, its text and its data being the same."""
    assert seen.data is not None
    assert json.loads(seen.text) == seen.data
    return seen.data


async def until(seen: Callable[[], object], what: str) -> None:
    """Wait until something is so, the event loop going on."""
    for _ in range(3000):
        if seen():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{what} did not come about")


async def begun(house: House, seat: Seat, number: int = 1) -> None:
    """Wait until so many calls are in the book."""

    def are_there() -> bool:
        state = Seats(house.store).at(seat.path)
        mine = None if state is None else state.trajectory_id
        return mine is not None and len(CallBook(house.store).calls(mine)) >= number

    await until(are_there, f"call {number}")
