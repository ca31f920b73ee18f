"""A hand on a ToolSet for tests: one event loop, plain calls, and the shared table of visits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from core.protocols import Observation, SandboxFactory, ToolSpec
from core.scenario import ToolName
from tools.limits import ToolLimits
from tools.python.sandbox import sandbox_available
from tools.sql.engine import Target
from tools.sql.pool import SqlPool
from tools.toolset import ToolSet

ALL_TOOLS: tuple[ToolName, ...] = (
    "get_database_info",
    "describe_table",
    "execute_query",
    "execute_code",
)
SQL_TOOLS = ALL_TOOLS[:3]
COLUMNS = ("id", "patient", "created_at", "last_updated", "dose", "note")
ALL_FIELDS = tuple(sorted(f"visits.{name}" for name in COLUMNS))

VISITS = """
    CREATE TABLE visits AS SELECT
        i AS id,
        1 + i % 10 AS patient,
        TIMESTAMP '2024-01-01' + INTERVAL (i) HOUR AS created_at,
        TIMESTAMP '2024-02-01' AS last_updated,
        (i * 0.5)::DOUBLE AS dose,
        CASE i % 3 WHEN 0 THEN 'dropped out' WHEN 1 THEN 'delete; update' ELSE 'a note' END AS note
    FROM range(1, 151) t(i)
"""
"""150 rows, ids 1 to 150: the fixture of the field cases."""


def needs_sandbox() -> pytest.MarkDecorator:
    """A mark for what only a machine with unprivileged user namespaces can show."""
    state = sandbox_available()
    reason = f"needs a Python sandbox: {state.detail}" if state.detail else "nothing is missing"
    return pytest.mark.skipif(state.name != "bubblewrap", reason=reason)


def make_visits(path: Path, *more: str) -> Path:
    """A DuckDB file with the visits, and whatever statements come on top."""
    import duckdb

    path.parent.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(VISITS)
        connection.execute("COMMENT ON TABLE visits IS 'One row per visit.'")
        connection.execute("COMMENT ON COLUMN visits.dose IS 'In mg.'")
        for statement in more:
            connection.execute(statement)
    return path


def pool_of(database: Path, *, workers: int = 1, **options: Any) -> SqlPool:
    """A pool on a DuckDB file, not started yet."""
    return SqlPool(Target(dialect="duckdb", location=str(database)), workers=workers, **options)


@asynccontextmanager
async def open_tools(
    database: Path,
    *,
    names: Sequence[ToolName] = SQL_TOOLS,
    sandbox: SandboxFactory | None = None,
    limits: ToolLimits | None = None,
    session: str = "a-session",
    workers: int = 1,
) -> AsyncIterator[ToolSet]:
    """One session's tools on a pool of their own; both end with the block."""
    pool = pool_of(database, workers=workers, limits=limits)
    await pool.start()
    try:
        tools = ToolSet(pool, names=names, sandbox=sandbox, session=session)
        try:
            yield tools
        finally:
            await tools.close()
    finally:
        await pool.close()


class Hand:
    """Calls a ToolSet's tools, one after another, in one event loop."""

    def __init__(
        self,
        database: Path,
        names: Sequence[ToolName] = SQL_TOOLS,
        sandbox: SandboxFactory | None = None,
        limits: ToolLimits | None = None,
    ) -> None:
        self.runner = asyncio.Runner()
        self._opened = open_tools(database, names=names, sandbox=sandbox, limits=limits)
        self.tools = self.runner.run(self._opened.__aenter__())

    def __enter__(self) -> Hand:
        return self

    def __exit__(self, *args: object) -> None:
        self.runner.run(self._opened.__aexit__(None, None, None))
        self.runner.close()

    def list(self) -> Sequence[ToolSpec]:
        return self.runner.run(self.tools.list())

    def call(self, name: str, **arguments: Any) -> Observation:
        seen = self.runner.run(self.tools.call(name, arguments))
        assert seen.data is not None
        assert strict(seen.text) == seen.data, "the text is the data, in compact JSON"
        return seen

    def sql(self, query: str, **more: Any) -> Observation:
        return self.call("execute_query", query=query, **more)

    def python(self, code: str, **more: Any) -> Observation:
        return self.call("execute_code", code=code, **more)

    def rows(self, query: str, **more: Any) -> Any:
        """The rows of a query that must succeed."""
        seen = self.sql(query, **more)
        assert not seen.is_error, seen.text
        assert seen.data is not None
        return seen.data["rows"]


def strict(text: str) -> Any:
    """Parsed by a JSON parser that knows no NaN."""

    def no_constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=no_constant)


def refused(seen: Observation) -> str:
    """The text of a call that must have been refused without a row."""
    assert seen.is_error, seen.text
    assert seen.error_kind == "refused", seen.text
    assert seen.data is not None
    assert "rows" not in seen.data
    return str(seen.data["error"])
