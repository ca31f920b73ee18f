"""A set of tools as a whole: what it offers, how it fails, how it ends."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any, cast

import pytest

from core.errors import UnknownNameError
from core.protocols import Tools
from tests.tools.support import SQL_TOOLS, Hand, open_tools, pool_of, strict
from tools.limits import ToolLimits
from tools.toolset import ToolSet


def test_it_is_what_agents_call_tools(hand: Hand) -> None:
    assert isinstance(hand.tools, Tools)
    assert [spec.name for spec in hand.list()] == list(SQL_TOOLS)


def test_only_the_named_tools_are_offered(visits: Path) -> None:
    with Hand(visits, ["execute_query"]) as hand:
        assert [spec.name for spec in hand.list()] == ["execute_query"]
        seen = hand.call("describe_table", table_name="visits")
        assert seen.error_kind == "unknown_tool"
        assert "tools: execute_query" in seen.text


@pytest.mark.parametrize("name", ["sql", "", "Execute_Query", "__init__", "close"])
def test_an_unknown_tool_lists_those_that_exist(hand: Hand, name: str) -> None:
    seen = hand.call(name, anything=1)
    assert seen.is_error
    assert seen.error_kind == "unknown_tool"
    assert "get_database_info, describe_table, execute_query" in seen.text


def test_what_is_sent_on_is_told_with_its_data_in_the_text(hand: Hand) -> None:
    for name, given in (
        ("execute_query", {"query": "SELECT 1 AS a, 'é' AS b"}),
        ("describe_table", {"table_name": "visits"}),
        ("get_database_info", {}),
    ):
        told = hand.runner.run(hand.tools.tell(name, given))
        called = hand.runner.run(hand.tools.call(name, given))
        assert told.data is None
        assert strict(told.text) == called.data
        assert told.model_copy(update={"data": called.data, "duration_s": 0}) == (
            called.model_copy(update={"duration_s": 0})
        )
    told = hand.runner.run(hand.tools.tell("execute_query", {"query": "SELECT nothing"}))
    assert told.is_error
    assert told.data == strict(told.text)


def test_a_misspelt_tool_name_is_refused_at_the_start(visits: Path) -> None:
    with pytest.raises(UnknownNameError, match="execute_sql"):
        ToolSet(pool_of(visits), names=[cast("Any", "execute_sql")], sandbox=None, session="s")


def test_a_fault_of_ours_never_poses_as_the_tools_output(
    visits: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: object, **more: object) -> object:
        raise RuntimeError("a secret detail of the server")

    with Hand(visits) as hand:
        monkeypatch.setattr(hand.tools._sql, "rows", broken)
        with caplog.at_level(logging.CRITICAL, logger="tools.toolset"):
            seen = hand.sql("SELECT 1")
        assert seen.error_kind == "internal"
        assert "secret" not in seen.text
        assert "your call was not at fault" in seen.text
        monkeypatch.undo()
        assert hand.rows("SELECT 1") == [[1]]


def test_every_call_says_how_long_it_took(hand: Hand) -> None:
    assert hand.sql("SELECT 1").duration_s > 0
    assert hand.call("nothing").duration_s > 0


def test_limits_are_settable(visits: Path) -> None:
    limits = ToolLimits(default_rows=3, max_rows=5, cell_chars=10, reply_chars=2000)
    with Hand(visits, limits=limits) as hand:
        seen = hand.sql("SELECT repeat('x', 50) FROM visits")
        assert seen.data is not None
        assert seen.data["row_count"] == 3
        assert seen.data["rows"][0][0].startswith("xxxxxxxxxx…")
        described = {spec.name: spec for spec in hand.list()}["execute_query"]
        assert "at most 3 rows" in described.description
        assert "up to 5" in described.description


def test_after_the_end_every_call_is_an_error(visits: Path) -> None:
    async def afterwards() -> Any:
        async with open_tools(visits) as tools:
            await tools.close()
            return await tools.call("execute_query", {"query": "SELECT 1"})

    seen = asyncio.run(afterwards())
    assert seen.is_error
    assert "closed" in seen.text


def test_the_end_interrupts_what_still_runs(visits: Path) -> None:
    endless = (
        "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range = b.range + 1"
    )

    async def leave() -> Any:
        async with open_tools(visits) as tools:
            call = asyncio.create_task(tools.call("execute_query", {"query": endless}))
            await asyncio.sleep(0)
            await tools.close()
            return await call

    assert asyncio.run(leave()).error_kind == "cancelled"


def test_the_database_can_be_opened_for_writing_once_all_is_closed(tmp_path: Path) -> None:
    import duckdb

    from tests.tools.support import make_visits

    file = make_visits(tmp_path / "v.duckdb")
    with Hand(file) as hand:
        hand.sql("SELECT * FROM visits")
        hand.sql("SELECT nope")
    with duckdb.connect(str(file)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1")
