"""A scripted agent, a small scenario and scripted tools: a whole run without a database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from core.outside import Key
from core.protocols import ChatModel, Finish, Observation, Tools
from core.run import Limits, RunSpec
from core.scenario import Goal, License, Scenario, Task
from core.trajectory import Insight, Sandbox, ToolCall, ToolResult, Trajectory, Turn
from server.runner import Setting, Watch, explore
from server.store import Repository
from tests.server.support import START, ScriptedTools, spec

Step = Turn | Insight | Finish
Script = Callable[[Task, Tools], AsyncIterator[Step]]


def called(index: int, observation: Observation, name: str = "execute_query") -> Turn:
    """The turn in which an observation was made."""
    call_id = f"c{index}"
    return Turn(
        index=index,
        tool_calls=(ToolCall(call_id=call_id, name=name, arguments="{}"),),
        tool_results=(
            ToolResult(
                call_id=call_id,
                name=name,
                text=observation.text,
                is_error=observation.is_error,
                error_kind=observation.error_kind,
                duration_s=observation.duration_s,
            ),
        ),
        started_at=START,
        duration_s=0.1,
    )


def said(turn: int | None, text: str | None = "It is so.") -> Insight:
    """A message-wise insight as an agent yields it."""
    return Insight(
        id="any", trajectory_id="", level="message", turn=turn, text=text, author="scripted"
    )


class ScriptedAgent:
    """An agent that does what a test wrote down."""

    name = "scripted"

    def __init__(self, script: Script) -> None:
        self._script = script

    def explore(
        self, task: Task, tools: Tools, model: ChatModel | None, limits: Limits
    ) -> AsyncIterator[Step]:
        return self._script(task, tools)


async def two_turns(task: Task, tools: Tools) -> AsyncIterator[Step]:
    """Two queries, one insight each, and a report."""
    for index in (1, 2):
        yield called(index, await tools.call("execute_query", {"entity": task.entity_id}))
        yield said(index, f"Fact {index} of {task.entity_id}.")
    yield Finish(report=f"All about {task.entity_id}.")


class SmallScenario:
    """A scenario that is built, until a test says otherwise."""

    def __init__(self, fingerprint: str = "f00d") -> None:
        self.fingerprint = fingerprint
        self.problem: Exception | None = None

    @property
    def scenario(self) -> Scenario:
        return Scenario(
            id="small",
            title="Small",
            version="1",
            database="small.duckdb",
            fingerprint=self.fingerprint,
            entity_noun="carrier",
            task_template="Analyse {entity_noun} {entity_id}.",
            license=License(name="CC0-1.0"),
        )

    def check(self) -> None:
        if self.problem is not None:
            raise self.problem

    def stamp(self) -> Hashable:
        return self.fingerprint, self.problem

    def task(self, entity_id: str, goal: Goal = "none") -> Task:
        return Task(
            scenario_id="small",
            entity_id=entity_id,
            entity_label=entity_id,
            entity_noun="carrier",
            text=f"Analyse carrier {entity_id}.",
        )


async def echo(arguments: Mapping[str, Any]) -> Observation:
    """An answer that shows the question."""
    return Observation(text=f"seen {arguments}", data={"seen": dict(arguments)}, duration_s=0.01)


class HeldScriptedTools(ScriptedTools):
    """Scripted tools that remember whether they were closed."""

    closed = False
    sandbox_state = Sandbox(name="off", detail="no user namespaces here")

    async def close(self) -> None:
        self.closed = True


class World:
    """Everything that a run meets."""

    def __init__(self, store: Repository, folder: Path, script: Script = two_turns) -> None:
        self.store, self.folder, self.script = store, folder, script
        self.scenario = SmallScenario()
        self.opened: list[HeldScriptedTools] = []
        self.answers: dict[str, Any] = {"execute_query": echo}
        self.times: Sequence[datetime] = [START]
        self.agents = 0

    def setting(self) -> Setting:
        def open_tools(session: str, entity_id: str) -> HeldScriptedTools:
            self.opened.append(HeldScriptedTools(**self.answers))
            return self.opened[-1]

        def make_agent(_key: Key) -> ScriptedAgent:
            self.agents += 1
            return ScriptedAgent(self.script)

        return Setting(
            scenario=self.scenario,
            store=self.store,
            locks=self.folder / "locks",
            make_agent=make_agent,
            open_tools=open_tools,
            now=lambda: START,
        )

    def run(self, spec: RunSpec, *, retry_errors: bool = False, watch: Watch | None = None) -> None:
        """Explore to the end."""
        asyncio.run(self.explore(spec, retry_errors=retry_errors, watch=watch))

    async def explore(
        self, spec: RunSpec, *, retry_errors: bool = False, watch: Watch | None = None
    ) -> None:
        more = {} if watch is None else {"watch": watch}
        await explore(spec, self.setting(), retry_errors=retry_errors, **more)


def only(world: World) -> Trajectory:
    """The one trajectory of the small run."""
    (trajectory,) = world.store.trajectories(spec().id)
    return trajectory


def one(**changes: Any) -> RunSpec:
    """A small run of one entity."""
    return spec(entity_ids=("01",), **changes)


def begin_one(world: World, **changes: Any) -> RunSpec:
    """The same, begun."""
    run = one(**changes)
    world.store.add_run(run)
    return run
