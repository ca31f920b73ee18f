"""Who is let in to a seat: real seats in a real store, and an endpoint that says where it was reached."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from databases.catalog import InstalledScenario
from server.desks import opened
from server.enrolment import Issued, close, enrol
from server.http.gate import Gate
from server.http.hosts import LOOPBACK, AllowedHosts
from server.http.reception import CLOSED_S, Reception
from server.mcp_app.outside import DESK
from server.settings import Settings
from server.store import Repository, open_store

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send


async def endpoint(scope: Scope, receive: Receive, send: Send) -> None:
    """Say whose desk it is."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope[DESK].seat.path.encode()})


class Clock:
    """A time that only the test moves on."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Door:
    """A reception behind its gate, with two seats of one run."""

    client: httpx.AsyncClient
    store: Repository
    seats: tuple[Issued, ...]
    clock: Clock
    close: Callable[[], None]

    async def post(self, seat: Issued, **headers: str | bytes) -> httpx.Response:
        said = {"authorization": f"Bearer {seat.token}", **headers}
        # As bytes: a hostile client sends what no text of ours would hold.
        given = [(k.encode(), v if isinstance(v, bytes) else v.encode()) for k, v in said.items()]
        return await self.client.post(f"/r/{seat.seat.path}/mcp", headers=given)


Scene = Callable[[Door], Awaitable[None]]


@pytest.fixture
def at_the_door(own_flights_home: Path, flights: InstalledScenario) -> Callable[..., None]:
    """Play a scene at a door."""

    async def play(scene: Scene, **options: Any) -> None:
        settings = Settings(own_flights_home)
        with open_store(settings.store_path) as store:
            now = datetime.now(UTC)
            made = enrol(flights, store, agent="mine", now=now, entities=["03"], trials=2)
            async with opened(settings, store) as desks:
                clock = Clock()
                reception = Reception(desks, endpoint, clock=clock, **{"rate": 5.0, **options})
                gate = Gate(AllowedHosts(LOOPBACK), {"/r": reception})
                transport = httpx.ASGITransport(gate)
                async with httpx.AsyncClient(
                    transport=transport, base_url="http://localhost"
                ) as client:
                    shut = partial(close, made.spec, store, now=now)
                    await scene(Door(client, store, made.seats, clock, shut))

    return lambda scene, **options: asyncio.run(play(scene, **options))


def test_the_token_of_a_path_opens_it_and_no_other(at_the_door: Callable[..., None]) -> None:
    async def scene(door: Door) -> None:
        mine, other = door.seats
        assert (await door.post(mine)).text == mine.seat.path
        for token in (other.token, "", "x", mine.token[:-1], mine.token + "x", "\xff" * 40):
            answer = await door.post(mine, authorization=f"Bearer {token}".encode("latin-1"))
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert mine.token not in answer.text

    at_the_door(scene)


@pytest.mark.parametrize(
    "said", ["{0}", "Basic {0}", "Bearer", "Bearer {0}, Bearer {0}", "Bearer  ", "token {0}"]
)
def test_another_way_to_say_the_token_is_none(said: str, at_the_door: Callable[..., None]) -> None:
    async def scene(door: Door) -> None:
        answer = await door.post(door.seats[0], authorization=said.format(door.seats[0].token))
        assert answer.status_code == 401

    at_the_door(scene)


def test_without_or_with_two_headers_nobody_is_let_in(at_the_door: Callable[..., None]) -> None:
    async def scene(door: Door) -> None:
        mine = door.seats[0]
        path = f"/r/{mine.seat.path}/mcp"
        assert (await door.client.post(path)).status_code == 401
        twice = [("authorization", f"Bearer {mine.token}")] * 2
        assert (await door.client.post(path, headers=twice)).status_code == 401
        lower = {"authorization": f"bearer {mine.token}"}
        assert (await door.client.post(path, headers=lower)).status_code == 200

    at_the_door(scene)


def test_a_path_that_nobody_has_looks_like_nothing_at_all(at_the_door: Callable[..., None]) -> None:
    async def scene(door: Door) -> None:
        nothing = (await door.client.post("/nothing")).content
        mine = door.seats[0]
        right = {"authorization": f"Bearer {mine.token}"}
        for path in (
            "x" * 22,
            mine.seat.path[:-1],
            mine.seat.path + "x",
            "..",
            "a%2fb",
            "\u017f" * 22,
        ):
            answer = await door.client.post(f"/r/{path}/mcp", headers=right)
            assert (answer.status_code, answer.content) == (404, nothing), path
        for path in (f"/r/{mine.seat.path}", f"/r/{mine.seat.path}/mcp/", f"/r/{mine.seat.path}/x"):
            assert (await door.client.post(path, headers=right)).status_code == 404

    at_the_door(scene)


def test_a_seat_that_was_taken_back_is_gone(at_the_door: Callable[..., None]) -> None:
    async def scene(door: Door) -> None:
        mine = door.seats[0]
        assert (await door.post(mine)).status_code == 200
        door.close()
        door.clock.now += CLOSED_S
        assert (await door.post(mine)).status_code == 410
        wrong = await door.post(mine, authorization="Bearer x")
        assert wrong.status_code == 401, "only who has the token is told"

    at_the_door(scene)


def test_too_many_messages_wait_each_seat_for_itself(at_the_door: Callable[..., None]) -> None:
    async def scene(door: Door) -> None:
        mine, other = door.seats
        codes = [(await door.post(mine)).status_code for _ in range(12)]
        assert codes == [200] * 10 + [429] * 2
        assert (await door.post(mine)).headers["retry-after"] == "1"
        assert (await door.post(other)).status_code == 200
        door.clock.now += 0.2
        assert [(await door.post(mine)).status_code for _ in range(2)] == [200, 429]

    at_the_door(scene)


@pytest.mark.parametrize("stateful", [False, True])
def test_there_is_no_stream_of_its_own_without_sessions(
    stateful: bool, at_the_door: Callable[..., None]
) -> None:
    async def scene(door: Door) -> None:
        mine = door.seats[0]
        headers = {"authorization": f"Bearer {mine.token}"}
        codes = {
            method: (
                await door.client.request(method, f"/r/{mine.seat.path}/mcp", headers=headers)
            ).status_code
            for method in ("GET", "DELETE", "PUT", "OPTIONS")
        }
        kept = 200 if stateful else 405
        assert codes == {"GET": kept, "DELETE": kept, "PUT": 405, "OPTIONS": 405}

    at_the_door(scene, stateful=stateful)


def test_a_seat_whose_database_is_gone_says_so_without_a_path(
    at_the_door: Callable[..., None], own_flights_home: Path
) -> None:
    async def scene(door: Door) -> None:
        (own_flights_home / "scenarios").unlink()
        answer = await door.post(door.seats[0])
        assert answer.status_code == 503
        assert str(own_flights_home) not in answer.text

    at_the_door(scene)
