"""Explore what a run still lacks: each entity by its own agent, over its own MCP session."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import anyio

from agent.session import CALL_TIMEOUT_S, ToolUnavailableError, connect
from core.errors import DdrError, ProviderError, ScenarioError
from core.protocols import Agent, ChatModel, Finish, Step, Tools
from core.run import RunSpec
from core.scenario import Scenario, Task
from core.trajectory import Nudge, Preamble, Sandbox, StopReason, Trajectory, Turn
from server.board import Board
from server.mcp_app import make_app
from server.metering import BudgetSpentError
from server.recorder import AgentFault, LimitedTools, Recorder
from server.revision import code_revision, version
from server.runs import competitor
from server.store import Repository, RunLock
from server.store.attempts import Key, to_do

_LOG = logging.getLogger(__name__)

Watch = Callable[[float, float, str], None]
"""Told how many (entity, trial) pairs are done, of how many, and what happens now."""


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

    def task(self, entity_id: str) -> Task:
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
    make_agent: Callable[[], Agent]
    open_tools: Callable[[str], HeldTools]
    """Given a session's name, which is the trajectory's key."""
    make_model: Callable[[Key], ChatModel | None] = lambda _key: None
    """The model that explores one (entity, trial), already metered; None for an agent without."""
    board: Board = field(default_factory=Board)
    now: Callable[[], datetime] = utc_now
    call_timeout_s: float = CALL_TIMEOUT_S
    last_word_s: float = 60.0
    """Past max_seconds: tools answer nothing more, but the agent may still hand in its report."""


def _silent(_done: float, _total: float, _what: str) -> None: ...


async def explore(
    spec: RunSpec, setting: Setting, *, retry_errors: bool = False, watch: Watch = _silent
) -> None:
    """Explore every (entity, trial) of the run that the store lacks, `spec.concurrency` at a time.

    Each turn is stored as it ends. Raises StoreError where another process works on the run or a
    record cannot be kept, ScenarioError where the database is not the run's, BudgetSpentError where
    the money ran out: what was open is then cancelled, and what was not begun stays so. A
    cancellation ends the open attempts as cancelled; what was stored stays. `setting.board.stopping`
    ends each after the step that is under way.
    """
    with RunLock(setting.locks, spec.id):
        same_content(spec, setting.scenario)
        await _Run(spec, setting, watch, retry_errors).work()


def same_content(spec: RunSpec, scenario: Explored) -> None:
    """Raise ScenarioError unless the database is whole and the one that the run began on."""
    scenario.check()
    found = scenario.scenario.fingerprint
    if found != spec.scenario_fingerprint:
        raise ScenarioError(
            f"the database of {spec.scenario_id} has changed since run {spec.id} began: its "
            f"fingerprint is {str(found)[:12]}, the run's {spec.scenario_fingerprint[:12]}; "
            f"begin a new run: ddr run --scenario {spec.scenario_id} --agent {spec.agent}"
        )


class _Run:
    """The work that is left, and those who do it."""

    def __init__(self, spec: RunSpec, setting: Setting, watch: Watch, retry_errors: bool) -> None:
        left = to_do(spec, setting.store.heads(spec.id), retry_errors=retry_errors)
        self._spec, self._setting, self._watch = spec, setting, watch
        self._left = deque(left)
        self._total = len(spec.entity_ids) * spec.trials
        self._done = self._total - len(left)
        self._spent: BudgetSpentError | None = None

    async def work(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._spec.concurrency, len(self._left))):
                    group.create_task(self._worker())
        except BaseExceptionGroup as exc:
            raise _first(exc) from exc
        if self._spent is not None:
            raise self._spent

    async def _worker(self) -> None:
        while self._left and not self._setting.board.stopping:
            key = self._left.popleft()
            await self._explore_one(key)
            if self._setting.board.stopping:
                return
            self._done += 1
            self._say(key, "done")

    def _say(self, key: Key, what: str) -> None:
        trial = f" (trial {key[1]})" if self._spec.trials > 1 else ""
        noun = self._setting.scenario.scenario.entity_noun
        self._watch(self._done, self._total, f"{noun} {key[0]}{trial}: {what}")

    async def _explore_one(self, key: Key) -> None:
        same_content(self._spec, self._setting.scenario)
        tools = self._setting.open_tools(f"{self._spec.id}.{key[0]}.{key[1]}")
        try:
            await self._attempt(key, tools)
        finally:
            # Shielded: a second Ctrl-C must not leave a sandbox behind.
            with anyio.CancelScope(shield=True):
                await tools.close()

    async def _attempt(self, key: Key, tools: HeldTools) -> None:
        task = self._setting.scenario.task(key[0])
        draft = self._draft(key, tools)
        recorder: Recorder | None = None
        try:
            app, timeout_s = make_app(tools, task), self._setting.call_timeout_s
            async with connect(app, version=version(), timeout_s=timeout_s) as session:
                schemas = tuple(spec.model_dump() for spec in await session.list())
                preamble = Preamble(
                    system_prompt=session.instructions,
                    start_prompt=task.text,
                    tool_schemas=schemas,
                )
                met = {"client": session.client, "preamble": preamble}
                recorder = self._recorder(draft.model_copy(update=met))
                await self._converse(key, task, session, recorder)
        except ToolUnavailableError as exc:
            (recorder or self._recorder(draft)).end(StopReason.TOOL_UNAVAILABLE, str(exc))

    def _recorder(self, draft: Trajectory) -> Recorder:
        started = self._setting.store.start_trajectory(draft)
        return Recorder(self._setting.store, started, self._spec.limits, self._setting.now)

    def _draft(self, key: Key, tools: HeldTools) -> Trajectory:
        return Trajectory(
            id="",
            run_id=self._spec.id,
            scenario_id=self._spec.scenario_id,
            scenario_fingerprint=self._spec.scenario_fingerprint,
            entity_id=key[0],
            trial=key[1],
            agent=self._spec.agent,
            model=competitor(self._spec) if self._spec.model else None,
            sandbox=tools.sandbox_state,
            started_at=self._setting.now(),
            code_revision=code_revision(),
        )

    async def _converse(self, key: Key, task: Task, tools: Tools, recorder: Recorder) -> None:
        """Let the agent explore until one of the endings, and store which it was."""
        setting, limits = self._setting, self._spec.limits
        limited = LimitedTools(tools, recorder.limit, setting.board)
        steps = setting.make_agent().explore(task, limited, setting.make_model(key), limits)
        reason: StopReason | None = None
        error: str | None = None
        try:
            patience = (
                None
                if limits.max_seconds is None
                else limits.max_seconds + self._setting.last_word_s
            )
            with anyio.move_on_after(patience):
                reason = await self._listen(key, steps, recorder)
        except asyncio.CancelledError:
            recorder.end(StopReason.CANCELLED)
            raise
        except BudgetSpentError as exc:
            recorder.end(StopReason.CANCELLED, str(exc))
            # The others' open calls are paid for: they may end, but nothing new begins.
            self._spent, setting.board.stopping = exc, True
            return
        except _Ended as exc:
            reason, error = exc.reason, exc.told
        finally:
            await _close(steps)
        if limited.lost is not None:
            reason, error = StopReason.TOOL_UNAVAILABLE, str(limited.lost)
        recorder.end(reason or StopReason.MAX_SECONDS, error)

    async def _listen(self, key: Key, steps: AsyncIterator[Step], recorder: Recorder) -> StopReason:
        told = False
        while not self._setting.board.stopping:
            # Asked before the agent goes on: what it began within the limits is still kept.
            limit = recorder.limit()
            step = await _next(steps, recorder, limit)
            if isinstance(step, StopReason):
                return step
            if limit is not None and isinstance(step, (Turn, Nudge)):
                # An agent's clock starts later than ours: it may find out by a refused call.
                if told or not _was_refused(step):
                    return limit
                told = True
            try:
                recorder.keep(step)
            except AgentFault as exc:
                raise _Ended(StopReason.ABANDONED, f"the agent broke the rules: {exc}") from exc
            self._setting.board.turns += isinstance(step, Turn)
            if isinstance(step, Finish):
                return await _ending(step, steps, limit)
            self._say(key, f"turn {recorder.turns}, {recorder.insights} insights")
        return StopReason.CANCELLED


async def _next(
    steps: AsyncIterator[Step], recorder: Recorder, limit: StopReason | None
) -> Step | StopReason:
    """The agent's next step, or the reason why there is none. Raises _Ended for a fault."""
    try:
        return await anext(steps)
    except StopAsyncIteration:
        return StopReason.IDLE if recorder.is_idle else limit or StopReason.IDLE
    except BudgetSpentError:
        raise
    except ProviderError as exc:
        full = exc.kind == "context_length"
        reason = StopReason.CONTEXT_LENGTH if full else StopReason.PROVIDER_ERROR
        raise _Ended(reason, str(exc)) from exc
    except ToolUnavailableError as exc:
        raise _Ended(StopReason.TOOL_UNAVAILABLE, str(exc)) from exc
    except Exception as exc:
        _LOG.debug("the agent crashed", exc_info=True)
        told = f"the agent crashed: {type(exc).__name__}: {exc}"
        raise _Ended(StopReason.ABANDONED, told) from exc


