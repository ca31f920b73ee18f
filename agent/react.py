"""The ReAct agent: a model, its tools and the whole history, until the model says that it is done."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Literal

from agent import calls
from agent.announcing import announced
from agent.finish import after_marker, finishing_report, near_finish
from agent.going_on import going_on
from agent.history import History, acted, behind, beyond_plain, nudged, replayed
from agent.insights import InsightWriter
from agent.limits import Meter
from agent.prompting import Prompts, table_list
from core.errors import ProviderError, UsageError
from core.protocols import ChatModel, Finish, Reply, Step, Tools, ToolSpec
from core.run import Limits
from core.scenario import Task
from core.trajectory import RUN_LIMIT, Nudge, Preamble, StopReason, Trajectory, Turn

DDR_MAX_TURNS: Final = 100
"""Where protocol ddr stops unless a limit says otherwise (DDR-01)."""


class ReactAgent:
    """Explores one entity with a language model: no plan, no memory, no question (DDR-02)."""

    name = "react"

    def __init__(
        self,
        *,
        prompts: Prompts | None = None,
        insights: Literal["per-turn", "later", "none"] = "per-turn",
        final_report: Literal["ask", "none"] = "ask",
        insight_model: ChatModel | None = None,
        protocol: Literal["default", "ddr"] = "default",
        announces: bool = False,
        onward: Trajectory | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`announces`: each turn the model is told what is left of its limits. `onward`: a trajectory
        of the same entity that had finished, and is gone on from; the limits count what is new."""
        self.prompts, self.clock, self.now = prompts or Prompts.builtin(), clock, now
        self.is_ddr = protocol == "ddr"
        self._insights, self._insight_model = insights == "per-turn", insight_model
        self._asks_for_report = final_report == "ask"
        self.announces, self._onward = announces, onward

    async def explore(
        self, task: Task, tools: Tools, model: ChatModel | None, limits: Limits
    ) -> AsyncIterator[Step]:
        """Yield what was sent first, each turn and its insight, each nudge, and the report.

        Raises ProviderError where an endpoint failed, after the Finish where the history no longer
        fitted. After `limits.max_idle_turns` idle replies in a row it ends without a Finish.
        """
        if model is None:
            raise UsageError("the agent react needs a model: give --model")
        if self.is_ddr and limits.max_turns is None:
            limits = limits.model_copy(update={"max_turns": DDR_MAX_TURNS})
        meter, specs = Meter(limits, self.clock), tuple(await tools.list())
        preamble, history = await self._opening(task, tools, specs, meter)
        yield preamble

        asked = self._insight_model or model
        exploration = _Exploration(self, task, tools, specs, model, history, meter)
        writer = InsightWriter(asked, self.prompts, task, clock=self.clock, now=self.now)
        while not exploration.stopped():
            reply = await exploration.ask()
            if reply is None:
                break
            if (report := finishing_report(reply)) is not None:
                told = self.prompts.hash_of("system")
                yield Finish(report=report or None, call=reply.call, prompt_hash=told)
                return
            if reply.tool_calls:
                turn = await exploration.act(reply)
                yield turn
                if self._insights:
                    # Where nothing was executed there is nothing to be asked about.
                    refused = turn.was_refused
                    yield writer.none(turn) if refused else await writer.write(turn)
            else:
                yield exploration.nudge(reply)
        if self._asks_for_report and (exploration.stop != StopReason.IDLE or self.is_ddr):
            yield await exploration.report()
        elif exploration.stop not in (StopReason.IDLE, StopReason.CONTEXT_LENGTH):
            yield Finish(report=None, stop_reason=exploration.stop)
        if exploration.overflow:
            raise exploration.overflow

    async def _opening(
        self, task: Task, tools: Tools, specs: tuple[ToolSpec, ...], meter: Meter
    ) -> tuple[Preamble, History]:
        """What is sent before the first turn."""
        schemas = tuple(spec.model_dump() for spec in specs)
        if self._onward is not None:
            nudge = self.prompts.fill("nudge", task)
            return going_on(self._onward, nudge=nudge, tool_schemas=schemas)
        system = self.prompts.fill("system", task)
        # Part of the first message, not an act of the model's: no turn.
        overview = await tools.call("get_database_info", {})
        start = self.prompts.fill("start", task, tables=table_list(overview.data))
        start = behind(start, announced(meter) if self.announces else None)
        preamble = Preamble(system_prompt=system, start_prompt=start, tool_schemas=schemas)
        return preamble, History(system, start)


