"""Message-wise insights: what one turn alone tells, asked in a call of its own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from agent.prompting import Prompts
from core.errors import ProviderError
from core.outside import UNANSWERED
from core.protocols import ChatModel
from core.scenario import Task
from core.trajectory import UNKNOWN_USAGE, Insight, ModelCall, Turn

_NONE: Final = re.compile(
    r"[\W_]*(?:NO INSIGHTS?(?![A-Za-z]).*|(?i:no insights?)[\W_]*)?", re.DOTALL
)
"""The two words first of all in capitals, or alone in any case, or no word at all."""


@dataclass(frozen=True)
class InsightWriter:
    """Asks a model what a turn tells (DDR-04). It sees that turn and the task, nothing else."""

    model: ChatModel
    prompts: Prompts
    task: Task
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def write(self, turn: Turn) -> Insight:
        """The insight of one turn; its text is None where there is none to be had.

        A failing endpoint ends nothing here: the insight has no text, and its call the error.
        """
        return (await self.attempt(turn))[0]

    async def attempt(self, turn: Turn) -> tuple[Insight, ProviderError | None]:
        """The same, with the failure for whoever has to decide whether to go on."""
        asked = self.prompts.fill("insight", self.task, turn=render(turn))
        began, started_at = self.clock(), self.now()
        try:
            reply = await self.model.complete([{"role": "user", "content": asked}], role="insight")
        except ProviderError as exc:
            failed = ModelCall(
                role="insight",
                model_asked=self.model.name,
                usage=UNKNOWN_USAGE,
                started_at=started_at,
                duration_s=max(0.0, self.clock() - began),
                error=str(exc),
            )
            return self._insight(turn, None, failed), exc
        return self._insight(turn, read(reply.text), reply.call), None

    def none(self, turn: Turn) -> Insight:
        """No insight, without asking."""
        return self._insight(turn, None, None)

    def _insight(self, turn: Turn, text: str | None, call: ModelCall | None) -> Insight:
        return Insight(
            id=f"message-{turn.index}",
            trajectory_id="",
            level="message",
            turn=turn.index,
            text=text,
            author=self.model.name,
            prompt_hash=self.prompts.hash_of("insight"),
            call=call,
        )


def read(said: str) -> str | None:
    """The insight in a reply, or None where it says that there is none."""
    return None if _NONE.fullmatch(said) else said.strip()


def render(turn: Turn) -> str:
    """One turn as text: what was thought and said, each call, and what it answered."""
    parts = [turn.reasoning or "", turn.text]
    answers = {result.call_id: result for result in turn.tool_results}
    for number, call in enumerate(turn.tool_calls, 1):
        parts.append(f"Call {number}: {call.name} {call.arguments}")
        if result := answers.get(call.call_id):
            outcome = " (an error)" if result.is_error else ""
            said = "none was sent" if result.error_kind == UNANSWERED else result.text
            parts.append(f"Answer {number}{outcome}: {said}")
    return "\n\n".join(part.strip() for part in parts if part.strip())
