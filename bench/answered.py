"""Tools that put a question to the database once, however many explorations ask it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.protocols import Observation, ToolSpec
from core.trajectory import Sandbox
from server.runner import HeldTools

Answers = dict[tuple[str, str], Observation]
"""By tool and arguments."""


class Answered:
    """A toolset that gives again what it, or another one of the same database, was answered.

    Right only where an answer depends on nothing but the question: for queries of a database that
    nobody writes, not for Python that keeps its variables. A failed call is made again.
    """

    def __init__(self, tools: HeldTools, answers: Answers) -> None:
        self._tools, self._answers = tools, answers

    @property
    def sandbox_state(self) -> Sandbox:
        """How Python is held, or why it is off."""
        return self._tools.sandbox_state

    async def list(self) -> Sequence[ToolSpec]:
        """The tools on offer."""
        return await self._tools.list()

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        """What was answered before, or the answer."""
        key = (name, json.dumps(dict(arguments), sort_keys=True))
        if key not in self._answers:
            answer = await self._tools.call(name, arguments)
            if answer.is_error:
                return answer
            self._answers[key] = answer
        return self._answers[key]

    async def close(self) -> None:
        """Let go of the tools; the answers stay."""
        await self._tools.close()
