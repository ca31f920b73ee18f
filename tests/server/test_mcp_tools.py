"""The real tools as a client meets them: portable schemas, honest errors, replies that fit."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from mcp import Client
from mcp.types import CallToolResult, TextContent, Tool

from core.protocols import SandboxFactory
from core.scenario import ToolName
from server.mcp_app import make_app
from tests.server.support import TASK
from tests.tools.support import open_tools
from tools.python.sandbox import BubblewrapSandbox, sandbox_available

PORTABLE = {"type", "properties", "required", "description", "enum", "items"}
NAMES: tuple[ToolName, ...] = (
    "get_database_info",
    "describe_table",
    "execute_query",
    "execute_code",
)
Call = tuple[str, dict[str, Any]]


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """The field cases' table, and a very wide one beside it."""
    path = tmp_path / "visits.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT range AS id, range % 7 AS patient, "
            "range * 0.5 AS dose, 'note ' || range AS note FROM range(1, 1151)"
        )
        columns = ", ".join(f"{n} AS measurement_of_the_day_number_{n}" for n in range(400))
        connection.execute(f"CREATE TABLE wide AS SELECT {columns}")
    return path


def _sandbox() -> SandboxFactory | None:
    return BubblewrapSandbox() if sandbox_available().name != "off" else None


def _talk(database: Path, *calls: Call) -> tuple[list[Tool], list[CallToolResult]]:
    async def talk() -> tuple[list[Tool], list[CallToolResult]]:
        async with (
            open_tools(database, names=NAMES, sandbox=_sandbox()) as tools,
            Client(make_app(tools, TASK)) as client,
        ):
            listed = (await client.list_tools()).tools
            return listed, [await client.call_tool(name, given) for name, given in calls]

    return asyncio.run(talk())


def _text(said: CallToolResult) -> str:
    (part,) = said.content
    assert isinstance(part, TextContent)
    return part.text


def _schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from _schemas(inner)
    if "items" in schema:
        yield from _schemas(schema["items"])


def test_every_input_schema_is_one_that_every_provider_takes(visits: Path) -> None:
    """F25: no unions, references, bounds or type arrays; what they would say stands in words."""
    listed, _ = _talk(visits)
    assert {"execute_query", "describe_table", "get_database_info"} <= {t.name for t in listed}
    for tool in listed:
        assert tool.description
        for schema in _schemas(tool.input_schema):
            assert set(schema) <= PORTABLE, tool.name
            assert isinstance(schema["type"], str)


def test_text_is_the_compact_json_of_the_structure_for_every_tool(visits: Path) -> None:
    calls: list[Call] = [
        ("get_database_info", {}),
        ("describe_table", {"table_name": "visits"}),
        ("execute_query", {"query": "SELECT * FROM visits"}),
    ]
    if _sandbox() is not None:
        calls.append(("execute_code", {"code": "print(1)"}))
    _, said = _talk(visits, *calls)
    for result in said:
        assert result.is_error is not True, _text(result)
        assert json.loads(_text(result)) == result.structured_content
        assert _text(result) == json.dumps(
            result.structured_content, ensure_ascii=False, separators=(",", ":")
        )


def test_a_wrong_column_is_an_error_result_that_names_the_right_ones(visits: Path) -> None:
    """F18: never an error that looks like a success."""
    _, (sql, unknown) = _talk(
        visits, ("execute_query", {"query": "SELECT nope FROM visits"}), ("sql", {"query": "1"})
    )
    assert sql.is_error is True
    assert "dose" in _text(sql)
    assert unknown.is_error is True
    assert "execute_query" in _text(unknown)


def test_failing_python_is_an_error_result(visits: Path) -> None:
    """F18, the other hand."""
    if _sandbox() is None:
        pytest.skip(f"no Python sandbox here: {sandbox_available().detail}")
    _, (said,) = _talk(visits, ("execute_code", {"code": "1/0"}))
    assert said.is_error is True
    assert "ZeroDivisionError" in _text(said)


@pytest.mark.parametrize(
    "call",
    [
        ("describe_table", {"table_name": "wide"}),
        ("execute_query", {"query": "SELECT * FROM visits"}),
        ("execute_query", {"query": "SELECT * FROM visits", "limit": 200}),
        ("execute_query", {"query": "SELECT repeat('x', 100000)"}),
    ],
)
def test_a_reply_fits_into_what_clients_show_and_says_that_it_is_cut(
    visits: Path, call: Call
) -> None:
    """F24: under 10 000 tokens whatever is asked for."""
    _, (said,) = _talk(visits, call)
    assert said.is_error is not True
    assert len(_text(said)) <= 10_000
    assert "truncat" in _text(said) or "cut" in _text(said)


def test_paging_reaches_the_rows_that_one_reply_leaves_out(visits: Path) -> None:
    query = "SELECT id FROM visits ORDER BY id"
    _, (said,) = _talk(visits, ("execute_query", {"query": query, "offset": 1145}))
    assert said.structured_content is not None
    assert said.structured_content["rows"] == [[n] for n in range(1146, 1151)]
