"""Trajectories that were shown something, for tests of grounding."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.trajectory import ToolCall, ToolResult, Trajectory, Turn
from tests.evaluator.records import MOMENT, trajectory


def rows(columns: Sequence[str], *cells: Sequence[Any]) -> str:
    """A reply of execute_query."""
    return json.dumps(
        {"row_count": len(cells), "truncated": False, "columns": list(columns), "rows": list(cells)}
    )


def turn(
    index: int,
    shown: str,
    *,
    sql: str = "SELECT 1",
    fields: Sequence[str] = (),
    error: str | None = None,
) -> Turn:
    """One query with its answer."""
    call = ToolCall(call_id=f"c{index}", name="execute_query", arguments=json.dumps({"query": sql}))
    result = ToolResult(
        call_id=call.call_id,
        name=call.name,
        text=shown,
        is_error=error is not None,
        error_kind=error,
        accessed_fields=tuple(fields),
        duration_s=0.0,
    )
    return Turn(
        index=index, tool_calls=(call,), tool_results=(result,), started_at=MOMENT, duration_s=0.0
    )


def explored(
    shown: Mapping[int, str],
    messages: Sequence[tuple[int, str]] = (),
    report: str | None = None,
    **more: Any,
) -> Trajectory:
    """A trajectory whose turns showed these texts, with these insights."""
    made = trajectory(messages=messages, report=report, **more)
    return made.model_copy(update={"turns": tuple(turn(k, text) for k, text in shown.items())})
