"""How the tools are told of, and what is said of arguments that do not fit."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import ToolError
from tests.tools.support import ALL_TOOLS, Hand
from tools.limits import ToolLimits
from tools.specs import arguments_of, check_arguments, spec_of

LIMITS = ToolLimits()
SPECS = {name: spec_of(name, LIMITS) for name in ALL_TOOLS}
ALLOWED = {"type", "properties", "required", "description", "enum", "items"}


def keys(node: Any, *, names: bool = False) -> set[str]:
    """Every keyword of a schema; property names are no keywords."""
    if not isinstance(node, dict):
        return set()
    found = set() if names else set(node)
    for key, value in node.items():
        found |= keys(value, names=key == "properties" and not names)
    return found


@pytest.mark.parametrize("name", ALL_TOOLS)
def test_a_schema_uses_only_what_every_provider_takes(name: str) -> None:
    schema = SPECS[name].input_schema  # type: ignore[index]
    assert keys(schema) <= ALLOWED
    assert schema["type"] == "object"
    for argument in schema["properties"].values():
        assert isinstance(argument["type"], str)
        assert argument["description"]


def test_the_schemas_are_these() -> None:
    shape = {
        name: (
            {k: v["type"] for k, v in spec.input_schema["properties"].items()},
            spec.input_schema.get("required", []),
        )
        for name, spec in SPECS.items()
    }
    assert shape == {
        "get_database_info": ({"offset": "integer", "reply_chars": "integer"}, []),
        "describe_table": (
            {"table_name": "string", "offset": "integer", "reply_chars": "integer"},
            ["table_name"],
        ),
        "execute_query": (
            {
                "query": "string",
                "limit": "integer",
                "offset": "integer",
                "reply_chars": "integer",
            },
            ["query"],
        ),
        "execute_code": (
            {
                "code": "string",
                "timeout": "number",
                "reset": "boolean",
                "output_offset": "integer",
                "reply_chars": "integer",
            },
            [],
        ),
    }


def test_the_bounds_stand_in_the_texts_too() -> None:
    query = SPECS["execute_query"]
    assert "200" in query.description
    assert "30 s" in query.description
    assert "1 to 200; default 20" in query.input_schema["properties"]["limit"]["description"]
    assert (
        "at most 45" in SPECS["execute_code"].input_schema["properties"]["timeout"]["description"]
    )


def test_no_text_tells_of_the_host() -> None:
    for spec in SPECS.values():
        assert "/" not in spec.description.replace(" / ", "")


def check(tool: Any, **given: Any) -> dict[str, Any]:
    return check_arguments(arguments_of(tool, LIMITS), given, tool)


def complaint(tool: Any, **given: Any) -> str:
    with pytest.raises(ToolError) as caught:
        check(tool, **given)
    assert caught.value.kind == "arguments"
    return str(caught.value)


def test_numbers_are_taken_as_models_write_them() -> None:
    for written in (20, 20.0, "20", " 20 "):
        assert check("execute_query", query="SELECT 1", limit=written)["limit"] == 20
    assert check("execute_code", code="1", timeout="2.5")["timeout"] == 2.5


def test_truth_is_taken_as_models_write_it() -> None:
    for written, meant in ((True, True), ("true", True), ("False", False), (False, False)):
        assert check("execute_code", code="1", reset=written)["reset"] is meant


def test_none_means_not_given() -> None:
    assert check("execute_query", query="SELECT 1", limit=None) == {"query": "SELECT 1"}


def test_what_clients_add_on_their_own_is_ignored() -> None:
    assert check("get_database_info", wait_for_previous=True) == {}


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("execute_query", {}, "needs 'query'"),
        ("execute_query", {"query": None}, "needs 'query'"),
        ("execute_query", {"query": 7}, "'query' must be a string"),
        ("execute_query", {"query": ["SELECT 1"]}, "must be a string"),
        ("execute_query", {"query": "  "}, "'query' is empty"),
        ("execute_query", {"query": "SELECT 1\0; DROP"}, "NUL"),
        ("execute_query", {"query": "x" * 50_001}, "at most 50000"),
        ("execute_query", {"query": "SELECT '\ud800'"}, "surrogate"),
        ("execute_query", {"query": "SELECT 1", "limit": 0}, "at least 1"),
        ("execute_query", {"query": "SELECT 1", "limit": -5}, "at least 1"),
        ("execute_query", {"query": "SELECT 1", "limit": 1.5}, "must be an integer"),
        ("execute_query", {"query": "SELECT 1", "limit": True}, "must be an integer"),
        ("execute_query", {"query": "SELECT 1", "limit": "many"}, "must be an integer"),
        ("execute_query", {"query": "SELECT 1", "limit": 10**400}, "must be an integer"),
        ("execute_query", {"query": "SELECT 1", "limit": float("nan")}, "must be an integer"),
        ("execute_query", {"query": "SELECT 1", "offset": -1}, "at least 0"),
        ("execute_query", {"sql": "SELECT 1"}, "does not take 'sql'; it takes query, limit"),
        ("get_database_info", {"x": 1}, "it takes offset, reply_chars"),
        ("execute_query", {"query": "SELECT 1", "reply_chars": 10}, "at least 1000"),
        ("describe_table", {}, "needs 'table_name'"),
        ("describe_table", {"table_name": "x" * 301}, "at most 300"),
        ("execute_code", {"code": "1", "timeout": 0}, "at least 0.1"),
        ("execute_code", {"code": "1", "reset": "maybe"}, "must be true or false"),
        ("execute_code", {"output_offset": -1}, "at least 0"),
        ("execute_code", {"code": "1", "timeout": "soon"}, "must be a number"),
        ("execute_code", {"code": "#" * 20_001}, "at most 20000"),
    ],
)
def test_arguments_at_fault_are_named(tool: str, given: dict[str, Any], said: str) -> None:
    assert said in complaint(tool, **given)


def test_a_call_with_bad_arguments_is_an_observation(hand: Hand) -> None:
    seen = hand.call("execute_query", sql="SELECT 1")
    assert seen.is_error
    assert seen.error_kind == "arguments"
    seen = hand.sql("SELECT 1", offset=10_000_000)
    assert seen.error_kind == "arguments"
    assert "at most 1000000" in seen.text


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        ("duckdb", "in DuckDB's dialect (also WITH, FROM t, SUMMARIZE,"),
        ("sqlite", "in SQLite's dialect"),
        ("postgresql", "in PostgreSQL's dialect"),
        ("a-plug-in", "in the dialect that get_database_info names"),
    ],
)
def test_an_agent_is_told_the_sql_that_its_database_speaks(engine: str, says: str) -> None:
    assert says in spec_of("execute_query", LIMITS, engine).description
