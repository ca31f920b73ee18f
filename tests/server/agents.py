"""Agents that a real `ddr run` loads by their path: `--agent tests.server.agents:GatedAgent`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

from core.protocols import ChatModel, Finish, Observation, Tools
from core.run import Limits
from core.scenario import Task
from core.trajectory import Insight, ToolCall, ToolResult, Turn

GATE = "DDR_TEST_GATE"
"""Names a file; while it is missing, GatedAgent stops for good at turn 4 of the entity 02."""
TURNS = 6


class GatedAgent:
    """Six real queries per entity, and a gate in the middle of one."""

    name = "gated"

    async def explore(
        self, task: Task, tools: Tools, model: ChatModel | None, limits: Limits
    ) -> AsyncIterator[Turn | Insight | Finish]:
        for index in range(1, TURNS + 1):
            if task.entity_id == "02" and index == 4 and not Path(os.environ[GATE]).exists():
                await asyncio.Event().wait()
            query = (
                f"SELECT count(*) + {index} AS n FROM flights WHERE carrier_id = '{task.entity_id}'"
            )
            began = datetime.now(UTC)
            observation = await tools.call("execute_query", {"query": query})
            yield _turn(index, query, observation, began)
            yield Insight(
                id="",
                trajectory_id="",
                level="message",
                turn=index,
                text=f"Carrier {task.entity_id}: {observation.text}",
                author=self.name,
            )
        yield Finish(report=f"Carrier {task.entity_id} was counted {TURNS} times.")


def _turn(index: int, query: str, observation: Observation, began: datetime) -> Turn:
    call_id = f"c{index}"
    return Turn(
        index=index,
        tool_calls=(ToolCall(call_id=call_id, name="execute_query", arguments=query),),
        tool_results=(
            ToolResult(
                call_id=call_id,
                name="execute_query",
                text=observation.text,
                is_error=observation.is_error,
                duration_s=observation.duration_s,
            ),
        ),
        started_at=began,
        duration_s=0.0,
    )
