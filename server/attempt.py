"""One agent at one entity, from its first word to the ending that is stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import anyio

from agent.session import UNAVAILABLE, ToolUnavailableError, connect
from core.errors import ProviderError, ToolError
from core.protocols import Finish, Observation, Step, Tools
from core.run import RunSpec
from core.scenario import Task
from core.trajectory import Nudge, Preamble, StopReason, Turn
from server.figures import DrawingTools, keep_figures
from server.mcp_app import make_app
from server.metering import BudgetSpentError
from server.recorder import AgentFault, HeardModel, LimitedTools, Recorder
from server.revision import code_revision, version
from server.runs import competitor
from server.store import Writer
from server.store.attempts import Key

if TYPE_CHECKING:
    from server.runner import HeldTools, Setting

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attempt:
    """What is explored, with what, and where it is kept."""

    spec: RunSpec
    setting: Setting
    key: Key
    tools: HeldTools
    writer: Writer
    say: Callable[[str], None]

    async def explore(self) -> None:
        """Let a fresh agent explore over a session of its own; whatever happens ends it in words.

        Raises StoreError where a record cannot be kept, BudgetSpentError where the money ran out
        (it ended as cancelled), and what cancels it.
        """
        task = self.setting.scenario.task(self.key[0], self.spec.goal)
        recorder: Recorder | None = None

        async def keep(seen: Observation) -> None:
            if recorder is not None:  # nothing is called before the beginning is stored
                await keep_figures(self.writer.keep, recorder.trajectory.id, seen)

        try:
            await self.tools.list()  # opens them: only then is it known how Python is held
            drawing = DrawingTools(self.tools, keep)
            app, timeout_s = make_app(drawing, task), self.setting.call_timeout_s
            async with connect(app, version=version(), timeout_s=timeout_s) as session:
                schemas = tuple(spec.model_dump() for spec in await session.list())
                preamble = Preamble(
                    system_prompt=session.instructions,
                    start_prompt=task.text,
                    tool_schemas=schemas,
                )
                recorder = await self._begin(client=session.client, preamble=preamble)
                await self._converse(task, session, recorder)
        except ToolError as exc:
            if exc.kind != UNAVAILABLE:
                raise
            recorder = recorder or await self._begin()
            await recorder.end(StopReason.TOOL_UNAVAILABLE, str(exc))

    async def _begin(self, **met: Any) -> Recorder:
        """The stored beginning; the exploration's time runs from here."""
        spec = self.spec
        draft = spec.draft(
            self.key,
            self.setting.now(),
            model=competitor(spec) if spec.model else None,
            sandbox=self.tools.sandbox_state,
            code_revision=code_revision(),
            **met,
        )
        started = await self.writer.keep(lambda store: store.start_trajectory(draft))
        return Recorder(self.writer, started, spec.limits, self.setting.now)

    async def _converse(self, task: Task, tools: Tools, recorder: Recorder) -> None:
        """Let the agent explore until one of the endings, and store which it was."""
        setting, limits = self.setting, self.spec.limits
        limited = LimitedTools(tools, recorder.limit, setting.board)
        model = setting.make_model(self.key)
        heard = None if model is None else HeardModel(model, recorder)
        steps = setting.make_agent(self.key).explore(task, limited, heard, limits)
        reason: StopReason | None = None
        error: str | None = None
        try:
            patience = (
                None if limits.max_seconds is None else limits.max_seconds + setting.last_word_s
            )
            with anyio.move_on_after(patience):
                reason = await self._listen(steps, recorder)
        except asyncio.CancelledError:
            await recorder.end(StopReason.CANCELLED)
            raise
        except BudgetSpentError as exc:
            await recorder.end(StopReason.CANCELLED, str(exc))
            raise
        except _Ended as exc:
            reason, error = exc.reason, exc.told
        finally:
            await _close(steps)
        if limited.lost is not None:
            reason, error = StopReason.TOOL_UNAVAILABLE, str(limited.lost)
        await recorder.end(reason or StopReason.MAX_SECONDS, error)

    async def _listen(self, steps: AsyncIterator[Step], recorder: Recorder) -> StopReason:
        told = False
        while not self.setting.board.stopping:
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
                await recorder.keep(step)
            except AgentFault as exc:
                raise _Ended(StopReason.ABANDONED, f"the agent broke the rules: {exc}") from exc
            self.setting.board.turns += isinstance(step, Turn)
            if isinstance(step, Finish):
                return await _ending(step, steps, limit)
            self.say(f"turn {recorder.turns}, {recorder.insights} insights")
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
    return step.met_limit


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
