"""Let the profiler explore a database through the real tools, and keep all that it yields."""

from __future__ import annotations

import asyncio
import atexit
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from agent.profiler.agent import ProfilerAgent
from agent.profiler.reply import Ask, Conversation, Note, Reply, T, read
from core.protocols import Finish, Observation, Tools, ToolSpec
from core.run import Limits
from core.scenario import Task
from core.trajectory import Insight, Turn
from databases.connection import open_readonly
from databases.schema import Schema, read_schema
from tests.tools.support import SQL_TOOLS, pool_of
from tools.limits import ToolLimits
from tools.sql.engines.duckdb_engine import DuckDbCursor
from tools.sql.info import database_info, describe_table
from tools.sql.pool import SqlPool
from tools.sql.rows import read_rows, render_rows
from tools.toolset import ToolSet

LIMITS = ToolLimits()


@dataclass(frozen=True)
class Exploration:
    """Everything that one exploration gave."""

    turns: tuple[Turn, ...]
    insights: tuple[Insight, ...]
    report: str
    order: tuple[type, ...]
    """The kinds of what was yielded, in order."""

    @property
    def said(self) -> list[str]:
        """The texts of the message-wise insights."""
        return [insight.text for insight in self.insights if insight.text]

    @property
    def bullets(self) -> list[str]:
        """The sentences of the report."""
        return [line[2:] for line in self.report.splitlines() if line.startswith("- ")]


def task(entity: str, noun: str = "shop", label: str | None = None) -> Task:
    """A task as an agent gets it."""
    return Task(
        scenario_id="small",
        entity_id=entity,
        entity_label=label or entity,
        entity_noun=noun,
        text=f"Explore {noun} {entity}.",
    )


def explore(
    database: Path,
    entity: str,
    noun: str = "shop",
    *,
    label: str | None = None,
    limits: Limits | None = None,
    wrap: Callable[[Tools], Tools] = lambda tools: tools,
    agent: ProfilerAgent | None = None,
) -> Exploration:
    """Explore one entity through the real ToolSet, whatever `wrap` puts between."""
    given = task(entity, noun, label)
    return explore_task(database, given, limits=limits, wrap=wrap, agent=agent)


def explore_task(
    database: Path,
    given: Task,
    *,
    limits: Limits | None = None,
    wrap: Callable[[Tools], Tools] = lambda tools: tools,
    agent: ProfilerAgent | None = None,
) -> Exploration:
    """The same for a task in hand."""
    return _runner().run(_explore(database, given, limits, wrap, agent))


@functools.cache
def _runner() -> asyncio.Runner:
    """One event loop for all explorations, so that those of one database share its workers."""
    runner = asyncio.Runner()

    def end() -> None:
        for pool in _pools.values():
            runner.run(pool.close())
        runner.close()

    atexit.register(end)
    return runner


_pools: dict[Path, SqlPool] = {}


async def _pool(database: Path) -> SqlPool:
    """The workers on this database; those of the one before last are let go."""
    if database not in _pools:
        for other in list(_pools)[:-1]:
            await _pools.pop(other).close()
        pool = pool_of(database)
        await pool.start()
        _pools[database] = pool
    return _pools[database]


async def _explore(
    database: Path,
    given: Task,
    limits: Limits | None,
    wrap: Callable[[Tools], Tools],
    agent: ProfilerAgent | None,
) -> Exploration:
    turns: list[Turn] = []
    insights: list[Insight] = []
    order: list[type] = []
    report: str | None = None
    tools = ToolSet(await _pool(database), names=SQL_TOOLS, sandbox=None, session="profiler")
    try:
        steps = (agent or ProfilerAgent()).explore(given, wrap(tools), None, limits or Limits())
        async for step in steps:
            order.append(type(step))
            match step:
                case Turn():
                    turns.append(step)
                case Insight():
                    insights.append(step)
                case Finish():
                    report = step.report
    finally:
        await tools.close()
    assert report is not None, "the profiler never finished"
    return Exploration(tuple(turns), tuple(insights), report, tuple(order))


@dataclass
class FailingTools:
    """Tools of which every so-many-th call fails, as those of a server in trouble do."""

    inner: Tools
    every: int
    kind: str = "internal"
    calls: int = 0

    async def list(self) -> Sequence[ToolSpec]:
        """As the inner tools say."""
        return await self.inner.list()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """The inner answer, or an error."""
        self.calls += 1
        if self.calls % self.every == 0:
            return Observation(text='{"error":"trouble"}', is_error=True, error_kind=self.kind)
        return await self.inner.call(name, arguments)


def converse(database: Path, questions: Conversation[T]) -> T:
    """Answer a line of questions, and return what it learnt.

    Straight from the database, in the tools' own rendering: a hundred such talks would else spend
    most of their time on what the tools record of each query.
    """
    with open_readonly(database) as connection:
        schema = read_schema(connection)
        try:
            item: Ask | Note = next(questions)
            while True:
                asked = isinstance(item, Ask)
                item = questions.send(_answer(connection, schema, item) if asked else Reply())
        except StopIteration as end:
            found: T = end.value
            return found


def _answer(connection: duckdb.DuckDBPyConnection, schema: Schema, item: Ask | Note) -> Reply:
    assert isinstance(item, Ask)
    match item.tool:
        case "get_database_info":
            data = database_info(schema, "duckdb", 0, LIMITS)
        case "describe_table":
            name, offset = str(item.arguments["table_name"]), int(item.arguments.get("offset", 0))
            data = describe_table(schema, name, offset, LIMITS)
        case _:
            cursor = DuckDbCursor(connection.cursor())
            cursor.execute(str(item.arguments["query"]))
            fetched = read_rows(
                cursor,
                limit=int(item.arguments.get("limit", LIMITS.default_rows)),
                offset=0,
                cell_chars=LIMITS.cell_chars,
                most_chars=LIMITS.reply_chars,
            )
            data = render_rows(fetched, LIMITS)
    return read(Observation(text="", data=data))
