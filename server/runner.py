"""Explore what runs still lack, side by side: each entity by its own agent."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

import anyio

from agent.session import CALL_TIMEOUT_S
from core.errors import DdrError, ScenarioError
from core.hints import typed
from core.protocols import Agent, ChatModel, Tools
from core.run import RunSpec
from core.scenario import Goal, Scenario, Task
from core.trajectory import Sandbox
from server.attempt import Attempt
from server.board import Board
from server.metering import BudgetSpentError
from server.store import Repository, RunLock, Writer
from server.store.attempts import Key, to_do

Watch = Callable[[float, float, str], None]
"""Told how many (entity, trial) pairs are done, of how many, and what happens now."""

WatchAll = Callable[[RunSpec, float, float, str], None]
"""The same, told of one run among several."""


class HeldTools(Tools, Protocol):
    """A toolset with what it holds: a database, perhaps a sandbox."""

    @property
    def sandbox_state(self) -> Sandbox:
        """How Python is held, or why it is off."""
        ...

    async def close(self) -> None:
        """Let go of everything."""
        ...


class Explored(Protocol):
    """The scenario as the runner needs it (databases.catalog.InstalledScenario)."""

    @property
    def scenario(self) -> Scenario:
        """With its fingerprint."""
        ...

    def check(self) -> None:
        """Raise unless the database is what was built."""
        ...

    def stamp(self) -> Hashable:
        """Cheap, and another one once the database may be another; None where only `check` knows."""
        ...

    def task(self, entity_id: str, goal: Goal = "none") -> Task:
        """What an agent is told."""
        ...


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Setting:
    """The collaborators of one run."""

    scenario: Explored
    store: Repository
    locks: Path
    make_agent: Callable[[Key], Agent]
    """A fresh one for one (entity, trial)."""
    open_tools: Callable[[str, str], HeldTools]
    """Given a session's name, which is the trajectory's key, and the entity that is explored."""
    make_model: Callable[[Key], ChatModel | None] = lambda _key: None
    """The model that explores one (entity, trial), already metered; None for an agent without."""
    prepare: Callable[[], None] = lambda: None
    """What takes long and is no part of any exploration (imports); done once, in a thread."""
    board: Board = field(default_factory=Board)
    now: Callable[[], datetime] = utc_now
    call_timeout_s: float = CALL_TIMEOUT_S
    last_word_s: float = 60.0
    """Past max_seconds: tools answer nothing more, but the agent may still hand in its report."""


def _silent(_spec: RunSpec, _done: float, _total: float, _what: str) -> None: ...


async def explore(
    spec: RunSpec,
    setting: Setting,
    *,
    retry_errors: bool = False,
    watch: Watch = lambda _done, _total, _what: None,
) -> None:
    """Explore every (entity, trial) of one run that the store lacks; see `explore_all`."""

    def tell(_spec: RunSpec, done: float, total: float, what: str) -> None:
        watch(done, total, what)

    await explore_all([(spec, setting)], retry_errors=retry_errors, watch=tell)


async def explore_all(
    runs: Sequence[tuple[RunSpec, Setting]],
    *,
    concurrency: int | None = None,
    retry_errors: bool = False,
    watch: WatchAll = _silent,
) -> None:
    """Explore every (entity, trial) that the store lacks, of several runs of one store side by side.

    `concurrency` explorations are under way at a time, of all runs together (None = the most that
    one of them asks for); the next one begun is of the run that has the fewest. Each turn is stored
    as it ends. Raises StoreError where another process works on a run or a record cannot be kept,
    ScenarioError where a database is not its run's, BudgetSpentError where the money ran out: what
    was open has then ended, and what was not begun stays so. A cancellation ends the open attempts
    as cancelled; what was stored stays. A board that is `stopping` ends each of its own after the
    step that is under way.
    """
    if not runs:
        return
    with ExitStack() as held:
        for spec, setting in runs:
            held.enter_context(RunLock(setting.locks, spec.id))
        writer = held.enter_context(Writer(runs[0][1].store))
        mine = [_Run(spec, setting, writer, retry_errors) for spec, setting in runs]
        for run in mine:
            await run.check()
        await _Work(mine, watch).carry_out(concurrency or max(spec.concurrency for spec, _ in runs))


class _Run:
    """What is left of one run."""

    def __init__(self, spec: RunSpec, setting: Setting, writer: Writer, retry_errors: bool) -> None:
        self.spec, self.setting = spec, setting
        self.left = deque(to_do(spec, setting.store.heads(spec.id), retry_errors=retry_errors))
        self.total = len(spec.keys)
        self.done = self.total - len(self.left)
        self.under_way = 0
        self._writer = writer
        self._stamp: Hashable = None

    async def check(self) -> None:
        """Raise unless the database is whole and the one that the run began on."""
        stamp = self.setting.scenario.stamp()
        if stamp is None or stamp != self._stamp:
            await asyncio.to_thread(same_content, self.spec, self.setting.scenario)
            self._stamp = stamp

    async def explore(self, key: Key, say: Callable[[str], None]) -> None:
        """One attempt."""
        await self.check()
        tools = self.setting.open_tools(f"{self.spec.id}.{key[0]}.{key[1]}", key[0])
        try:
            await Attempt(self.spec, self.setting, key, tools, self._writer, say).explore()
        finally:
            # Shielded: a second Ctrl-C must not leave a sandbox behind.
            with anyio.CancelScope(shield=True):
                await tools.close()

    def named(self, key: Key) -> str:
        """One (entity, trial) as a person is told of it."""
        trial = f" (trial {key[1]})" if self.spec.trials > 1 else ""
        return f"{self.setting.scenario.scenario.entity_noun} {key[0]}{trial}"


def same_content(spec: RunSpec, scenario: Explored) -> None:
    """Raise ScenarioError unless the database is whole and the one that the run began on."""
    scenario.check()
    found = scenario.scenario.fingerprint
    if found != spec.scenario_fingerprint:
        raise ScenarioError(
            f"the database of {spec.scenario_id} has changed since run {spec.id} began: its "
            f"fingerprint is {str(found)[:12]}, the run's {spec.scenario_fingerprint[:12]}; "
            f"begin a new run: {typed(f'run --scenario {spec.scenario_id} --agent {spec.agent}')}"
        )


class _Work:
    """The slots, and those who fill them."""

    def __init__(self, runs: Sequence[_Run], watch: WatchAll) -> None:
        self._runs, self._watch = runs, watch
        self._spent: BudgetSpentError | None = None

    async def carry_out(self, slots: int) -> None:
        left = sum(len(run.left) for run in self._runs)
        for run in self._runs:
            if run.left:
                self._watch(run.spec, run.done, run.total, "getting ready")
                await asyncio.to_thread(run.setting.prepare)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(slots, left)):
                    group.create_task(self._slot())
        except BaseExceptionGroup as exc:
            raise _first(exc) from exc
        if self._spent is not None:
            raise self._spent

    async def _slot(self) -> None:
        while (run := self._next()) is not None:
            key = run.left.popleft()
            run.under_way += 1
            try:
                await run.explore(key, partial(self._say, run, key))
            except BudgetSpentError as exc:
                # The others' open calls are paid for: they may end, but nothing new begins.
                self._spent = exc
                for each in self._runs:
                    each.setting.board.stopping = True
            finally:
                run.under_way -= 1
            if not run.setting.board.stopping:
                run.done += 1
                self._say(run, key, "done")

    def _next(self) -> _Run | None:
        """The run to go on with: the one with the fewest under way, of several that with most left."""
        open_ = [run for run in self._runs if run.left and not run.setting.board.stopping]
        return min(open_, key=lambda run: (run.under_way, -len(run.left)), default=None)

    def _say(self, run: _Run, key: Key, what: str) -> None:
        self._watch(run.spec, run.done, run.total, f"{run.named(key)}: {what}")


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one failure to tell: a named one of ours before others."""
    parts = group.exceptions
    leaves = [_first(p) if isinstance(p, BaseExceptionGroup) else p for p in parts]
    return next((leaf for leaf in leaves if isinstance(leaf, DdrError)), leaves[0])
