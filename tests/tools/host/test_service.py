"""The host over a real socket: many clients at once, hostile ones among them, and none harms another."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import ToolError, UsageError
from tests.tools.host.support import Host, hosting, opening, until
from tools.host import frames, service
from tools.host.link import Link, LostError

Talk = Callable[[Host], Awaitable[None]]


def _host(folder: Path, talk: Talk, **options: Any) -> None:
    async def held() -> None:
        async with asyncio.timeout(30), hosting(folder, **options) as host:
            await talk(host)

    asyncio.run(held())


async def _linked(host: Host, *keys: str) -> Link:
    link = await host.reach.connect()
    for key in keys:
        await link.ask({"op": "open", "opening": opening(key).model_dump(mode="json")})
    return link


async def _answer(reader: asyncio.StreamReader) -> frames.Frame:
    """The next message of the host."""
    inbox = frames.Inbox(frames.FROM_HOST)
    while (frame := inbox.take()) is None:
        inbox.add(await reader.readexactly(1))  # and nothing of the one after it
    return frame


async def _call(link: Link, key: str, name: str = "execute_query", **arguments: Any) -> Any:
    asked = {"op": "call", "key": key, "name": name, "arguments": arguments}
    return (await link.ask(asked)).message["seen"]


async def _health(host: Host) -> dict[str, Any]:
    link = await _linked(host)
    try:
        found: dict[str, Any] = (await link.ask({"op": "health"})).message["health"]
        return found
    finally:
        link.close()


def test_an_opening_is_answered_with_tools_and_sandbox(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host)
        said = {"op": "open", "opening": opening("a").model_dump(mode="json")}
        first = (await link.ask(said)).message["opened"]
        assert first["created"] is True
        assert [spec["name"] for spec in first["specs"]] == ["execute_query", "execute_code"]
        assert first["sandbox"] == {"name": "bubblewrap", "detail": None}
        assert (await link.ask(said)).message["opened"] == {**first, "created": False}

    _host(tmp_path, talk)


def test_a_killed_clients_variables_meet_the_next_client_of_the_key(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a")
        await _call(link, "a", set={"x": 41})
        link.close()
        again = await _linked(host, "a")
        assert (await _call(again, "a"))["data"]["variables"] == {"x": 41}

    _host(tmp_path, talk)


def test_calls_of_one_connection_run_side_by_side(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a", "b")
        slow = asyncio.create_task(_call(link, "a", wait=True, set={"slow": 1}))
        await until(lambda: bool(host.made[0].begun))
        assert (await _call(link, "b"))["data"]["variables"] == {}
        assert not slow.done()
        host.made[0].go_on.set()
        assert (await slow)["data"]["variables"] == {"slow": 1}

    _host(tmp_path, talk)


def test_two_clients_interleaved_never_see_each_others_variables(tmp_path: Path) -> None:
    """F21."""

    async def rounds(host: Host, key: str) -> None:
        link = await _linked(host, key)
        for number in range(50):
            await _call(link, key, set={"me": key, "n": number})
            assert (await _call(link, key))["data"]["variables"] == {"me": key, "n": number}

    async def talk(host: Host) -> None:
        await asyncio.gather(*(rounds(host, key) for key in ("a", "b")))

    _host(tmp_path, talk)


@pytest.mark.parametrize("name", ["execute_query", "execute_code"])
def test_a_cancelled_call_stops_its_work_and_the_next_answers_at_once(
    tmp_path: Path, name: str
) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a")
        slow = asyncio.create_task(_call(link, "a", name, wait=True))
        await until(lambda: bool(host.made[0].begun))
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert (await _call(link, "a", name))["is_error"] is False
        assert host.made[0].cancelled == [name]
        assert (await _health(host))["calls"] == 0

    _host(tmp_path, talk)


def test_a_client_that_goes_away_stops_its_query_but_not_its_cell(tmp_path: Path) -> None:
    """To end the cell would end the variables, which outlive whoever asked."""

    async def talk(host: Host) -> None:
        link = await _linked(host, "a")
        query = asyncio.create_task(_call(link, "a", "execute_query", wait=True))
        cell = asyncio.create_task(_call(link, "a", "execute_code", wait=True, set={"x": 1}))
        await until(lambda: len(host.made[0].begun) == 2)
        link.close()
        for lost in (query, cell):
            with pytest.raises(LostError):
                await lost
        await until(lambda: host.made[0].cancelled == ["execute_query"])
        host.made[0].go_on.set()
        again = await _linked(host, "a")
        await until(lambda: host.made[0].variables == {"x": 1})
        assert (await _call(again, "a"))["data"]["variables"] == {"x": 1}

    _host(tmp_path, talk)


def test_a_session_is_closed_with_all_that_it_holds(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a", "b")
        await link.ask({"op": "close", "key": "a"})
        assert [tools.closed for tools in host.made] == [True, False]
        with pytest.raises(ToolError) as caught:
            await _call(link, "a")
        assert caught.value.kind == "session_gone"
        assert (await _health(host))["sessions"] == 1

    _host(tmp_path, talk)


def test_a_key_that_this_connection_did_not_open_opens_nothing(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        owner, other = await _linked(host, "a"), await _linked(host, "b")
        for operation in ("call", "close"):
            asked: dict[str, Any] = {
                "op": operation,
                "key": "a",
                "name": "execute_query",
                "arguments": {},
            }
            with pytest.raises(ToolError) as caught:
                await other.ask(asked)
            assert caught.value.kind == "session_gone"
        with pytest.raises(UsageError):
            said = opening("a", names=("execute_code",)).model_dump(mode="json")
            await other.ask({"op": "open", "opening": said})
        assert (await _call(owner, "a"))["is_error"] is False
        assert host.made[0].begun == ["execute_query"]

    _host(tmp_path, talk)


HOSTILE = [
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    struct.pack(">III", 1, frames.MOST_JSON + 1, 0),
    struct.pack(">III", 1, 2, 5) + b"{}hello",
    b"\xff" * 5000,
    b"",
    b"\0",
]


@pytest.mark.parametrize("said", HOSTILE)
def test_a_client_that_speaks_no_frames_is_cut_off_alone(tmp_path: Path, said: bytes) -> None:
    async def talk(host: Host) -> None:
        honest = await _linked(host, "a")
        reader, writer = await asyncio.open_unix_connection(host.path)
        writer.write(said)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        assert (await _call(honest, "a"))["is_error"] is False
        await until(lambda: _only(host, 2))

    _host(tmp_path, talk)


async def _only(host: Host, count: int) -> bool:
    return bool((await _health(host))["connections"] == count)


MALFORMED: list[Any] = [
    {},
    {"op": None},
    {"op": "exec"},
    {"op": "__init__"},
    {"op": ["open"]},
    {"op": "open"},
    {"op": "open", "opening": {"key": "a"}},
    {"op": "open", "opening": {**opening("a").model_dump(mode="json"), "uid": 0}},
    {"op": "open", "opening": {**opening("a").model_dump(mode="json"), "names": ["rm"]}},
    {"op": "call", "key": "mine"},
    {"op": "call", "key": "mine", "name": 7, "arguments": {}},
    {"op": "call", "key": "mine", "name": ["execute_code"], "arguments": {}},
    {"op": "call", "key": "mine", "name": "execute_query", "arguments": [1]},
    {"op": "call", "key": {"mine": 1}, "name": "execute_query", "arguments": {}},
    {"op": "close", "key": None},
    *(
        {"op": "open", "opening": opening("odd").model_dump() | odd}
        for odd in (
            {"sandbox": "a\0"},
            {"target": {"dialect": "a\0", "location": "/a"}},
            {"target": {"dialect": "duckdb", "location": "/a\0"}},
        )
    ),
]


@pytest.mark.parametrize("said", MALFORMED)
def test_a_request_that_makes_no_sense_is_refused_and_the_connection_goes_on(
    tmp_path: Path, said: dict[str, Any]
) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "mine")
        with pytest.raises(ToolError) as caught:
            await link.ask(said)
        assert caught.value.kind in ("refused", "session_gone")
        assert (await _call(link, "mine"))["is_error"] is False

    _host(tmp_path, talk)


def test_broken_json_and_a_cancel_of_nothing_are_survived(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        reader, writer = await asyncio.open_unix_connection(host.path)
        for number, raw in enumerate((b"{", b"[1]", b"[" * 90_000, b"\xff"), 1):
            writer.write(struct.pack(">III", number, len(raw), 0) + raw)
            answer = await _answer(reader)
            assert (answer.number, answer.message["failure"]["kind"]) == (number, "refused")
        for nothing in (5, "x", None, -1, [1]):
            writer.write(frames.encode(9, {"op": "cancel", "number": nothing}))
        writer.write(frames.encode(10, {"op": "health"}))
        answer = await _answer(reader)
        assert answer.number == 10
        writer.close()

    _host(tmp_path, talk)


def test_one_connection_has_so_many_requests_at_once_and_each_number_once(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a")
        waiting = [
            asyncio.create_task(_call(link, "a", wait=True)) for _ in range(service.MOST_REQUESTS)
        ]
        await until(lambda: len(host.made[0].begun) == service.MOST_REQUESTS)
        with pytest.raises(ToolError, match="at a time"):
            await _call(link, "a")
        other = await _linked(host, "a")
        assert (await _call(other, "a"))["is_error"] is False
        host.made[0].go_on.set()
        await asyncio.gather(*waiting)
        assert (await _call(link, "a"))["is_error"] is False

    _host(tmp_path, talk)


def test_our_own_fault_is_told_without_its_details(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a")
        with pytest.raises(ToolError) as caught:
            await _call(link, "a", fail=True)
        assert caught.value.kind == "internal"
        assert "/a/path" not in str(caught.value)
        assert (await _call(link, "a"))["is_error"] is False

    _host(tmp_path, talk)


def test_another_user_of_the_machine_is_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def talk(host: Host) -> None:
        monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
        reader, writer = await asyncio.open_unix_connection(host.path)
        writer.write(frames.encode(1, {"op": "health"}))
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read() == b""
        writer.close()

    _host(tmp_path, talk)


def test_health_counts_sessions_calls_and_connections(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a", "b")
        slow = asyncio.create_task(_call(link, "a", wait=True))
        await until(lambda: bool(host.made[0].begun))
        health = await _health(host)
        assert health == {"pid": os.getpid(), "sessions": 2, "calls": 1, "connections": 2}
        host.made[0].go_on.set()
        await slow

    _host(tmp_path, talk)


def test_a_client_that_never_reads_holds_up_nobody_but_itself(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        _, deaf = await asyncio.open_unix_connection(host.path)
        said = opening("deaf").model_dump(mode="json")
        deaf.write(frames.encode(1, {"op": "open", "opening": said}))
        big = {"text": "x" * 500_000}
        for number in range(2, 40):
            asked = {
                "op": "call",
                "key": "deaf",
                "name": "execute_query",
                "arguments": {"set": big},
            }
            deaf.write(frames.encode(number, asked))
        honest = await _linked(host, "a")
        await until(lambda: len(host.made) == 2)
        for number in range(20):
            assert (await _call(honest, "a", set={"n": number}))["data"]["variables"]["n"] == number
        assert 0 < len(host.made[0].begun) < 38  # what it asks beyond that waits with itself
        deaf.transport.abort()
        await until(lambda: _only(host, 2))

    _host(tmp_path, talk)


def test_the_longest_answers_and_pictures_come_whole(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        link = await _linked(host, "a")
        asked: dict[str, Any] = {
            "op": "call",
            "key": "a",
            "name": "execute_query",
            "arguments": {"set": {"long": "ä" * 200_000}, "draw": [200, 3]},
        }
        frame = await link.ask(asked)
        assert frame.message["seen"]["data"]["variables"]["long"] == "ä" * 200_000
        assert frame.message["seen"]["images"] == [200, 3]
        assert frame.payload == b"x" + b"\xc8" * 200 + b"\x03" * 3
        assert json.dumps(frame.message["seen"]["violations"]) == '["sql: file /etc/passwd"]'

    _host(tmp_path, talk)
