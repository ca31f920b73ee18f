"""HostTools: a session behind a socket, which a lost connection costs one call and no exception."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import DatabaseError, ToolError
from core.protocols import Tools
from tests.tools.host.support import Host, Notebook, hosting, opening, until
from tools.host.client import HostTools
from tools.host.link import Link, SocketReach
from tools.host.messages import Opening

Talk = Callable[[Host], Awaitable[None]]


def _host(folder: Path, talk: Talk) -> None:
    async def held() -> None:
        async with asyncio.timeout(30), hosting(folder) as host:
            await talk(host)

    asyncio.run(held())


def test_it_is_a_toolset_like_any_other(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        assert isinstance(tools, Tools)
        assert tools.sandbox_state.name == "off"
        assert host.made == []
        assert [spec.name for spec in await tools.list()] == ["execute_query", "execute_code"]
        assert tools.sandbox_state.name == "bubblewrap"
        seen = await tools.call("execute_query", {"set": {"x": 1}, "draw": [4]})
        assert seen.data == {"variables": {"x": 1}, "note": None}
        assert seen.images == (b"\4\4\4\4",)
        assert seen.violations == ("sql: file /etc/passwd",)
        assert seen.accessed_fields == ("t.a",)
        await tools.close()
        assert host.made[0].closed

    _host(tmp_path, talk)


def test_what_was_never_used_costs_nothing_to_close(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(SocketReach(tmp_path / "nobody"), opening("a"))
        await tools.close()
        await tools.close()
        seen = await tools.call("execute_query", {})
        assert (seen.is_error, seen.error_kind) == (True, "internal")

    _host(tmp_path, talk)


def test_a_lost_connection_is_an_answer_that_says_what_was_kept(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        await tools.call("execute_code", {"set": {"x": 1}})
        call = asyncio.create_task(tools.call("execute_query", {"wait": True}))
        await until(lambda: len(host.made[0].begun) == 2)
        await host.service.hang_up()
        seen = await call
        assert (seen.is_error, seen.error_kind) == (True, "tool_host")
        assert "can be repeated; the variables of Python are kept" in seen.text
        assert json.loads(seen.text) == seen.data
        again = await tools.call("execute_code", {})
        assert again.data == {"variables": {"x": 1}, "note": None}

    _host(tmp_path, talk)


def test_a_lost_host_is_an_answer_that_says_what_was_lost_and_so_does_the_next(
    tmp_path: Path,
) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        await tools.call("execute_code", {"set": {"x": 1}})
        call = asyncio.create_task(tools.call("execute_code", {"wait": True}))
        await until(lambda: len(host.made[0].begun) == 2)
        host.book._sessions.clear()
        await host.service.hang_up()
        seen = await call
        assert seen.error_kind == "tool_host"
        assert "It can be repeated; all Python variables are gone." in seen.text
        again = await tools.call("execute_query", {})
        assert again.data is not None
        assert again.data["note"] == "The tools were restarted: all Python variables are gone."
        assert json.loads(again.text) == again.data
        assert (await tools.call("execute_query", {})).data == {"variables": {}, "note": None}

    _host(tmp_path, talk)


def test_who_had_no_variables_is_told_of_none(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        call = asyncio.create_task(tools.call("execute_query", {"wait": True}))
        await until(lambda: bool(host.made))
        await until(lambda: bool(host.made[0].begun))
        host.book._sessions.clear()
        await host.service.hang_up()
        seen = await call
        assert seen.text == (
            '{"error":"The tool host broke off during this call, which gave nothing. '
            'It can be repeated.","kind":"tool_host"}'
        )
        assert (await tools.call("execute_query", {})).data == {"variables": {}, "note": None}

    _host(tmp_path, talk)


def test_a_session_that_was_ended_meanwhile_is_opened_again_and_says_so(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        await tools.call("execute_code", {"set": {"x": 1}})
        await host.book.close_all()
        seen = await tools.call("execute_code", {"set": {"y": 2}})
        assert seen.data is not None
        assert seen.data["variables"] == {"y": 2}
        assert "all Python variables are gone" in seen.data["note"]
        assert host.made[1].begun == ["execute_code"]

    _host(tmp_path, talk)


def test_a_cancelled_call_stops_the_work_in_the_host(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        call = asyncio.create_task(tools.call("execute_code", {"wait": True}))
        await until(lambda: bool(host.made and host.made[0].begun))
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert not (await tools.call("execute_query", {})).is_error
        assert host.made[0].cancelled == ["execute_code"]

    _host(tmp_path, talk)


def test_a_host_that_hangs_costs_a_call_and_not_the_run(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"), hang_s=0.05)
        seen = await tools.call("execute_query", {"wait": True})
        assert seen.error_kind == "tool_host"
        assert not (await tools.call("execute_query", {})).is_error

    _host(tmp_path, talk)


@pytest.mark.parametrize("odd", [{"x": object()}, {"x": "y" * (5 << 20)}, {"x": {1, 2}}])
def test_arguments_that_are_no_json_or_too_much_are_the_callers_fault(
    tmp_path: Path, odd: dict[str, Any]
) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        seen = await tools.call("execute_query", odd)
        assert (seen.is_error, seen.error_kind) == (True, "arguments")
        assert not (await tools.call("execute_query", {})).is_error
        assert len(host.made) == 1

    _host(tmp_path, talk)


def test_arguments_nested_without_end_are_the_callers_fault(tmp_path: Path) -> None:
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"x": deep}
    test_arguments_that_are_no_json_or_too_much_are_the_callers_fault(tmp_path, deep)


def test_where_nobody_listens_there_are_no_tools(tmp_path: Path) -> None:
    async def talk(_: Host) -> None:
        tools = HostTools(SocketReach(tmp_path / "nobody"), opening("a"))
        seen = await tools.call("execute_query", {})
        assert (seen.is_error, seen.error_kind) == (True, "unavailable")
        assert str(tmp_path) not in seen.text
        with pytest.raises(ToolError) as caught:
            await tools.list()
        assert caught.value.kind == "unavailable"

    _host(tmp_path, talk)


def test_a_host_that_breaks_off_each_opening_is_given_up(tmp_path: Path) -> None:
    class Dropping:
        def __init__(self) -> None:
            self.tries = 0

        async def connect(self) -> Link:
            self.tries += 1
            link = await Link.to(tmp_path / "socket")
            assert link._transport is not None
            link._transport.write(b"\xff" * 12)
            return link

    async def talk(host: Host) -> None:
        reach = Dropping()
        seen = await HostTools(reach, opening("a")).call("execute_query", {})
        assert seen.error_kind == "unavailable"
        assert reach.tries == 3

    _host(tmp_path, talk)


def test_a_database_that_cannot_be_opened_is_told_to_the_server_and_not_to_the_agent(
    tmp_path: Path,
) -> None:
    async def talk(host: Host) -> None:
        async def fail(_: Opening) -> Notebook:
            raise DatabaseError("there is no database at /home/somebody/secret.duckdb")

        host.book._make = fail
        tools = HostTools(host.reach, opening("a"))
        with pytest.raises(DatabaseError, match=r"/home/somebody/secret\.duckdb"):
            await tools.list()
        seen = await tools.call("execute_query", {})
        assert seen.error_kind == "unavailable"
        assert "/home" not in seen.text

    _host(tmp_path, talk)


def test_eight_sessions_at_once_each_meet_their_own(tmp_path: Path) -> None:
    async def explore(host: Host, key: str) -> None:
        tools = HostTools(host.reach, opening(key))
        for number in range(30):
            seen = await tools.call("execute_code", {"set": {"me": key, "n": number}})
            assert seen.data is not None
            assert seen.data["variables"] == {"me": key, "n": number}
        await tools.close()

    async def talk(host: Host) -> None:
        await asyncio.gather(*(explore(host, str(number)) for number in range(8)))
        assert len(host.made) == 8
        assert all(tools.closed for tools in host.made)
        assert len(host.book) == 0

    _host(tmp_path, talk)


def test_one_session_answers_several_calls_at_once(tmp_path: Path) -> None:
    async def talk(host: Host) -> None:
        tools = HostTools(host.reach, opening("a"))
        calls = [asyncio.create_task(tools.call("execute_query", {"wait": True})) for _ in range(9)]
        await until(lambda: bool(host.made) and len(host.made[0].begun) == 9)
        assert len(host.made) == 1
        host.made[0].go_on.set()
        assert not any(seen.is_error for seen in await asyncio.gather(*calls))

    _host(tmp_path, talk)
