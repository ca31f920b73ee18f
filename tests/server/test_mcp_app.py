"""What a client sees of the server: hints, instructions, errors as errors, portable schemas."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent, Tool

from core.protocols import Observation
from server.instructions import MAX_INSTRUCTIONS
from server.mcp_app import instructions, make_app
from tests.server.support import TASK, ScriptedTools


async def _rows(arguments: Mapping[str, Any]) -> Observation:
    data = {"rows": [[1, "ä"]], "truncated": False}
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return Observation(text=text, data=data, accessed_fields=("t.a",))


async def _refused(arguments: Mapping[str, Any]) -> Observation:
    return Observation(text="division by zero", is_error=True, error_kind="python")


def _listed(**answers: Any) -> list[Tool]:
    async def talk() -> list[Tool]:
        async with Client(make_app(ScriptedTools(**answers), TASK)) as client:
            return (await client.list_tools()).tools

    return asyncio.run(talk())


def _called(mode: str, name: str) -> CallToolResult:
    async def talk() -> CallToolResult:
        app = make_app(ScriptedTools(execute_query=_rows, execute_code=_refused), TASK)
        async with Client(app, mode=mode) as client:
            return await client.call_tool(name, {})

    return asyncio.run(talk())


def test_every_tool_is_marked_read_only_and_always_loaded() -> None:
    for tool in _listed(execute_query=_rows, execute_code=_rows, own_tool=_rows):
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.annotations.open_world_hint is False
        assert tool.annotations.idempotent_hint is (tool.name != "execute_code")
        assert tool.meta == {"anthropic/alwaysLoad": True}


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_text_and_structure_say_the_same_in_both_eras(mode: str) -> None:
    said = _called(mode, "execute_query")
    (part,) = said.content
    assert isinstance(part, TextContent)
    assert json.loads(part.text) == said.structured_content
    assert part.text == '{"rows":[[1,"ä"]],"truncated":false}'
    assert not said.is_error
    assert said.meta is not None
    assert said.meta["ddr"]["accessed_fields"] == ["t.a"]


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
@pytest.mark.parametrize("name", ["execute_code", "no_such_tool"])
def test_errors_are_error_results_in_both_eras(mode: str, name: str) -> None:
    """F18: an error never looks like a success, nor like a fault of the protocol."""
    said = _called(mode, name)
    assert said.is_error is True
    assert said.meta is not None
    assert said.meta["ddr"]["error_kind"] in ("python", "unknown_tool")


def test_instructions_begin_with_the_task_and_stay_within_what_clients_show() -> None:
    assert instructions(TASK).startswith("Analyse carrier 01.\n")
    assert "no question" in instructions(TASK)
    assert len(instructions(TASK)) < MAX_INSTRUCTIONS
    endless = TASK.model_copy(update={"text": "x" * 5000})
    assert len(instructions(endless)) < MAX_INSTRUCTIONS


@pytest.mark.parametrize("mode", ["2026-07-28", "legacy"])
def test_a_client_gets_the_instructions_and_the_servers_name(mode: str) -> None:
    async def talk() -> None:
        async with Client(make_app(ScriptedTools(a=_rows), TASK), mode=mode) as client:
            if mode == "legacy":
                assert client.server_info is not None
                assert client.server_info.name == "ddr"
                assert client.instructions == instructions(TASK)

    asyncio.run(talk())
