"""Store what an agent yields as it comes, and hold its calls to the limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from agent.limits import reached
from agent.session import ToolUnavailableError
from core.errors import DdrError
from core.protocols import Finish, Observation, Step, Tools, ToolSpec
from core.run import Limits
from core.trajectory import (
    NO_USAGE,
    Insight,
    ModelCall,
    Nudge,
    Preamble,
    StopReason,
    Trajectory,
    Turn,
)
from server.board import Board
from server.store import Repository


class AgentFault(DdrError):  # noqa: N818 - what it is, not that it is an error
    """An agent broke the protocol: its turns are out of order, or it speaks of one to come."""


class Recorder:
    """One attempt on its way into the store."""

    def __init__(
        self,
        store: Repository,
        trajectory: Trajectory,
        limits: Limits,
        now: Callable[[], datetime],
    ) -> None:
        self.trajectory = trajectory
        self.turns = 0
        self.idle = 0
        """Nudges since the last turn."""
        self.insights = 0
        self.reported = False
        self._usage = NO_USAGE
        self._store, self._limits, self._now = store, limits, now

    @property
    def is_idle(self) -> bool:
        """Whether it was nudged as often in a row as the limits allow."""
        return self.idle >= self._limits.max_idle_turns

    def limit(self) -> StopReason | None:
        """The limit that this attempt has reached."""
        seconds = (self._now() - self.trajectory.started_at).total_seconds()
        return reached(self._limits, turns=self.turns, usage=self._usage, seconds=seconds)

    def keep(self, step: Step) -> None:
        """Store one thing. Raises AgentFault where it does not fit, StoreError where it cannot."""
        if isinstance(step, Turn):
            self._keep_turn(step)
        elif isinstance(step, Nudge):
            if step.after_turn != self.turns:
                raise AgentFault(f"a nudge after turn {step.after_turn}; there are {self.turns}")
            self._store.add_nudge(self.trajectory.id, step)
            self.idle += 1
            self._spend(step.call)
        elif isinstance(step, Insight):
            self._keep_insight(step)
        elif isinstance(step, Finish):
            self._keep_finish(step)
        elif isinstance(step, Preamble):
            if self.turns or self.idle:
                raise AgentFault("its preamble came after it had begun")
            self._store.set_preamble(self.trajectory.id, step)
        else:
            raise AgentFault(f"it yielded a {type(step).__name__}")

    def _keep_turn(self, turn: Turn) -> None:
        if turn.index != self.turns + 1:
            raise AgentFault(f"turn {turn.index} came after turn {self.turns}")
        self._store.add_turn(self.trajectory.id, turn)
        self.turns += 1
        self.idle = 0
        self._spend(turn.call)

    def _spend(self, call: ModelCall | None) -> None:
        if call is not None:
            self._usage = self._usage + call.usage

    def _keep_finish(self, last: Finish) -> None:
        self.reported = last.report is not None
        self._add(
            Insight(
                id="",
                trajectory_id="",
                level="trajectory",
                text=last.report,
                author=self.trajectory.model or self.trajectory.agent,
                prompt_hash=last.prompt_hash,
                call=last.call,
            )
        )

    def _keep_insight(self, said: Insight) -> None:
        if said.level == "message":
            turn = said.turn if said.turn is not None else self.turns
            if not 1 <= turn <= self.turns:
                raise AgentFault(f"an insight speaks of turn {turn}; there are {self.turns}")
            said = said.model_copy(update={"turn": turn})
        self._add(said)

    def _add(self, said: Insight) -> None:
        self.insights += 1
        mine = self.trajectory.id
        named = {"id": f"{mine}.i{self.insights}", "trajectory_id": mine}
        self._store.add_insight(said.model_copy(update=named))

    def end(self, reason: StopReason, error: str | None = None) -> None:
        """Say why it ended."""
        self._store.end_trajectory(
            self.trajectory.id,
            reason,
            ended_at=self._now(),
            error=error,
            report_forced=self.reported and not reason.self_terminated,
        )


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
            return Observation(text=text, is_error=True, error_kind="limit")
        try:
            with self._board.busy("a tool"):
                return await self._tools.call(name, arguments)
        except ToolUnavailableError as exc:
            # An agent may swallow it; the runner must not.
            self.lost = exc
            raise
