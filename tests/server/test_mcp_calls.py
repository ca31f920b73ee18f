"""A call on its way: pictures where they are asked for, progress while it lasts, an end when it is cancelled."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.types import CallToolResult, ImageContent, TextContent

from agent.session import ToolUnavailableError, connect
from core.errors import DatabaseError, ToolError
from core.protocols import Observation
from server.mcp_app import ToolServer, make_app
from tests.server.support import TASK, ScriptedTools

PNG = b"\x89PNG\r\n\x1a\n and so on"
MODES = pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])


async def _drawn(arguments: Mapping[str, Any]) -> Observation:
    data = {"value": None, "figures": 2}
    return Observation(text=json.dumps(data), data=data, images=(PNG, PNG[:8]))


def _called(app: ToolServer, name: str, mode: str = "legacy") -> CallToolResult:
    async def talk() -> CallToolResult:
        async with Client(app, mode=mode) as client:
            return await client.call_tool(name, {})

    return asyncio.run(talk())


@MODES
def test_a_figure_is_a_picture_beside_the_text_for_who_asked_for_pictures(mode: str) -> None:
    app = make_app(ScriptedTools(execute_code=_drawn), TASK, images=True)
    text, *pictures = _called(app, "execute_code", mode).content
    assert isinstance(text, TextContent)
    assert [type(picture) for picture in pictures] == [ImageContent, ImageContent]
    for picture, expected in zip(pictures, (PNG, PNG[:8]), strict=True):
        assert isinstance(picture, ImageContent)
        assert picture.mime_type == "image/png"
        assert base64.b64decode(picture.data) == expected


@MODES
def test_who_asked_for_no_pictures_gets_the_text_alone(mode: str) -> None:
    said = _called(make_app(ScriptedTools(execute_code=_drawn), TASK), "execute_code", mode)
    (text,) = said.content
    assert isinstance(text, TextContent)
    assert json.loads(text.text)["figures"] == 2


class Slow:
    """A tool that goes on until it is told to end, or is cancelled."""

    def __init__(self) -> None:
        self.begun, self.go_on, self.cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def __call__(self, arguments: Mapping[str, Any]) -> Observation:
        self.begun.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return Observation(text="done")


async def _quick(arguments: Mapping[str, Any]) -> Observation:
    return Observation(text="quick")


def _bounded(talk: Callable[[], Awaitable[None]]) -> None:
    async def held() -> None:
        async with asyncio.timeout(30):
            await talk()

    asyncio.run(held())


@MODES
def test_a_client_that_asks_hears_that_its_call_goes_on(mode: str) -> None:
    """Some give up after a minute of silence."""

    async def talk() -> None:
        slow, heard = Slow(), asyncio.Queue[tuple[float, str | None]]()
        app = ToolServer(ScriptedTools(slow=slow), TASK, version="0", progress_s=0.01)

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            await heard.put((progress, message))

        async with Client(app, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("slow", {}, progress_callback=hear))
            first, second = await heard.get(), await heard.get()
            assert 0 < first[0] < second[0]
            assert first[1] is not None
            assert first[1].startswith("slow goes on")
            slow.go_on.set()
            said = await call
            assert not said.is_error
            while not heard.empty():
                heard.get_nowait()
            await client.call_tool("slow", {})
            assert heard.empty()

    _bounded(talk)


@MODES
def test_a_client_that_does_not_ask_hears_nothing_and_is_answered(mode: str) -> None:
    async def talk() -> None:
        slow = Slow()
        app = ToolServer(ScriptedTools(slow=slow), TASK, version="0", progress_s=0.001)
        async with Client(app, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("slow", {}))
            await slow.begun.wait()
            for _ in range(20):
                await asyncio.sleep(0.001)
            slow.go_on.set()
            assert not (await call).is_error

    _bounded(talk)


@MODES
def test_a_cancelled_call_is_stopped_and_the_next_one_answered(mode: str) -> None:
    """F23: the work stops with the client's patience."""

    async def talk() -> None:
        slow = Slow()
        app = make_app(ScriptedTools(slow=slow, quick=_quick), TASK)
        async with Client(app, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("slow", {}))
            await slow.begun.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await slow.cancelled.wait()
            assert not (await client.call_tool("quick", {})).is_error

    _bounded(talk)


class Gone(ScriptedTools):
    """Tools that cannot be had any more."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    async def list(self) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("error", "told", "kept"),
    [
        (ToolError("the tools are gone: why", kind="unavailable"), "the tools are gone: why", ""),
        (DatabaseError("no database at /srv/secret"), "the tools cannot be opened", "/srv"),
    ],
)
def test_tools_that_cannot_be_listed_are_an_error_that_names_no_path(
    error: Exception, told: str, kept: str
) -> None:
    async def talk() -> None:
        async with Client(make_app(Gone(error), TASK)) as client:
            with pytest.raises(MCPError, match=told) as caught:
                await client.list_tools()
            assert not kept or kept not in str(caught.value)
        with pytest.raises(ToolUnavailableError, match=told):
            async with connect(make_app(Gone(error), TASK)):
                raise AssertionError("there was a session")

    _bounded(talk)


def test_tools_that_are_gone_for_good_end_a_built_in_agents_exploration() -> None:
    async def gone(arguments: Mapping[str, Any]) -> Observation:
        return Observation(text="they are gone", is_error=True, error_kind="unavailable")

    async def broken_off(arguments: Mapping[str, Any]) -> Observation:
        return Observation(text="repeat it", is_error=True, error_kind="tool_host")

    async def talk() -> None:
        app = make_app(ScriptedTools(gone=gone, broken_off=broken_off), TASK)
        async with connect(app) as tools:
            seen = await tools.call("broken_off", {})
            assert (seen.is_error, seen.error_kind) == (True, "tool_host")
            with pytest.raises(ToolUnavailableError, match="they are gone"):
                await tools.call("gone", {})

    _bounded(talk)
