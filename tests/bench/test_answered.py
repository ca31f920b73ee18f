"""Explorations that share what a database answered see what each would see alone."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agent.profiler.agent import ProfilerAgent
from bench.answered import Answered, Answers
from core.protocols import Observation, ToolSpec
from core.trajectory import Sandbox
from server.runner import HeldTools
from tests.agent.profiler.exploring import Exploration, explore
from tests.agent.profiler.putting import table


class Counted:
    """Answers a query with its number; the first call fails."""

    def __init__(self) -> None:
        self.calls = 0

    sandbox_state = Sandbox(name="off")

    async def list(self) -> Sequence[ToolSpec]:
        return []

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        self.calls += 1
        return Observation(text=str(self.calls), is_error=self.calls == 1)

    async def close(self) -> None:
        pass


def test_a_question_is_put_once_and_again_where_it_failed() -> None:
    tools, answers = Counted(), Answers()

    async def asked(of: Answered, query: str) -> str:
        return (await of.call("execute_query", {"query": query})).text

    async def all_of_them() -> list[str]:
        one, other = Answered(tools, answers), Answered(tools, answers)
        return [
            await asked(one, "a"),
            await asked(one, "a"),
            await asked(other, "a"),
            await asked(other, "b"),
        ]

    assert asyncio.run(all_of_them()) == ["1", "2", "2", "3"]


def test_the_reports_are_those_of_explorations_that_share_nothing(tmp_path: Path) -> None:
    path = table(tmp_path, "'s' || i % 6 AS shop, 'k' || hash(i) % 4 AS kind, hash(i) % 9 AS cost")
    answers: Answers = {}

    def explored(entity: str, most: int | None, *, shared: bool) -> Exploration:
        return explore(
            path,
            entity,
            agent=ProfilerAgent(most=most),
            wrap=lambda tools: Answered(cast(HeldTools, tools), answers) if shared else tools,
        )

    for entity, most in (("s1", 2), ("s1", None), ("s2", 3)):
        alone, together = (explored(entity, most, shared=shared) for shared in (False, True))
        assert together.report == alone.report
        assert together.said == alone.said
    assert len(answers) > 10
