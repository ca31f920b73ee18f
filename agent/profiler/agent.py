"""The profiler as an Agent: it puts its questions to the tools and stops by itself."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime

from agent.profiler.explorer import Explorer
from agent.profiler.reply import QUERY, Ask, Conversation, Note, Reply, read
from core.protocols import ChatModel, Finish, Observation, Tools
from core.run import Limits
from core.scenario import Task
from core.trajectory import Insight, ToolCall, ToolResult, Turn

NAME = "profiler"


class ProfilerAgent:
    """Explores one entity by asking the database what stands out; asks no model.

    Same database, same tools, same words: nothing depends on chance or time but the limit
    `max_seconds`, which ends the exploration early, as `max_turns` does, with the report as it
    stands then. So does `most`, a number of questions: what it takes to look at the schema and to find
    the entity's rows is not counted.
    """

    name = NAME

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, most: int | None = None
    ) -> None:
        self._clock = clock
        self._most = most

    async def explore(
        self, task: Task, tools: Tools, model: ChatModel | None, limits: Limits
    ) -> AsyncIterator[Turn | Insight | Finish]:
        """Yield each turn and its insight, then the report."""
        begun = self._clock()
        explorer = Explorer(task)
        if QUERY not in {spec.name for spec in await tools.list()}:
            yield Finish(report=explorer.speechless(QUERY))
            return
        questions = explorer.run()
        index = 0
        item: Ask | Note | None = next(questions, None)
        while isinstance(item, Ask):
            if self._used_up(limits, index, begun):
                break
            if self._most is not None and explorer.asked >= self._most:
                break
            index += 1
            turn, observation = await self._turn(index, item, tools)
            yield turn
            explorer.failed += observation.is_error
            item = _next(questions, read(observation))
            said = item.text if isinstance(item, Note) else None
            yield Insight(
                id=f"message-{index}",
                trajectory_id="",
                level="message",
                turn=index,
                text=said,
                author=NAME,
            )
            if isinstance(item, Note):
                item = _next(questions, Reply())
        questions.close()
        yield Finish(report=explorer.report())

    def _used_up(self, limits: Limits, turns: int, begun: float) -> bool:
        if limits.max_turns is not None and turns >= limits.max_turns:
            return True
        return limits.max_seconds is not None and self._clock() - begun >= limits.max_seconds

    async def _turn(self, index: int, ask: Ask, tools: Tools) -> tuple[Turn, Observation]:
        started_at, begun = datetime.now(UTC), self._clock()
        observation = await tools.call(ask.tool, ask.arguments)
        call_id = f"call-{index}"
        call = ToolCall(call_id=call_id, name=ask.tool, arguments=json.dumps(dict(ask.arguments)))
        result = ToolResult(
            call_id=call_id,
            name=ask.tool,
            text=observation.text,
            is_error=observation.is_error,
            error_kind=observation.error_kind,
            truncated=observation.truncated,
            accessed_fields=observation.accessed_fields,
            violations=observation.violations,
            duration_s=observation.duration_s,
        )
        turn = Turn(
            index=index,
            text=ask.why,
            tool_calls=(call,),
            tool_results=(result,),
            started_at=started_at,
            duration_s=max(0.0, self._clock() - begun),
        )
        return turn, observation


def _next(questions: Conversation[None], reply: Reply) -> Ask | Note | None:
    try:
        return questions.send(reply)
    except StopIteration:
        return None
