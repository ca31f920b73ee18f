"""Store what an agent yields as it comes, and hold its calls to the limits."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from agent.limits import reached
from agent.session import ToolUnavailableError
from core.errors import DdrError, ProviderError
from core.protocols import (
    ChatModel,
    Finish,
    Observation,
    Reply,
    Step,
    Tools,
    ToolSpec,
)
from core.run import Limits
from core.trajectory import (
    NO_USAGE,
    RUN_LIMIT,
    UNKNOWN_USAGE,
    Insight,
    ModelCall,
    Nudge,
    Preamble,
    Role,
    StopReason,
    Trajectory,
    Turn,
)
from server.board import Board
from server.store import Writer


class AgentFault(DdrError):  # noqa: N818 - what it is, not that it is an error
    """An agent broke the protocol: its turns are out of order, or it speaks of one to come."""


class Recorder:
    """One attempt on its way into the store. What it was told to keep is on disk when it returns."""

    def __init__(
        self,
        writer: Writer,
        trajectory: Trajectory,
        limits: Limits,
        now: Callable[[], datetime],
    ) -> None:
        self.trajectory = trajectory
        self.turns = 0
        self.idle = 0
        """Nudges since the last turn."""
        self.insights = 0
        """Those that say something."""
        self.reported = False
        self._kept_insights = 0
        self._usage = NO_USAGE
        self._writer, self._limits, self.now = writer, limits, now

    @property
    def is_idle(self) -> bool:
        """Whether it was nudged as often in a row as the limits allow."""
        return self.idle >= self._limits.max_idle_turns

    def limit(self) -> StopReason | None:
        """The limit that this attempt has reached."""
        seconds = (self.now() - self.trajectory.started_at).total_seconds()
        return reached(self._limits, turns=self.turns, usage=self._usage, seconds=seconds)

    async def keep(self, step: Step) -> None:
        """Store one thing. Raises AgentFault where it does not fit, StoreError where it cannot."""
        mine = self.trajectory.id
        if isinstance(step, Turn):
            if step.index != self.turns + 1:
                raise AgentFault(f"turn {step.index} came after turn {self.turns}")
            await self._writer.keep(lambda store: store.add_turn(mine, step))
            self.turns, self.idle = step.index, 0
            self._spend(step.call)
        elif isinstance(step, Nudge):
            if step.after_turn != self.turns:
                raise AgentFault(f"a nudge after turn {step.after_turn}; there are {self.turns}")
            await self._writer.keep(lambda store: store.add_nudge(mine, step))
            self.idle += 1
            self._spend(step.call)
        elif isinstance(step, Insight):
            await self._add(self._placed(step))
        elif isinstance(step, Finish):
            self.reported = step.report is not None
            await self._add(self._report(step))
        elif isinstance(step, Preamble):
            if self.turns or self.idle:
                raise AgentFault("its preamble came after it had begun")
            await self._writer.keep(lambda store: store.set_preamble(mine, step))
        else:
            raise AgentFault(f"it yielded a {type(step).__name__}")

    def _spend(self, call: ModelCall | None) -> None:
        if call is not None:
            self._usage = self._usage + call.usage

    def _report(self, last: Finish) -> Insight:
        return Insight(
            id="",
            trajectory_id="",
            level="trajectory",
            text=last.report,
            author=self.trajectory.model or self.trajectory.agent,
            prompt_hash=last.prompt_hash,
            call=last.call,
        )

    def _placed(self, said: Insight) -> Insight:
        """With its turn, which is the last one where it names none."""
        if said.level != "message":
            return said
        turn = said.turn if said.turn is not None else self.turns
        if not 1 <= turn <= self.turns:
            raise AgentFault(f"an insight speaks of turn {turn}; there are {self.turns}")
        return said.model_copy(update={"turn": turn})

    async def _add(self, said: Insight) -> None:
        self._kept_insights += 1
        self.insights += said.text is not None
        mine = self.trajectory.id
        name = f"{mine}.i{self._kept_insights}"
        named = said.model_copy(update={"id": name, "trajectory_id": mine})
        await self._writer.keep(lambda store: store.add_insight(named))

    async def keep_failed(self, call: ModelCall) -> None:
        """Store a model call that brought nothing: no turn holds it, but it may have cost."""
        mine = self.trajectory.id
        await self._writer.keep(lambda store: store.add_failed_call(mine, call))

    async def end(self, reason: StopReason, error: str | None = None) -> None:
        """Say why it ended."""
        mine, ended_at = self.trajectory.id, self.now()
        forced = self.reported and not reason.self_terminated
        await self._writer.keep(
            lambda store: store.end_trajectory(
                mine, reason, ended_at=ended_at, error=error, report_forced=forced
            )
        )


class HeardModel:
    """A model whose calls are kept where they fail; those that are answered come with a step."""

    def __init__(self, model: ChatModel, recorder: Recorder) -> None:
        self._model, self._recorder = model, recorder
        self.name = model.name

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        """One request. Raises ProviderError as the model does."""
        began, started_at = time.perf_counter(), self._recorder.now()
        try:
            return await self._model.complete(messages, tools, role=role, form=form)
        except ProviderError as exc:
            if role != "insight":  # an insight without text holds the call that failed
                failed = ModelCall(
                    role=role,
                    model_asked=self.name,
                    usage=UNKNOWN_USAGE,
                    started_at=started_at,
                    duration_s=time.perf_counter() - began,
                    error=str(exc),
                )
                await self._recorder.keep_failed(failed)
            raise


class LimitedTools:
    """Tools that answer nothing more once a limit is reached, and remember a lost server."""

    def __init__(
        self, tools: Tools, limit: Callable[[], StopReason | None], board: Board | None = None
    ) -> None:
        self._tools, self._limit, self._board = tools, limit, board or Board()
        self.lost: ToolUnavailableError | None = None

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer."""
        return await self._tools.list()

    async def call(self, name: str, arguments: Mapping[str, object]) -> Observation:
        """Call one, if there is anything left to spend."""
        if reason := self._limit():
            text = f"the limit {reason.value} is reached: no further calls; hand in the report"
            return Observation(text=text, is_error=True, error_kind=RUN_LIMIT)
        try:
            with self._board.busy("a tool"):
                return await self._tools.call(name, arguments)
        except ToolUnavailableError as exc:
            # An agent may swallow it; the runner must not.
            self.lost = exc
            raise
