"""Over a real MCP session a failed call is an answer, and a lost server is a typed error."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import StdioServerParameters

from agent.session import ToolUnavailableError, connect
from core.protocols import Observation, Tools
from server.mcp_app import make_app
from tests.server.support import TASK, ScriptedTools

Mode = Literal["auto", "legacy"]
BOTH_ERAS: tuple[Mode, Mode] = ("auto", "legacy")


async def _rows(arguments: Mapping[str, Any]) -> Observation:
    return Observation(
        text='{"rows":[[1]]}',
        data={"rows": [[1]]},
        truncated=True,
        accessed_fields=("flights.carrier_id",),
        violations=("read_text",),
        duration_s=0.25,
    )


async def _refused(arguments: Mapping[str, Any]) -> Observation:
    return Observation(text="no column nope; columns: a, b", is_error=True, error_kind="sql")


async def _hang(arguments: Mapping[str, Any]) -> Observation:
    await asyncio.Event().wait()
    raise AssertionError


async def _broken(arguments: Mapping[str, Any]) -> Observation:
    raise RuntimeError("/srv/secret/path")


def _app(**answers: Any) -> Any:
    return make_app(ScriptedTools(**answers), TASK, version="1")


@pytest.mark.parametrize("mode", BOTH_ERAS)
def test_an_observation_comes_through_the_protocol_unchanged(mode: Mode) -> None:
    async def talk() -> Observation:
        async with connect(_app(execute_query=_rows), mode=mode) as tools:
            return await tools.call("execute_query", {"query": "SELECT 1"})

    assert asyncio.run(talk()) == asyncio.run(_rows({}))


@pytest.mark.parametrize("mode", BOTH_ERAS)
def test_a_failed_call_is_an_answer_with_its_kind_and_helpful_text(mode: Mode) -> None:
    async def talk() -> list[Observation]:
        async with connect(_app(execute_query=_refused), mode=mode) as tools:
            return [await tools.call("execute_query", {}), await tools.call("nothing", {})]

    refused, unknown = asyncio.run(talk())
    assert (refused.is_error, refused.error_kind) == (True, "sql")
    assert refused.text == "no column nope; columns: a, b"
    assert (unknown.is_error, unknown.error_kind) == (True, "unknown_tool")


def test_a_broken_tool_of_ours_is_an_error_that_leaks_nothing() -> None:
    async def talk() -> tuple[Observation, Observation]:
        async with connect(_app(a=_broken, b=_rows)) as tools:
            return await tools.call("a", {}), await tools.call("b", {})

    broken, after = asyncio.run(talk())
    assert (broken.is_error, broken.error_kind) == (True, "internal")
    assert "secret" not in broken.text
    assert not after.is_error


def test_the_session_implements_the_tools_protocol_and_lists_what_the_toolset_lists() -> None:
    async def talk() -> None:
        scripted = ScriptedTools(execute_query=_rows, describe_table=_rows)
        async with connect(make_app(scripted, TASK, version="1")) as tools:
            assert isinstance(tools, Tools)
            assert list(await tools.list()) == list(await scripted.list())

    asyncio.run(talk())


def test_a_tool_that_hangs_is_told_from_one_that_failed() -> None:
    async def talk() -> None:
        async with connect(_app(a=_hang), timeout_s=0.05) as tools:
            with pytest.raises(ToolUnavailableError, match=r"a did not answer within 0\.05 s"):
                await tools.call("a", {})

    asyncio.run(talk())


def test_a_server_without_tools_is_refused_before_an_agent_is_let_loose() -> None:
    async def talk() -> None:
        async with connect(_app()):
            raise AssertionError

    with pytest.raises(ToolUnavailableError, match="offers no tools"):
        asyncio.run(talk())


def test_a_command_that_cannot_be_started_is_unavailable_and_keeps_its_cause() -> None:
    async def talk() -> None:
        async with connect(StdioServerParameters(command="/nowhere/at/all")):
            raise AssertionError

    with pytest.raises(ToolUnavailableError, match="cannot be reached") as caught:
        asyncio.run(talk())
    assert caught.value.__cause__ is not None


def test_an_address_where_nobody_listens_is_unavailable() -> None:
    async def talk() -> None:
        async with connect("http://127.0.0.1:9/mcp", timeout_s=10):
            raise AssertionError

    with pytest.raises(ToolUnavailableError, match="cannot be reached"):
        asyncio.run(talk())


def test_arguments_that_are_no_json_are_refused_and_the_session_goes_on() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]

    async def talk() -> list[Observation]:
        async with connect(_app(a=_rows)) as tools:
            bad: list[Any] = [float("nan"), "\ud800", {1, 2}, deep]
            values = [*bad, "\x00é\U0001f6eb"]
            return [await tools.call("a", {"x": value}) for value in values]

    *refused, good = asyncio.run(talk())
    assert [(o.is_error, o.error_kind) for o in refused] == [(True, "arguments")] * 4
    assert not good.is_error


def test_an_agents_own_exception_passes_through_unwrapped() -> None:
    async def talk() -> None:
        async with connect(_app(a=_rows)):
            raise OSError("mine")

    with pytest.raises(OSError, match=r"^mine$"):
        asyncio.run(talk())


def test_the_client_says_who_it_is_and_what_was_agreed_on() -> None:
    async def talk(mode: Mode) -> str | None:
        async with connect(_app(a=_rows), mode=mode, name="ddr", version="7") as tools:
            assert (tools.client.name, tools.client.version) == ("ddr", "7")
            assert tools.instructions is not None
            return tools.client.protocol

    assert asyncio.run(talk("auto")) == "2026-07-28"
    assert asyncio.run(talk("legacy")) == "2025-11-25"


SERVER = """
import asyncio, os, sys
from collections.abc import Mapping
from server.mcp_app import make_app
from server.wire import claim_stdio
from tests.agent.test_session import _rows
from tests.server.support import TASK, ScriptedTools

wire = claim_stdio()

async def die(arguments):
    os._exit(9)

asyncio.run(make_app(ScriptedTools(a=_rows, die=die), TASK, version="1").serve(wire))
"""


@pytest.mark.real
def test_a_server_that_dies_in_mid_call_is_unavailable_then_and_later() -> None:
    root = str(Path(__file__).parents[2])

    async def talk() -> None:
        parameters = StdioServerParameters(
            command=sys.executable,
            args=["-c", SERVER],
            cwd=root,
            env={"PYTHONPATH": root, "PATH": os.environ["PATH"]},
        )
        async with connect(parameters, timeout_s=30) as tools:
            assert not (await tools.call("a", {})).is_error
            for name in ("die", "a"):
                with pytest.raises(ToolUnavailableError, match=f"{name} did not answer"):
                    await tools.call(name, {})

    asyncio.run(talk())
