"""Small trajectories whose reads are given turn by turn."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from analysis.exploration.fields import Fields, available
from core.trajectory import ModelCall, ToolCall, ToolResult, Trajectory, Turn, Usage
from databases.schema import Column, Key, Schema, Table
from tests.analysis.factory import START, trajectory

Read = tuple[str, ...]


def schema(keys: Sequence[Key] = (), **tables: str) -> Schema:
    """Tables by name, their columns with blanks between."""
    return Schema(
        tables=tuple(
            Table(
                name=name,
                row_count=1,
                columns=tuple(Column(name=c, type="INTEGER", nullable=True) for c in cols.split()),
                keys=tuple(keys) if place == 0 else (),
            )
            for place, (name, cols) in enumerate(tables.items())
        )
    )


def fields(**tables: str) -> Fields:
    """All columns of these tables."""
    return available(schema((), **tables))


def turn(
    index: int,
    *calls: tuple[str, str, Read],
    answers: Sequence[str] = (),
    usage: tuple[int, int] | None = None,
    reasoning: int | None = None,
) -> Turn:
    """A turn with calls of (tool, SQL or code, fields read); `usage`: tokens in and out."""
    made = [
        ToolCall(
            call_id=f"c{index}.{place}",
            name=tool,
            arguments=json.dumps({"query" if tool == "execute_query" else "code": text}),
        )
        for place, (tool, text, _) in enumerate(calls)
    ]
    texts = answers or ['{"columns":["x"],"rows":[[1]]}'] * len(calls)
    results = [
        ToolResult(
            call_id=call.call_id,
            name=call.name,
            text=text,
            accessed_fields=read,
            duration_s=0.1,
        )
        for call, text, (_, _, read) in zip(made, texts, calls, strict=True)
    ]
    return Turn(
        index=index,
        tool_calls=tuple(made),
        tool_results=tuple(results),
        call=None if usage is None else model_call(index, *usage, reasoning=reasoning),
        started_at=START + timedelta(seconds=index),
        duration_s=1.0,
    )


def model_call(
    second: float, tokens_in: int, tokens_out: int, *, reasoning: int | None = None
) -> ModelCall:
    """A reply of the agent's model."""
    return ModelCall(
        role="agent",
        model_asked="m",
        usage=Usage(
            input_tokens=tokens_in, output_tokens=tokens_out, reasoning_tokens=reasoning, cost_usd=0
        ),
        started_at=START + timedelta(seconds=second),
        duration_s=0.5,
    )


def sql(*read: str, text: str = "SELECT 1") -> tuple[str, str, Read]:
    """A query that read these fields."""
    return "execute_query", text, read


def python(*read: str, text: str = "pass") -> tuple[str, str, Read]:
    """A cell whose queries read these fields."""
    return "execute_code", text, read


def reading(
    *turns: Sequence[tuple[str, str, Read]], name: str = "t1", **changes: Any
) -> Trajectory:
    """A trajectory with these calls, turn by turn."""
    made = [turn(i, *calls) for i, calls in enumerate(turns, start=1)]
    return trajectory(name, turns=made, **changes)
