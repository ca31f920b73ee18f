"""A run stores what each agent does as it does it, and says how each trajectory ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import DatabaseError, ProviderError, ScenarioError, StoreError, ToolError
from core.protocols import Finish, Observation, Tools, ToolSpec
from core.scenario import Task
from core.trajectory import Client, Sandbox, StopReason
from server.runner import explore
from server.store import RunLock
from tests.server.exploring import (
    HeldScriptedTools,
    Step,
    World,
    begin_one,
    called,
    echo,
    only,
    said,
    two_turns,
)
from tests.server.support import spec


def test_a_run_explores_every_entity_and_stores_all_that_was_said(world: World) -> None:
    run = spec(trials=2)
    world.store.add_run(run)
    world.run(run)
    trajectories = world.store.trajectories(run.id)
    assert [(t.entity_id, t.trial) for t in trajectories] == [
        ("01", 1),
        ("01", 2),
        ("02", 1),
        ("02", 2),
    ]
    for trajectory in trajectories:
        assert trajectory.stop_reason is StopReason.FINISHED
        assert [t.index for t in trajectory.turns] == [1, 2]
        assert trajectory.report == f"All about {trajectory.entity_id}."
        assert not trajectory.report_forced
        texts = [(i.turn, i.text) for i in trajectory.message_insights]
        assert texts == [(n, f"Fact {n} of {trajectory.entity_id}.") for n in (1, 2)]
        assert all(i.trajectory_id == trajectory.id for i in trajectory.insights)
    assert len({i.id for t in trajectories for i in t.insights}) == 12


def test_a_trajectory_tells_its_circumstances(world: World) -> None:
    run = begin_one(world)
    world.run(run)
    trajectory = only(world)
    assert trajectory.sandbox == Sandbox(name="off", detail="no user namespaces here")
    assert isinstance(trajectory.client, Client)
    assert trajectory.client.protocol == "2026-07-28"
    assert trajectory.preamble is not None
    assert trajectory.preamble.start_prompt == "Analyse carrier 01."
    assert [s["name"] for s in trajectory.preamble.tool_schemas] == ["execute_query"]
    assert trajectory.scenario_fingerprint == "f00d"
    assert trajectory.code_revision


def test_each_agent_meets_its_own_tools_and_they_are_closed_after_it(world: World) -> None:
    run = spec()
    world.store.add_run(run)
    world.run(run)
    assert world.agents == 2
    assert [[call[1] for call in tools.calls] for tools in world.opened] == [
        [{"entity": "01"}] * 2,
        [{"entity": "02"}] * 2,
    ]
    assert all(tools.closed for tools in world.opened)


def test_a_turn_is_on_disk_before_the_agent_goes_on(world: World) -> None:
    seen: list[int] = []

    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        for index in (1, 2, 3):
            yield called(index, await tools.call("execute_query", {}))
            seen.append(len(world.store.all_attempts(spec().id)[0].turns))
        yield Finish(report=None)

    world.script = script
    world.run(begin_one(world))
    assert seen == [1, 2, 3]


def test_state_that_a_tool_keeps_survives_between_calls_in_one_trajectory(world: World) -> None:
    """F20: three calls over one session: the second knows the first, one trajectory of three."""
    variables: dict[str, Any] = {}

    async def code(arguments: Mapping[str, Any]) -> Observation:
        exec(arguments["code"], variables)  # the test's own text
        return Observation(text=str(variables.get("out", "")))

    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        for index, text in enumerate(("z = 41", "out = z + 1", "out = 'end'"), start=1):
            yield called(index, await tools.call("execute_code", {"code": text}))
        yield Finish(report=None)

    world.script, world.answers = script, {"execute_code": code}
    world.run(begin_one(world))
    trajectory = only(world)
    assert [t.tool_results[0].text for t in trajectory.turns] == ["", "42", "end"]


def test_a_cancelled_run_keeps_its_turns_and_closes_its_tools(world: World) -> None:
    reached = asyncio.Event()

    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield called(1, await tools.call("execute_query", {}))
        reached.set()
        await asyncio.Event().wait()

    async def stop() -> None:
        running = asyncio.ensure_future(world.explore(run))
        await reached.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    world.script = script
    run = spec()
    world.store.add_run(run)
    asyncio.run(stop())
    trajectory = only(world)
    assert trajectory.stop_reason is StopReason.CANCELLED
    assert len(trajectory.turns) == 1
    assert world.opened[0].closed


def test_a_resume_explores_only_what_is_missing_as_fresh_attempts(world: World) -> None:
    async def stumbles(task: Task, tools: Tools) -> AsyncIterator[Step]:
        if task.entity_id == "02":
            yield called(1, await tools.call("execute_query", {}))
            raise KeyboardInterrupt
        async for step in two_turns(task, tools):
            yield step

    world.script = stumbles
    run = spec(entity_ids=("01", "02", "03"))
    world.store.add_run(run)
    with pytest.raises(KeyboardInterrupt):
        world.run(run)
    before = world.store.trajectory(f"{run.id}.01.1.1").model_dump_json()
    world.script = two_turns
    world.run(run)
    attempts = [(t.entity_id, t.attempt, len(t.turns)) for t in world.store.all_attempts(run.id)]
    assert attempts == [("01", 1, 2), ("02", 1, 1), ("02", 2, 2), ("03", 1, 2)]
    assert world.store.trajectory(f"{run.id}.01.1.1").model_dump_json() == before
    counted = [t.attempt for t in world.store.trajectories(run.id)]
    assert counted == [1, 2, 1]


def test_a_finished_run_resumes_to_nothing(world: World) -> None:
    run = begin_one(world)
    world.run(run)
    world.run(run, retry_errors=True)
    assert world.agents == 1


def test_faults_are_explored_again_only_when_asked(world: World) -> None:
    async def fails(task: Task, tools: Tools) -> AsyncIterator[Step]:
        raise ProviderError("500")
        yield Finish(report=None)

    world.script = fails
    run = begin_one(world)
    world.run(run)
    world.script = two_turns
    world.run(run)
    assert only(world).stop_reason is StopReason.PROVIDER_ERROR
    world.run(run, retry_errors=True)
    assert only(world).stop_reason is StopReason.FINISHED
    assert only(world).attempt == 2


def test_a_database_that_changed_since_the_run_began_is_refused_before_anything(
    world: World,
) -> None:
    run = begin_one(world)
    world.scenario.fingerprint = "beef"
    with pytest.raises(ScenarioError, match=r"changed since run .* began.*ddr run --scenario"):
        world.run(run)
    assert world.store.all_attempts(run.id) == []


def test_a_database_that_breaks_in_mid_run_stops_it_with_what_was_stored(world: World) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        async for step in two_turns(task, tools):
            yield step
        world.scenario.problem = DatabaseError("it is corrupt")

    world.script = script
    run = spec()
    world.store.add_run(run)

    class Watcher:
        def __call__(self, done: float, total: float, what: str) -> None:
            if done == 1:
                world.scenario.problem = DatabaseError("it is corrupt")

    with pytest.raises(DatabaseError, match="it is corrupt"):
        world.run(run, watch=Watcher())
    (kept,) = world.store.all_attempts(run.id)
    assert kept.stop_reason is StopReason.FINISHED


def test_of_two_processes_that_resume_one_run_one_wins_and_the_other_says_so(
    world: World, tmp_path: Path
) -> None:
    run = begin_one(world)
    with (
        RunLock(tmp_path / "locks", run.id),
        pytest.raises(StoreError, match="being worked on by another process"),
    ):
        world.run(run)
    assert world.store.all_attempts(run.id) == []
    world.run(run)
    assert only(world).stop_reason is StopReason.FINISHED


def test_entities_are_explored_side_by_side_up_to_the_concurrency(world: World) -> None:
    together = 0
    most = 0

    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        nonlocal together, most
        together += 1
        most = max(most, together)
        for index in range(1, 6):
            yield called(index, await tools.call("execute_query", {}))
        together -= 1
        yield Finish(report=None)

    world.script = script
    run = spec(entity_ids=tuple(f"{n:02}" for n in range(9)), concurrency=3)
    world.store.add_run(run)
    world.run(run)
    assert most == 3
    assert len(world.store.trajectories(run.id)) == 9


def test_the_watcher_is_told_what_happens_and_how_far_it_is(world: World) -> None:
    told: list[tuple[float, float, str]] = []
    run = spec()
    world.store.add_run(run)
    world.run(run, watch=lambda done, total, what: told.append((done, total, what)))
    assert told[:2] == [(0, 2, "getting ready"), (0, 2, "carrier 01: turn 1, 0 insights")]
    assert told[-1] == (2, 2, "carrier 02: done")


def test_progress_counts_the_insights_that_say_something(world: World) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        for index, text in enumerate(("One.", None, "Two."), start=1):
            yield called(index, await tools.call("execute_query", {}))
            yield said(index, text)
        yield Finish(report=None)

    told: list[str] = []
    world.script = script
    world.run(begin_one(world), watch=lambda _done, _total, what: told.append(what))
    assert told[-2] == "carrier 01: turn 3, 2 insights"
    assert len({i.id for i in only(world).insights}) == 4


def test_how_python_is_held_is_asked_once_the_tools_are_open(world: World) -> None:
    class Opened(HeldScriptedTools):
        sandbox_state = Sandbox(name="off", detail="not reached yet")

        async def list(self) -> Sequence[ToolSpec]:
            self.sandbox_state = Sandbox(name="bubblewrap")
            return await super().list()

    setting = replace(
        world.setting(), open_tools=lambda _session, _entity: Opened(execute_query=echo)
    )
    asyncio.run(explore(begin_one(world), setting))
    assert only(world).sandbox == Sandbox(name="bubblewrap")


@pytest.mark.parametrize("kind", ["unavailable", "tool_host"])
def test_tools_that_cannot_be_opened_end_the_attempt_or_the_run(world: World, kind: str) -> None:
    """A host that was given up is this attempt's ending; what nobody expected is told at once."""

    class Closed(HeldScriptedTools):
        async def list(self) -> Sequence[ToolSpec]:
            raise ToolError("the tool host ended three times", kind=kind)

    closed = Closed(execute_query=echo)
    setting = replace(world.setting(), open_tools=lambda _session, _entity: closed)
    run = begin_one(world)
    if kind == "unavailable":
        asyncio.run(explore(run, setting))
        assert only(world).stop_reason is StopReason.TOOL_UNAVAILABLE
        assert only(world).error == "the tool host ended three times"
    else:
        with pytest.raises(ToolError, match="three times"):
            asyncio.run(explore(run, setting))
        assert world.store.all_attempts(run.id) == []
    assert closed.closed
