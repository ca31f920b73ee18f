"""Every trajectory says how it ended: by itself, at a limit, or by whose fault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.errors import ProviderError
from core.protocols import Finish, Observation, Tools
from core.run import Limits
from core.scenario import Task
from core.trajectory import StopReason
from server.runner import explore
from tests.server.exploring import (
    Step,
    World,
    begin_one,
    called,
    only,
    said,
)
from tests.server.support import START, spec


def test_an_iterator_that_ends_without_a_last_word_was_idle(world: World) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield called(1, await tools.call("execute_query", {}))

    world.script = script
    world.run(begin_one(world))
    trajectory = only(world)
    assert trajectory.stop_reason is StopReason.IDLE
    assert trajectory.report is None
    assert len(trajectory.turns) == 1


def test_a_finish_without_a_report_is_still_a_finish(world: World) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield Finish(report=None)

    world.script = script
    world.run(begin_one(world))
    assert only(world).stop_reason is StopReason.FINISHED
    assert only(world).report is None


def test_at_the_limit_of_turns_calls_are_refused_and_a_report_counts_as_forced(
    world: World,
) -> None:
    answers: list[Observation] = []

    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        for index in (1, 2):
            yield called(index, await tools.call("execute_query", {}))
        answers.append(await tools.call("execute_query", {}))
        yield said(2)
        yield Finish(report="So far so good.")

    world.script = script
    world.run(begin_one(world, limits=Limits(max_turns=2)))
    trajectory = only(world)
    assert (answers[0].is_error, answers[0].error_kind) == (True, "run_limit")
    assert trajectory.stop_reason is StopReason.MAX_TURNS
    assert trajectory.report == "So far so good."
    assert trajectory.report_forced
    assert len(world.opened[0].calls) == 2


def test_an_agent_that_ignores_the_limit_is_ended_by_it(world: World) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        index = 0
        while True:
            index += 1
            yield called(index, await tools.call("execute_query", {}))

    world.script = script
    world.run(begin_one(world, limits=Limits(max_turns=5)))
    trajectory = only(world)
    assert trajectory.stop_reason is StopReason.MAX_TURNS
    assert len(trajectory.turns) == 5
    assert len(world.opened[0].calls) == 5


def test_time_is_a_limit_also_while_the_agent_waits(world: World) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield called(1, await tools.call("execute_query", {}))
        await asyncio.Event().wait()

    world.script = script
    run = begin_one(world, limits=Limits(max_seconds=0.05))
    asyncio.run(explore(run, replace(world.setting(), last_word_s=0.05)))
    assert only(world).stop_reason is StopReason.MAX_SECONDS
    assert len(only(world).turns) == 1


def test_a_turn_that_began_within_the_time_is_kept(world: World) -> None:
    clock = [START]

    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        for index in (1, 2):
            observation = await tools.call("execute_query", {})
            clock[0] += timedelta(seconds=60)
            yield called(index, observation)

    world.script = script
    run = begin_one(world, limits=Limits(max_seconds=50))
    setting = replace(world.setting(), now=lambda: clock[0])
    asyncio.run(explore(run, setting))
    trajectory = only(world)
    assert trajectory.stop_reason is StopReason.MAX_SECONDS
    assert [t.index for t in trajectory.turns] == [1]


@pytest.mark.parametrize(
    ("raised", "reason", "told"),
    [
        (ProviderError("429 from the endpoint"), StopReason.PROVIDER_ERROR, "429 from"),
        (ValueError("list is empty"), StopReason.ABANDONED, "crashed: ValueError: list is"),
    ],
)
def test_an_agent_that_fails_ends_with_its_error_and_the_others_go_on(
    world: World, raised: Exception, reason: StopReason, told: str
) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield called(1, await tools.call("execute_query", {}))
        if task.entity_id == "01":
            raise raised
        yield Finish(report="fine")

    world.script = script
    run = spec()
    world.store.add_run(run)
    world.run(run)
    failed, fine = world.store.trajectories(run.id)
    assert failed.stop_reason is reason
    assert told in (failed.error or "")
    assert len(failed.turns) == 1
    assert failed.report is None
    assert fine.stop_reason is StopReason.FINISHED


@pytest.mark.parametrize("swallows", [False, True])
def test_a_tool_that_hangs_ends_the_trajectory_as_unavailable(world: World, swallows: bool) -> None:
    async def hang(arguments: Mapping[str, Any]) -> Observation:
        await asyncio.Event().wait()
        raise AssertionError

    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        try:
            await tools.call("execute_query", {})
        except Exception:
            if not swallows:
                raise
        yield Finish(report="I saw nothing.")

    world.script, world.answers = script, {"execute_query": hang}
    setting = replace(world.setting(), call_timeout_s=0.05)
    asyncio.run(explore(begin_one(world), setting))
    trajectory = only(world)
    assert trajectory.stop_reason is StopReason.TOOL_UNAVAILABLE
    assert "did not answer within 0.05 s" in (trajectory.error or "")


def test_without_any_tool_no_agent_is_let_loose(world: World) -> None:
    world.answers = {}
    world.run(begin_one(world))
    trajectory = only(world)
    assert trajectory.stop_reason is StopReason.TOOL_UNAVAILABLE
    assert "offers no tools" in (trajectory.error or "")
    assert world.agents == 0


@pytest.mark.parametrize(
    "steps",
    [
        [2],
        [1, 1],
        [1, 3],
    ],
)
def test_turns_out_of_order_are_the_agents_fault(world: World, steps: list[int]) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        for index in steps:
            yield called(index, await tools.call("execute_query", {}))
        yield Finish(report="ok")

    world.script = script
    world.run(begin_one(world))
    trajectory = only(world)
    assert trajectory.stop_reason is StopReason.ABANDONED
    assert "broke the rules: turn" in (trajectory.error or "")
    assert [t.index for t in trajectory.turns] == [1][: len(steps) - 1]


def test_an_insight_about_a_turn_to_come_is_the_agents_fault(world: World) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield called(1, await tools.call("execute_query", {}))
        yield said(2)

    world.script = script
    world.run(begin_one(world))
    assert "speaks of turn 2; there are 1" in (only(world).error or "")


def test_an_insight_without_a_turn_belongs_to_the_last_one_and_an_empty_one_keeps_its(
    world: World,
) -> None:
    async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield called(1, await tools.call("execute_query", {}))
        yield said(None, "Something.")
        yield called(2, await tools.call("execute_query", {}))
        yield said(2, None)
        yield Finish(report="ok")

    world.script = script
    world.run(begin_one(world))
    found = [(i.turn, i.text) for i in only(world).message_insights]
    assert found == [(1, "Something."), (2, None)]
