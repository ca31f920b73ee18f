"""Several runs of one invocation share slots, purse and progress, and none waits for another."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.errors import ScenarioError, StoreError
from core.protocols import Finish, Tools
from core.run import ModelSpec, RunSpec
from core.scenario import Task
from core.trajectory import StopReason
from server.metering import BudgetSpentError
from server.runner import Setting, explore_all
from server.store import Repository, RunLock
from tests.server.exploring import ScriptedAgent, SmallScenario, Step, World, called
from tests.server.support import spec

ENTITIES = tuple(f"{n:02}" for n in range(8))


@pytest.fixture
def world(store: Repository, tmp_path: Path) -> World:
    return World(store, tmp_path)


class Watched:
    """Who is under way, and how many there were of each run at once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.now: Counter[str] = Counter()
        self.seen: list[dict[str, int]] = []
        self.order: list[tuple[str, str]] = []

    def run(self, name: str, *, turns: int = 3, **changes: Any) -> tuple[RunSpec, Setting]:
        """A run whose agents take so many turns, and what it is explored with."""
        values = {"entity_ids": ENTITIES, "model": ModelSpec(provider="m", name=name), **changes}
        run = spec(f"run-{name}", **values)
        self.world.store.add_run(run)

        async def script(task: Task, tools: Tools) -> AsyncIterator[Step]:
            self.now[name] += 1
            self.seen.append(dict(self.now))
            self.order.append((name, task.entity_id))
            for index in range(1, turns + 1):
                yield called(index, await tools.call("execute_query", {}))
            self.now[name] -= 1
            yield Finish(report="done")

        return run, replace(self.world.setting(), make_agent=lambda _key: ScriptedAgent(script))


def go(runs: Sequence[tuple[RunSpec, Setting]], **more: Any) -> None:
    asyncio.run(explore_all(runs, **more))


def test_two_runs_go_side_by_side_under_one_concurrency_in_equal_shares(world: World) -> None:
    watched = Watched(world)
    runs = [watched.run("a"), watched.run("b")]
    go(runs, concurrency=4)
    assert max(sum(now.values()) for now in watched.seen) == 4
    assert watched.order[:4] == [("a", "00"), ("b", "00"), ("a", "01"), ("b", "01")]
    for run, _ in runs:
        found = world.store.trajectories(run.id)
        assert [t.stop_reason for t in found] == [StopReason.FINISHED] * len(ENTITIES)
        assert {t.model for t in found} == {f"m/{run.id[-1]}"}


def test_a_run_that_is_finished_leaves_its_slots_to_the_others(world: World) -> None:
    watched = Watched(world)
    go([watched.run("a", entity_ids=("00",), turns=1), watched.run("b", turns=20)], concurrency=4)
    assert max(now["b"] for now in watched.seen if "b" in now) == 4


def test_a_slow_run_holds_no_more_than_its_share(world: World) -> None:
    """A free slot goes to the run with the fewest under way, and not to the next in a line."""
    watched = Watched(world)
    go([watched.run("slow", turns=40), watched.run("fast", turns=1)], concurrency=4)
    last = max(place for place, (name, _) in enumerate(watched.order) if name == "fast")
    assert max(now.get("slow", 0) for now in watched.seen[: last + 1]) == 2


def test_without_a_number_the_most_that_one_run_asks_for_holds_for_all(world: World) -> None:
    watched = Watched(world)
    go([watched.run("a", concurrency=3), watched.run("b", concurrency=2)])
    assert max(sum(now.values()) for now in watched.seen) == 3


def test_progress_is_told_of_each_run_by_itself(world: World) -> None:
    told: list[tuple[str, float, float, str]] = []
    watched = Watched(world)
    runs = [watched.run("a"), watched.run("b", entity_ids=("00", "01"))]
    go(runs, watch=lambda run, *seen: told.append((run.id, *seen)))
    assert told[:2] == [("run-a", 0, 8, "getting ready"), ("run-b", 0, 2, "getting ready")]
    assert ("run-b", 0, 2, "carrier 00: turn 1, 0 insights") in told
    assert ("run-b", 2, 2, "carrier 01: done") in told
    assert ("run-a", 8, 8, "carrier 07: done") in told


def test_one_slot_is_taken_in_turns(world: World) -> None:
    watched = Watched(world)
    go([watched.run("a"), watched.run("b")], concurrency=1)
    assert [name for name, _ in watched.order] == ["a", "b"] * len(ENTITIES)


def test_the_money_that_ran_out_in_one_run_ends_all_and_begins_nothing_more(world: World) -> None:
    watched = Watched(world)
    spender, other = watched.run("a"), watched.run("b", turns=50)

    async def spend(task: Task, tools: Tools) -> AsyncIterator[Step]:
        yield called(1, await tools.call("execute_query", {}))
        raise BudgetSpentError("the budget of $1 is spent")

    spender = spender[0], replace(spender[1], make_agent=lambda _key: ScriptedAgent(spend))
    with pytest.raises(BudgetSpentError):
        go([spender, other], concurrency=2)
    (first,), (second,) = (world.store.all_attempts(run.id) for run, _ in (spender, other))
    assert (first.stop_reason, second.stop_reason) == (StopReason.CANCELLED,) * 2
    assert "budget" in (first.error or "")
    assert all(tools.closed for tools in world.opened)


def test_a_run_that_another_process_works_on_stops_all_before_anything(world: World) -> None:
    watched = Watched(world)
    runs = [watched.run("a"), watched.run("b")]
    with RunLock(runs[1][1].locks, "run-b"), pytest.raises(StoreError, match="run-b is being"):
        go(runs)
    assert watched.order == []
    go(runs)
    assert len(watched.order) == 16


def test_a_run_whose_database_is_another_now_stops_all_before_anything(world: World) -> None:
    watched = Watched(world)
    good, (run, setting) = watched.run("a"), watched.run("b")
    with pytest.raises(ScenarioError, match="changed since run run-b began"):
        go([good, (run, replace(setting, scenario=SmallScenario("beef")))])
    assert watched.order == []


def test_what_takes_long_is_prepared_once_before_the_first_clock_starts(world: World) -> None:
    watched, seen = Watched(world), []
    run, setting = watched.run("a")

    def prepare() -> None:
        seen.append(list(watched.order))

    go([(run, replace(setting, prepare=prepare))])
    assert seen == [[]]
    go([(run, replace(setting, prepare=prepare))])
    assert seen == [[]], "nothing was left to explore"


def test_nothing_to_explore_is_no_fault() -> None:
    go([])


def test_a_database_that_did_not_change_is_looked_into_once(world: World) -> None:
    checked = 0

    class Counting(SmallScenario):
        def check(self) -> None:
            nonlocal checked
            checked += 1

    run, setting = Watched(world).run("a")
    go([(run, replace(setting, scenario=Counting()))])
    assert checked == 1
