"""The suite's tools stand beside the server's own: both are listed, and each name reaches its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import pytest
from mcp import Client
from mcp.server import MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    BlobResourceContents,
    CallToolResult,
    TextContent,
    TextResourceContents,
)

from core.protocols import Observation
from server.mcp_app.exploring import ToolServer
from server.mcp_app.fixtures import SCHEME, Fixtures
from tests.server.support import TASK, ScriptedTools

T = TypeVar("T")
MODES = ("2026-07-28", "legacy")


class Server(Fixtures, ToolServer):
    """Our server for one entity, with the suite's things beside."""


async def _echo(arguments: Mapping[str, Any]) -> Observation:
    text = json.dumps(dict(arguments))
    return Observation(text=text, data=dict(arguments))


def talk(use: Callable[[Client], Awaitable[T]], mode: str = MODES[0], **options: Any) -> T:
    async def go() -> T:
        server = Server(ScriptedTools(execute_query=_echo), TASK, version="1")
        own = MCPServer.resource(server, "ddr://schema", name="schema", description="Tables.")
        own(lambda: "flights")
        async with Client(server, mode=mode, **options) as client:
            return await use(client)

    return asyncio.run(go())


def _called(name: str, mode: str = MODES[0], **arguments: Any) -> CallToolResult:
    return talk(lambda client: client.call_tool(name, arguments), mode)


@pytest.mark.parametrize("mode", MODES)
def test_the_servers_own_are_listed_first_and_all_are_described(mode: str) -> None:
    async def lists(client: Client) -> list[list[tuple[str, str | None]]]:
        tools = (await client.list_tools()).tools
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        prompts = (await client.list_prompts()).prompts
        return [
            [(tool.name, tool.description) for tool in tools],
            [(str(resource.uri), resource.description) for resource in resources],
            [(template.uri_template, template.description) for template in templates],
            [(prompt.name, prompt.description) for prompt in prompts],
        ]

    tools, resources, templates, prompts = talk(lists, mode)
    assert tools[0][0] == "execute_query"
    assert all(name.startswith("test_") for name, _ in (*tools[1:], *prompts))
    assert resources[0][0] == "ddr://schema"
    assert all(uri.startswith(SCHEME) for uri, _ in (*resources[1:], *templates))
    assert all(said for _, said in (*tools, *resources, *templates, *prompts))
    assert (len(tools), len(resources), len(templates), len(prompts)) == (8, 3, 1, 2)


@pytest.mark.parametrize("mode", MODES)
def test_the_servers_own_are_answered_as_without(mode: str) -> None:
    assert _called("execute_query", mode, query="SELECT 1").structured_content == {
        "query": "SELECT 1"
    }
    assert _called("test_of_nothing", mode).is_error
    read = talk(lambda client: client.read_resource("ddr://schema"), mode).contents[0]
    assert isinstance(read, TextResourceContents)
    assert read.text == "flights"


@pytest.mark.parametrize("mode", MODES)
def test_each_kind_of_content_is_what_its_name_says(mode: str) -> None:
    kinds = {
        "test_simple_text": ["text"],
        "test_image_content": ["image"],
        "test_embedded_resource": ["resource"],
        "test_multiple_content_types": ["text", "image", "resource"],
    }
    for name, expected in kinds.items():
        said = _called(name, mode)
        assert [part.type for part in said.content] == expected
        assert not said.is_error


def test_a_failing_tool_is_a_result_and_not_a_protocol_error() -> None:
    said = _called("test_error_handling")
    (part,) = said.content
    assert said.is_error
    assert isinstance(part, TextContent)
    assert "fails each time" in part.text


@pytest.mark.parametrize("mode", MODES)
def test_progress_is_told_in_order(mode: str) -> None:
    told: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async def call(client: Client) -> CallToolResult:
        return await client.call_tool("test_tool_with_progress", {}, progress_callback=hear)

    assert not talk(call, mode).is_error
    assert told == [(0, 100), (50, 100), (100, 100)]


def test_a_client_without_sampling_is_told_what_it_lacks() -> None:
    async def refused(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("test_missing_capability", {})
        return caught.value

    error = talk(refused).error
    assert error.code == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert error.data == {"requiredCapabilities": {"sampling": {}}}


def test_resources_are_read_by_address_and_template() -> None:
    async def read(client: Client) -> list[Any]:
        names = ("static-text", "static-binary", "template/17/data")
        return [(await client.read_resource(SCHEME + name)).contents[0] for name in names]

    text, picture, data = talk(read)
    assert text.mime_type == "text/plain"
    assert isinstance(picture, BlobResourceContents)
    assert picture.mime_type == "image/png"
    assert json.loads(data.text) == {"id": "17"}


def test_prompts_take_their_arguments() -> None:
    async def get(client: Client) -> str:
        said = await client.get_prompt("test_prompt_with_arguments", {"arg1": "one", "arg2": "two"})
        (message,) = said.messages
        assert isinstance(message.content, TextContent)
        return message.content.text

    assert talk(get) == "The first is one, the second is two."
