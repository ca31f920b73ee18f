"""The closed book: the same model, told which entity and which tables, that may look at nothing."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from agent.finish import after_marker
from agent.history import History
from agent.prompting import Prompts, table_list
from core.agent_class import CLOSED_BOOK
from core.errors import UsageError
from core.protocols import ChatModel, Finish, Step, Tools
from core.run import Limits
from core.scenario import Task
from core.trajectory import Insight, Preamble, Turn

_SYSTEM: Final = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").strip()
_BULLET: Final = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")


class ClosedBookAgent:
    """What a model says of an entity before it has seen anything: the baseline of its own knowledge.

    Its start prompt is that of an exploration; one reply is asked for, without tools. Each line of it
    is a message-wise insight of turn 1, and all of it is the report.
    """

    name = CLOSED_BOOK

    def __init__(
        self,
        *,
        prompts: Prompts | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`prompts`: those of the exploration that it is compared with, of which it takes the start."""
        self._prompts, self._clock, self._now = prompts or Prompts.builtin(), clock, now

    async def explore(
        self, task: Task, tools: Tools, model: ChatModel | None, limits: Limits
    ) -> AsyncIterator[Step]:
        """The preamble, one turn without a call, its insights, and the report. Raises ProviderError."""
        if model is None:
            raise UsageError(f"the agent {CLOSED_BOOK} needs a model: give --model")
        # The list of tables is part of the start prompt; nothing else of the database is read.
        overview = await tools.call("get_database_info", {})
        start = self._prompts.fill("start", task, tables=table_list(overview.data))
        yield Preamble(system_prompt=_SYSTEM, start_prompt=start, tool_schemas=())
        began, started_at = self._clock(), self._now()
        reply = await model.complete(History(_SYSTEM, start).messages(), role="agent")
        yield Turn(
            index=1,
            text=reply.text,
            reasoning=reply.reasoning,
            call=reply.call,
            started_at=started_at,
            duration_s=max(0.0, self._clock() - began),
        )
        said = after_marker(reply.text)
        report = reply.text.strip() if said is None else said
        for line in findings(report):
            yield Insight(
                id="", trajectory_id="", level="message", turn=1, text=line, author=model.name
            )
        yield Finish(report=report or None)


def findings(report: str) -> list[str]:
    """The lines of a report that say something, without the marks of a list."""
    lines = (_BULLET.sub("", line).strip() for line in report.splitlines())
    return [line for line in lines if any(char.isalnum() for char in line)]
