"""Let the profiler explore a database through the real tools, and keep all that it yields."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.profiler.agent import ProfilerAgent
from agent.profiler.reply import Ask, Conversation, Note, Reply, T, read
from core.protocols import Finish, Observation, Tools, ToolSpec
from core.run import Limits
from core.scenario import Task, ToolName
from core.trajectory import Insight, Turn
from tools.toolset import ToolSet

SQL_TOOLS: tuple[ToolName, ...] = ("get_database_info", "describe_table", "execute_query")
_sessions = itertools.count()


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
    return asyncio.run(_explore(database, task(entity, noun, label), limits, wrap, agent))


async def _explore(
    database: Path,
    given: Task,
    limits: Limits | None,
    wrap: Callable[[Tools], Tools],
    agent: ProfilerAgent | None,
) -> Exploration:
    tools = ToolSet(database, names=SQL_TOOLS, sandbox=None, session=f"profiler-{next(_sessions)}")
    turns: list[Turn] = []
    insights: list[Insight] = []
    order: list[type] = []
    report: str | None = None
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
    """Tools of which every so-many-th query fails, as a server does whose time limit bites."""

    inner: Tools
    every: int
    calls: int = 0

    async def list(self) -> Sequence[ToolSpec]:
        """As the inner tools say."""
        return await self.inner.list()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """The inner answer, or an error."""
        self.calls += 1
        if self.calls % self.every == 0:
            return Observation(text='{"error":"time is up"}', is_error=True, error_kind="timeout")
        return await self.inner.call(name, arguments)


def converse(database: Path, questions: Conversation[T]) -> T:
    """Answer a line of questions from the real tools, and return what it learnt."""
    return asyncio.run(_converse(database, questions))


async def _converse(database: Path, questions: Conversation[T]) -> T:
    tools = ToolSet(database, names=SQL_TOOLS, sandbox=None, session=f"talk-{next(_sessions)}")
    try:
        item: Ask | Note = next(questions)
        while True:
            reply = Reply()
            if isinstance(item, Ask):
                reply = read(await tools.call(item.tool, item.arguments))
                assert reply.error is None, f"{item.arguments}: {reply.error}"
            item = questions.send(reply)
    except StopIteration as end:
        found: T = end.value
        return found
    finally:
        await tools.close()
