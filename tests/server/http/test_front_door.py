"""A whole exploration through the front door, in both eras, with what is kept of it."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx
import pytest

from core.trajectory import StopReason
from server.instructions import MAX_INSTRUCTIONS
from tests.server.http.conftest import Enrol, Guest
from tests.support.mcp_http import ERAS, Era, call, connected, headers_for, request

pytestmark = pytest.mark.real

COUNT: dict[str, Any] = {"query": "SELECT count(*) AS n FROM flights"}
CALLS: list[tuple[str, dict[str, Any], bool]] = [
    ("get_task", {"agent": "guest 1", "model": "none"}, False),
    ("get_database_info", {}, False),
    ("describe_table", {"table_name": "flights"}, False),
    ("execute_query", COUNT, False),
    ("execute_query", {"query": "SELECT nope FROM flights"}, True),
    ("submit_insight", {"text": "There are 336776 flights.", "evidence": ["SELECT 1"]}, False),
    ("submit_insight", {"text": "there are  336776 FLIGHTS."}, False),
    ("finish", {"report": "That is all.", "usage": {"input_tokens": 7}}, False),
    ("finish", {"report": "That is all."}, False),
    ("execute_query", COUNT, True),
]


@pytest.mark.parametrize("era", ERAS)
def test_an_agent_explores_from_get_task_to_finish_and_all_of_it_is_kept(
    era: Era, guest: Guest
) -> None:
    async def explore() -> list[Any]:
        async with connected(guest.url, guest.token, era) as client:
            assert "carrier 03" in (client.instructions or "")
            assert len(client.instructions or "") <= MAX_INSTRUCTIONS
            assert len((await client.list_tools()).tools) == 7
            return [await client.call_tool(name, arguments) for name, arguments, _ in CALLS]

    seen = asyncio.run(explore())
    assert [one.is_error for one in seen] == [wrong for _, _, wrong in CALLS]
    for one in seen:  # clients show their model one or the other
        assert json.loads(one.content[0].text) == one.structured_content
    turns = [one.structured_content["turn"] for one in seen]
    assert turns == [0, 1, 2, 3, 4, 4, 4, 4, 4, 4]
    assert [seen[n].structured_content["duplicate"] for n in (5, 6, 7, 8)] == [
        *(False, True),
        *(False, True),
    ]
    kept = guest.trajectory()
    assert kept.stop_reason is StopReason.FINISHED
    assert [t.tool_calls[0].name for t in kept.turns] == [name for name, _, _ in CALLS[1:5]]
    assert json.loads(kept.turns[2].tool_calls[0].arguments) == COUNT
    assert kept.turns[2].tool_results[0].text == seen[3].content[0].text
    assert [(i.turn, i.text) for i in kept.insights if i.level == "message"] == [
        (4, "There are 336776 flights.")
    ]
    assert (kept.reported_agent, kept.reported_model) == ("guest 1", "none")
    assert kept.reported_usage is not None
    assert kept.client is not None
    assert (kept.client.name, kept.client.protocol) == (
        "mcp",
        "2025-11-25" if era == "legacy" else "2026-07-28",
    )
    assert len(guest.calls()) == len(CALLS), "refused ones too"
    methods = {contact.method for contact in guest.contacts()}
    assert {"initialize" if era == "legacy" else "server/discover", "tools/list"} <= methods
    assert "tools/call" not in methods


@pytest.mark.parametrize("era", ERAS)
def test_what_the_first_call_left_the_second_one_finds(era: Era, guest: Guest) -> None:
    """F20, on any worker and in any session."""

    async def explore() -> list[str]:
        said = []
        for code in ("z = 41", "print(z + 1)", "print(z + 2)"):
            async with connected(guest.url, guest.token, era) as client:  # as some clients do
                one = await client.call_tool("execute_code", {"code": code})
                said.append(one.structured_content["stdout"])
        return said

    assert asyncio.run(explore()) == ["", "42\n", "43\n"]
    assert len(guest.trajectory().turns) == 3


def test_two_clients_side_by_side_never_meet(guests: Enrol) -> None:
    """F21: each writes its name and reads it back."""
    rounds = 50

    async def play(guest: Guest, name: str, era: Era) -> None:
        async with connected(guest.url, guest.token, era) as client:
            for number in range(rounds):
                code = f"x = {name!r}" if number % 2 == 0 else "print(x)"
                one = await client.call_tool("execute_code", {"code": code})
                if number % 2:
                    assert one.structured_content["stdout"] == f"{name}\n"

    async def both() -> None:
        first, second = guests(2)
        await asyncio.gather(play(first, "A", "legacy"), play(second, "B", "auto"))
        for guest in (first, second):
            assert [turn.index for turn in guest.trajectory().turns] == list(range(1, rounds + 1))

    asyncio.run(both())


def test_two_clients_at_one_seat_share_its_record(guest: Guest) -> None:
    async def play(era: Era) -> None:
        async with connected(guest.url, guest.token, era) as client:
            for _ in range(5):
                assert not (await client.call_tool("execute_query", COUNT)).is_error

    async def both() -> None:
        await asyncio.gather(play("legacy"), play("auto"))

    asyncio.run(both())
    assert len(guest.calls()) == 10
    assert sum(len(turn.tool_calls) for turn in guest.trajectory().turns) == 10


def test_a_queue_moves_on_with_the_connection_it_has(guests: Enrol) -> None:
    (guest,) = guests(1, entities=("03", "04"), queue=True)

    async def explore() -> list[dict[str, Any]]:
        async with connected(guest.url, guest.token, "auto") as client:
            asked = [
                ("execute_query", COUNT),
                ("finish", {"report": "One."}),
                ("get_task", {}),
                ("execute_query", COUNT),
                ("finish", {"report": "Two."}),
                ("get_task", {}),
            ]
            return [
                (await client.call_tool(name, arguments)).structured_content or {}
                for name, arguments in asked
            ]

    seen = asyncio.run(explore())
    assert "get_task" in seen[1]["next"]
    assert (seen[2]["carrier"], seen[2]["turn"]) == ("04", 0)
    assert seen[5]["kind"] == "ended"
    assert [t.stop_reason for t in guest.trajectories()] == [StopReason.FINISHED] * 2


@pytest.mark.parametrize("era", ERAS)
def test_what_a_request_says_of_itself_is_kept_with_its_call(era: Era, guest: Guest) -> None:
    told = {"claudecode/toolUseId": "toolu_1", "big": "x" * 9_000}
    message = request("tools/call", era, "id-7", name="execute_query", arguments=COUNT, _meta=told)
    assert guest.ask(message, era)["id"] == "id-7"
    (kept,) = guest.calls()
    assert kept.caller.request_id == "id-7"
    assert kept.caller.meta["claudecode/toolUseId"] == "toolu_1"
    assert "big" not in kept.caller.meta
    client = kept.caller.client
    assert (client and client.name) == ("raw" if era == "auto" else None)


SLOW = """
SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7
"""
"""Longer than any limit; what stops it is the client."""


def test_a_call_that_its_client_gave_up_is_stopped_and_the_next_answers_at_once(
    guest: Guest,
) -> None:
    """F23: a client whose own time is over hangs up."""
    for era in ERAS:
        with pytest.raises(httpx.ReadTimeout):
            guest.post(call("execute_query", era, query=SLOW), era, timeout=1.0)
        began = time.monotonic()
        after = guest.ask(call("execute_query", era, query="SELECT 7 AS n"), era)
        assert after["result"]["structuredContent"]["rows"] == [[7]]
        assert time.monotonic() - began < 5
    given_up = [c for c in guest.calls() if c.result and c.result.error_kind == "client_cancelled"]
    assert len(given_up) == len(ERAS)


def test_a_notice_that_reaches_another_worker_stops_the_call(guest: Guest) -> None:
    """Each notice has a connection of its own, so that of some another worker hears."""

    async def post(client: httpx.AsyncClient, message: Any) -> httpx.Response:
        headers = headers_for(guest.token, message, "legacy")
        return await client.post(guest.url, json=message, headers=headers, timeout=60)

    async def cancelled(client: httpx.AsyncClient, number: str) -> float:
        asking = asyncio.create_task(
            post(client, call("execute_query", "legacy", number, query=SLOW))
        )
        while not any(c.caller.request_id == number for c in guest.calls()):
            await asyncio.sleep(0.02)
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        async with httpx.AsyncClient() as other:
            began = time.monotonic()
            told = await post(other, {**notice, "params": {"requestId": number}})
        assert told.status_code == 202
        await asking
        return time.monotonic() - began

    async def several() -> list[float]:
        async with httpx.AsyncClient() as client:
            return [await cancelled(client, f"slow-{n}") for n in range(6)]

    took = asyncio.run(several())
    assert max(took) < 3, took
    kinds = [c.result.error_kind for c in guest.calls() if c.result]
    assert kinds == ["client_cancelled"] * 6


def test_a_notice_after_the_answer_changes_nothing(guest: Guest) -> None:
    """One client sends it after every call."""
    for number in range(3):
        said = guest.ask(call("execute_query", "legacy", number, **COUNT))
        assert not said["result"]["isError"]
        notice = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
        assert guest.post({**notice, "params": {"requestId": number}}).status_code == 202
    assert [c.result and c.result.is_error for c in guest.calls()] == [False] * 3
