"""The seven tools over an in-memory client: how they are listed, told of and answered."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS
from mcp.types import Tool as ListedTool

from core.errors import ScenarioError
from databases.catalog import InstalledScenario
from server.desk import Desk
from server.desks import opened
from server.enrolment import enrol
from server.mcp_app.outside import SCHEMA, OutsideServer
from server.mcp_app.schemas import output_schema
from server.settings import Settings
from server.store import open_store
from tests.support.mcp_http import ERAS, Era
from tools.limits import ToolLimits

TOOLS = {
    *("get_task", "get_database_info", "describe_table", "execute_query", "execute_code"),
    *("submit_insight", "finish"),
}
WORDS = {"type", "properties", "required", "description", "items", "enum"}
"""What every provider takes in a schema (F25)."""

Scene = Callable[[Client], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def play(own_flights_home: Path, flights: InstalledScenario) -> Play:
    """Play a scene with a client at a fresh seat."""

    async def playing(scene: Scene, era: Era, **options: Any) -> None:
        settings = Settings(own_flights_home)
        with open_store(settings.store_path) as store:
            now = datetime.now(UTC)
            made = enrol(flights, store, agent="mine", now=now, entities=["03"], trials=1)
            async with opened(settings, store) as desks:

                async def find(_request: object) -> Desk | None:
                    return await desks.at(made.seats[0].seat.path)

                async with Client(OutsideServer(find, **options), mode=era) as client:
                    await scene(client)

    return lambda scene, era="auto", **options: asyncio.run(playing(scene, era, **options))


def words(schema: Any) -> Iterator[str]:
    """The words of JSON Schema that a schema is made of."""
    for word, value in schema.items():
        yield word
        if word == "properties":
            for inner in value.values():
                yield from words(inner)
        elif word == "items":
            yield from words(value)
        elif word == "anyOf":
            for inner in value:
                yield from words(inner)


@pytest.mark.real
@pytest.mark.parametrize("era", ERAS)
def test_the_tools_are_listed_as_clients_and_providers_need_them(era: Era, play: Play) -> None:
    async def scene(client: Client) -> None:
        tools: dict[str, ListedTool] = {t.name: t for t in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        for tool in tools.values():
            assert set(words(tool.input_schema)) <= WORDS, tool.name
            assert set(words(tool.output_schema)) <= WORDS | {"anyOf"}, tool.name
            assert (tool.output_schema or {})["required"] == ["turn"]
            assert tool.title
            assert tool.description
            meta = tool.meta or {}
            assert meta["anthropic/alwaysLoad"] is True
            assert meta["anthropic/maxResultSizeChars"] > ToolLimits().max_reply_chars
        hints = {name: tool.annotations for name, tool in tools.items()}
        assert {name for name, a in hints.items() if a and not a.read_only_hint} == {
            *("submit_insight", "finish")
        }
        assert {name for name, a in hints.items() if a and not a.idempotent_hint} == {
            "execute_code"
        }
        assert not any(a is None or a.destructive_hint or a.open_world_hint for a in hints.values())

    play(scene, era)


@pytest.mark.real
def test_every_field_of_an_answer_is_in_its_schema(play: Play) -> None:
    async def scene(client: Client) -> None:
        asked: list[tuple[str, dict[str, Any]]] = [
            ("get_task", {}),
            ("get_database_info", {}),
            ("describe_table", {"table_name": "flights"}),
            ("execute_query", {"query": "SELECT NULL AS n", "offset": 0}),
            ("execute_code", {"code": "1 + 1"}),
            ("execute_code", {"output_offset": 0}),
            ("submit_insight", {"text": "So it is."}),
            ("finish", {"report": "All."}),
        ]
        for name, arguments in asked:
            seen = await client.call_tool(name, arguments)
            assert not seen.is_error, seen.content
            schema = output_schema(name)
            assert schema is not None
            # The task names its entity by the scenario's own word.
            told = set(seen.structured_content or {}) - {"carrier"}
            assert told <= set(schema["properties"]), name

    play(scene)


SLOW = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7"


@pytest.mark.real
@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_takes_long_tells_of_its_progress(era: Era, play: Play) -> None:
    async def scene(client: Client) -> None:
        told: list[str] = []
        heard = asyncio.Event()

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            told.append(str(message))
            heard.set()

        asking = asyncio.create_task(
            client.call_tool("execute_query", {"query": SLOW}, progress_callback=hear)
        )
        await asyncio.wait_for(heard.wait(), 30)
        asking.cancel()
        assert told[0].startswith("execute_query goes on")
        seen = await client.call_tool("execute_query", {"query": "SELECT 1"})
        assert not seen.is_error

    play(scene, era, progress_s=0.05)


@pytest.mark.real
@pytest.mark.parametrize("era", ERAS)
def test_the_schema_is_a_resource_and_the_task_a_prompt(era: Era, play: Play) -> None:
    async def scene(client: Client) -> None:
        (resource,) = (await client.list_resources()).resources
        assert str(resource.uri) == SCHEMA
        read: Any = (await client.read_resource(SCHEMA)).contents[0]
        assert "flights" in {table["name"] for table in json.loads(read.text)["tables"]}
        (prompt,) = (await client.list_prompts()).prompts
        got: Any = await client.get_prompt(prompt.name)
        assert got.messages[0].content.text == client.instructions
        for asking in (
            client.read_resource("ddr://other"),
            client.get_prompt("other"),
            client.get_prompt("start", {"x": "y"}),
        ):
            with pytest.raises(MCPError) as refused:
                await asking
            assert refused.value.code == INVALID_PARAMS
        assert not (await client.call_tool("get_task", {})).structured_content["turn"]

    play(scene, era)


@pytest.mark.real
@pytest.mark.parametrize("images", [True, False])
def test_figures_come_as_pictures_unless_they_are_not_wanted(images: bool, play: Play) -> None:
    async def scene(client: Client) -> None:
        code = "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()"
        seen: Any = await client.call_tool("execute_code", {"code": code})
        if "Python" in str(seen.content[0].text) and seen.is_error:
            raise AssertionError(seen.content[0].text)
        pictures = [one for one in seen.content if one.type == "image"]
        assert len(pictures) == int(images)
        for one in pictures:
            assert base64.b64decode(one.data).startswith(b"\x89PNG")

    play(scene, images=images)


@pytest.mark.parametrize("era", ERAS)
def test_a_seat_that_cannot_be_opened_is_a_protocol_error_without_a_path(era: Era) -> None:
    async def find(_request: object) -> Desk | None:
        raise ScenarioError("the database /home/me/flights.duckdb has changed")

    async def asking() -> None:
        async with Client(OutsideServer(find), mode=era) as client:
            await client.list_tools()

    with pytest.raises((MCPError, ExceptionGroup)) as refused:
        asyncio.run(asking())
    errors: list[BaseException] = [refused.value]
    while isinstance(errors[-1], BaseExceptionGroup):
        errors.append(errors[-1].exceptions[0])
    assert isinstance(errors[-1], MCPError)
    assert errors[-1].code == INTERNAL_ERROR
    assert "/home/me" not in str(errors[-1])


def test_where_nobody_sits_there_is_nothing() -> None:
    async def find(_request: object) -> Desk | None:
        return None

    async def asking() -> None:
        async with Client(OutsideServer(find)) as client:
            assert (await client.list_tools()).tools == []
            assert (await client.list_resources()).resources == []
            assert (await client.list_prompts()).prompts == []
            assert (await client.call_tool("execute_query", {"query": "SELECT 1"})).is_error

    asyncio.run(asking())
