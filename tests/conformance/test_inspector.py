"""The inspector finds no fault with our tools' schemas, and calls them in either era of the protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from databases.catalog import open_scenario
from server.enrolment import enrol
from tests.conformance.inspector import TOOL_FAILED, UNPORTABLE, Seen, inspect
from tests.e2e.processes import Home
from tests.support.needs import needs
from tests.support.pages import ROOT
from tests.support.serving import serving

pytestmark = [pytest.mark.real, needs("npm", "user namespaces")]

ERAS = ("legacy", "modern", "auto")

FAULTY = """
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.types import ListToolsResult, Tool
import anyio

SCHEMA = {"type": "object", "properties": {"rows": {"type": "array", "items": {}}, "way": {"$ref": "#/nowhere"}}}

async def tools(context, params):
    return ListToolsResult(tools=[Tool(name="faulty", description="Takes rows.", input_schema=SCHEMA)])

async def main():
    server = Server("faulty", on_list_tools=tools)
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())

anyio.run(main)
"""


def _over_stdio(folder: Path, *command: str, **environ: str) -> tuple[str, ...]:
    """How the inspector is told to start a server: its own options would swallow the command's."""
    entry = {"type": "stdio", "command": command[0], "args": command[1:], "env": environ}
    path = folder / "servers.json"
    path.write_text(json.dumps({"mcpServers": {"it": entry}}), encoding="utf-8")
    return ("--config", str(path), "--server", "it")


@dataclass(frozen=True)
class Place:
    """A seat at a server that runs."""

    url: str
    token: str

    def ask(self, *what: str, era: str = "modern") -> Seen:
        return inspect(self.url, "--protocol-era", era, *what, token=self.token)

    def call(self, tool: str, era: str = "modern", **arguments: str) -> Seen:
        told = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return self.ask("--method", "tools/call", *told, era=era)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Iterator[Place]:
    home = Home(tmp_path_factory.mktemp("inspected"), flights_home)
    with home.store() as store:
        flights = open_scenario("flights", home.path)
        (seat,) = enrol(
            flights, store, agent="inspector", now=datetime.now(UTC), entities="03", trials=1
        ).seats
    with serving(home.path, workers=2) as server:
        yield Place(seat.url(server.url), seat.token)


@pytest.mark.parametrize("era", ERAS)
def test_it_finds_no_fault_with_the_tools_of_a_seat(era: str, place: Place) -> None:
    seen = place.ask("--method", "tools/list", "--strict", era=era)
    assert seen.code == 0, seen.said
    assert seen.findings == [], seen.said
    assert {tool["name"] for tool in seen.result["tools"]} == {
        *("get_task", "get_database_info", "describe_table", "execute_query", "execute_code"),
        *("submit_insight", "finish"),
    }


@pytest.mark.parametrize("era", ERAS)
def test_it_calls_tools_and_is_told_of_errors(era: str, place: Place) -> None:
    task = place.call("get_task", era)
    assert task.code == 0, task.said
    assert json.loads(task.result["content"][0]["text"]) == task.result["structuredContent"]
    refused = place.call("execute_query", era, query="SELECT nothing FROM flights")
    assert refused.code == TOOL_FAILED, refused.said
    assert refused.result["isError"]


def test_it_reads_the_schema_and_the_prompt(place: Place) -> None:
    (listed,) = place.ask("--method", "resources/list").result["resources"]
    read = place.ask("--method", "resources/read", "--uri", listed["uri"]).result["contents"][0]
    assert "flights" in {table["name"] for table in json.loads(read["text"])["tables"]}
    (prompt,) = place.ask("--method", "prompts/list").result["prompts"]
    got = place.ask("--method", "prompts/get", "--prompt-name", prompt["name"])
    assert got.result["messages"][0]["role"] == "user", got.said


def test_without_the_token_it_is_let_in_nowhere(place: Place) -> None:
    seen = inspect(place.url, "--method", "tools/list", token="of-another")
    assert seen.code not in (0, TOOL_FAILED), seen.said
    assert "tools" not in seen.envelope.get("result", {})


def test_what_the_suite_needs_is_not_there_unless_asked_for(place: Place) -> None:
    beside = f"{place.url.partition('/r/')[0]}/conformance/mcp"
    assert httpx.post(beside, json={}).status_code == httpx.codes.NOT_FOUND
    tools = place.ask("--method", "tools/list").result["tools"]
    assert not any(tool["name"].startswith("test_") for tool in tools)


def test_a_schema_that_providers_refuse_would_be_found(tmp_path: Path) -> None:
    script = tmp_path / "faulty.py"
    script.write_text(FAULTY, encoding="utf-8")
    target = _over_stdio(tmp_path, sys.executable, str(script))
    seen = inspect(*target, "--method", "tools/list", "--strict")
    assert seen.findings, seen.said
    assert seen.code in (0, UNPORTABLE), seen.said


def test_over_stdio_it_finds_no_fault(tmp_path: Path, own_flights_home: Path) -> None:
    command = (sys.executable, "-m", "server.cli.main", "serve", "--scenario", "flights")
    target = _over_stdio(
        tmp_path,
        *command,
        "--entity",
        "03",
        "--quiet",
        DDR_HOME=str(own_flights_home),
        PYTHONPATH=str(ROOT),
    )
    seen = inspect(*target, "--method", "tools/list", "--strict")
    assert seen.code == 0, seen.said
    assert seen.findings == [], seen.said
    assert len(seen.result["tools"]) == 7