@dataclass
class _Exploration:
    """One conversation: what was said so far, and what ended it."""

    agent: ReactAgent
    task: Task
    tools: Tools
    specs: tuple[ToolSpec, ...]
    model: ChatModel
    history: History
    meter: Meter
    stop: StopReason | None = None
    overflow: ProviderError | None = None
    idle: int = 0
    _began: tuple[datetime, float] = field(init=False)

    def stopped(self) -> StopReason | None:
        """What ended it, asked before anything more is spent."""
        self.stop = self.stop or self.meter.reached()
        return self.stop

    async def ask(self) -> Reply | None:
        """The model's next reply; None where the history no longer fits."""
        self._began = self.agent.now(), self.agent.clock()
        try:
            reply = await self.model.complete(self.history.messages(), self.specs, role="agent")
        except ProviderError as exc:
            if exc.kind != "context_length":
                raise
            self.stop, self.overflow = StopReason.CONTEXT_LENGTH, exc
            return None
        self.meter.spend(reply.call)
        return reply

    async def act(self, reply: Reply) -> Turn:
        """Carry out every call of a reply, in its order: one turn."""
        self.meter.turns += 1
        self.idle = 0
        made = calls.distinct(reply.tool_calls, self.meter.turns)
        seen = []
        for place, call in enumerate(made):
            spare = self.agent.is_ddr and place > 0
            seen.append(calls.ONE_CALL if spare else await calls.answer(call, reply, self.tools))
        results = tuple(map(calls.result, made, seen))
        if any(result.error_kind == RUN_LIMIT for result in results):
            self.stop = self.meter.refused()
        told = self._announced()
        self.history.add(*acted(reply, made, results, told))
        return Turn(
            index=self.meter.turns,
            text=reply.text,
            reasoning=reply.reasoning,
            tool_calls=made,
            tool_results=results,
            call=reply.call,
            near_finish=near_finish(reply),
            raw=beyond_plain(reply),
            told=told,
            started_at=self._began[0],
            duration_s=max(0.0, self.agent.clock() - self._began[1]),
        )

    def nudge(self, reply: Reply) -> Nudge:
        """A reply that neither called nor finished: a model call, not a turn. Too many end it."""
        self.idle += 1
        if self.idle >= self.meter.limits.max_idle_turns:
            self.stop = StopReason.IDLE
        told = self._announced()
        ask = self.agent.prompts.fill("nudge", self.task)
        is_last = self.stop == StopReason.IDLE
        self.history.add(*(replayed(reply, ()) if is_last else nudged(reply, ask, told)))
        return Nudge(
            after_turn=self.meter.turns,
            text=reply.text,
            reasoning=reply.reasoning,
            near_finish=near_finish(reply),
            told=told,
            call=reply.call,
        )

    def _announced(self) -> str | None:
        """What is left, where that is told and the model goes on."""
        return announced(self.meter) if self.agent.announces and not self.stopped() else None

    async def report(self) -> Finish:
        """Ask once, without tools, for the report: over the newest exchanges that fit."""
        ask = self.agent.prompts.fill("report", self.task)
        kept = len(self.history) // 2 if self.overflow else len(self.history)
        while True:
            gone = len(self.history) - kept
            cut = self.agent.prompts.fill("cut", self.task, count=str(gone)) if gone else ""
            messages = self.history.messages(newest=kept, ask=f"{cut}\n\n{ask}".strip())
            try:
                reply = await self.model.complete(messages, role="report")
                break
            except ProviderError as exc:
                if exc.kind != "context_length" or kept == 0:
                    raise
                kept //= 2
        said = after_marker(reply.text)
        return Finish(
            report=(reply.text if said is None else said).strip() or None,
            call=reply.call,
            prompt_hash=self.agent.prompts.hash_of("report"),
            stop_reason=self.stop,
        )
