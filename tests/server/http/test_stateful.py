"""`--stateful`: sessions for older clients, each of them the seat's that it was opened at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.server.http.conftest import Guest, House
from tests.support.mcp_http import ERAS, Era, call, connected, request
from tests.support.serving import Server, serving

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def stateful(house: House) -> Iterator[Server]:
    with serving(house.home, "--stateful") as running:
        yield running


def opened(guest: Guest) -> str:
    """A session of an older client."""
    hello = request(
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "old", "version": "1"},
    )
    answer = guest.post(hello)
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    session: str = answer.headers["mcp-session-id"]
    assert guest.post(ready, headers={"Mcp-Session-Id": session}).status_code == 202
    return session


def test_a_session_is_its_seats_alone(house: House, stateful: Server) -> None:
    mine, other = house.seats(stateful, 2)
    session = {"Mcp-Session-Id": opened(mine)}
    asked = call("execute_query", query="SELECT 1 AS n")
    assert not mine.ask(asked, headers=session)["result"]["isError"]
    assert other.post(asked, headers=session).status_code == 404
    assert mine.post(asked).status_code == 400, "an older client has to say which session"
    assert other.trajectories() == []
    (kept,) = mine.calls()
    assert kept.caller.client is not None, "a session knows who opened it"
    assert kept.caller.client.name == "old"


@pytest.mark.parametrize("era", ERAS)
def test_clients_of_both_eras_explore(era: Era, house: House, stateful: Server) -> None:
    (guest,) = house.seats(stateful)

    async def explore() -> None:
        async with connected(guest.url, guest.token, era) as client:
            assert len((await client.list_tools()).tools) == 7
            assert not (await client.call_tool("finish", {"report": "All."})).is_error

    asyncio.run(explore())
    assert guest.trajectory().stop_reason == "finished"
