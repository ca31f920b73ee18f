"""Small records, a scripted agent and a store in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from core.evaluation import Evaluation, Verdict
from core.protocols import Observation, ToolSpec
from core.run import Limits, RunSpec
from core.scenario import Task
from core.trajectory import (
    Insight,
    ModelCall,
    ToolCall,
    ToolResult,
    Trajectory,
    Turn,
    Usage,
)

START = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def spec(run_id: str = "20260131-small-ab12", **changes: Any) -> RunSpec:
    """A run over two entities."""
    values: dict[str, Any] = {
        "id": run_id,
        "scenario_id": "small",
        "scenario_fingerprint": "f00d",
        "entity_ids": ("01", "02"),
        "agent": "scripted",
        "limits": Limits(),
        "created_at": START,
    }
    return RunSpec.model_validate({**values, **changes})


def draft(run: RunSpec, entity_id: str = "01", trial: int = 1, **changes: Any) -> Trajectory:
    """A trajectory that the store has not numbered yet."""
    values: dict[str, Any] = {
        "id": "",
        "run_id": run.id,
        "scenario_id": run.scenario_id,
        "scenario_fingerprint": run.scenario_fingerprint,
        "entity_id": entity_id,
        "trial": trial,
        "agent": run.agent,
        "started_at": START,
    }
    return Trajectory.model_validate({**values, **changes})


def turn(index: int, text: str = "", *, result: str = "{}", tokens: int | None = None) -> Turn:
    """A turn with one tool call; `tokens` gives it a model call of that size."""
    began = START + timedelta(seconds=10 * index)
    call = None
    if tokens is not None:
        usage = Usage(input_tokens=tokens, output_tokens=0, cost_usd=0.0)
        call = ModelCall(
            role="agent", model_asked="m", usage=usage, started_at=began, duration_s=1.0
        )
    return Turn(
        index=index,
        text=text,
        tool_calls=(ToolCall(call_id=f"c{index}", name="execute_query", arguments="{}"),),
        tool_results=(
            ToolResult(call_id=f"c{index}", name="execute_query", text=result, duration_s=0.5),
        ),
        call=call,
        started_at=began,
        duration_s=2.0,
    )


def insight(trajectory_id: str, number: int, text: str | None = "It is so.") -> Insight:
    """A message-wise insight of turn `number`."""
    return Insight(
        id=f"{trajectory_id}.i{number}",
        trajectory_id=trajectory_id,
        level="message",
        turn=number,
        text=text,
        author="scripted",
    )


def evaluation(run: RunSpec, evaluation_id: str = "e1") -> Evaluation:
    """An evaluation by the checker without a model."""
    return Evaluation(
        id=evaluation_id,
        run_id=run.id,
        checker="matching",
        checklist_id="small",
        checklist_version="1",
        checklist_hash="c0de",
        created_at=START,
    )


def verdict(trajectory_id: str, item_id: str = "q1", **changes: Any) -> Verdict:
    """A supported verdict at message level."""
    values: dict[str, Any] = {
        "evaluation_id": "e1",
        "item_id": item_id,
        "trajectory_id": trajectory_id,
        "level": "message",
        "label": "supported",
        "supporting_turns": (2, 1),
    }
    return Verdict.model_validate({**values, **changes})


TASK = Task(
    scenario_id="small",
    entity_id="01",
    entity_label="Ash Air",
    entity_noun="carrier",
    text="Analyse carrier 01.",
)

Answer = Callable[[Mapping[str, Any]], Awaitable[Observation]]


class ScriptedTools:
    """Tools whose answers a test writes: name -> coroutine function."""

    def __init__(self, **answers: Answer) -> None:
        self.answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []

    async def list(self) -> Sequence[ToolSpec]:
        schema = {"type": "object", "properties": {}, "required": []}
        return [ToolSpec(name=n, description=n, input_schema=schema) for n in self.answers]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Observation:
        self.calls.append((name, dict(arguments)))
        if name not in self.answers:
            return Observation(text=f"no tool {name}", is_error=True, error_kind="unknown_tool")
        return await self.answers[name](arguments)
