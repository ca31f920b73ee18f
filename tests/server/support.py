"""Small records, a scripted agent and a store in a folder of the test's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from core.evaluation import Evaluation, Verdict
from core.run import Limits, RunSpec
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