def _was_refused(step: Turn | Nudge) -> bool:
    """Whether an agent with a model was told in this turn that the time is over."""
    if isinstance(step, Nudge) or step.call is None:
        return False
    return any(result.error_kind == "limit" for result in step.tool_results)


async def _ending(last: Finish, steps: AsyncIterator[Step], limit: StopReason | None) -> StopReason:
    """Why it ended, by its last word and the limit that it had reached before."""
    if last.stop_reason is StopReason.CONTEXT_LENGTH:
        try:
            await anext(steps, None)
        except ProviderError as exc:
            raise _Ended(StopReason.CONTEXT_LENGTH, str(exc)) from exc
    if last.stop_reason is not None:
        return last.stop_reason
    if last.call is not None and last.call.role == "agent":
        return StopReason.FINISHED
    # At a limit it had no choice: only an agent that could have gone on stops itself.
    return limit or StopReason.FINISHED


class _Ended(Exception):  # noqa: N818 - an ending, not an error
    """The agent came to an end that is not of its choosing."""

    def __init__(self, reason: StopReason, told: str) -> None:
        super().__init__(told)
        self.reason, self.told = reason, told


async def _close(steps: AsyncIterator[Step]) -> None:
    close = getattr(steps, "aclose", None)
    if close is not None:
        await close()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one failure to tell: a named one of ours before others."""
    parts = group.exceptions
    leaves = [_first(p) if isinstance(p, BaseExceptionGroup) else p for p in parts]
    return next((leaf for leaf in leaves if isinstance(leaf, DdrError)), leaves[0])
