"""The tables of calls: of tools, with what their results were like, and of models in every role."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from core.naming import without_folders
from core.trajectory import ModelCall, ToolCall, ToolResult, Trajectory, Turn
from server.export.fields import Field, Layout, listed, moment, usage_fields


@dataclass(frozen=True)
class Called:
    """A call of a tool with its result, where there is one."""

    trajectory: Trajectory
    turn: Turn
    position: int
    call: ToolCall
    result: ToolResult | None


@dataclass(frozen=True)
class Asked:
    """A call of a model; the evaluation that it was made for, where it was a judge."""

    run_id: str
    trajectory_id: str
    entity_id: str
    turn: int | None
    evaluation_id: str | None
    call: ModelCall


TOOL_CALLS: Final = Layout[Called](
    "tool_calls",
    "a call of a tool; of its result what it was like, not what it said",
    (
        Field("run_id", "text", "The run.", lambda c: c.trajectory.run_id),
        Field("trajectory_id", "text", "The attempt.", lambda c: c.trajectory.id),
        Field("turn", "integer", "From 1.", lambda c: c.turn.index),
        Field("position", "integer", "In its turn, from 1.", lambda c: c.position),
        Field("tool", "text", "Its name.", lambda c: c.call.name),
        Field("arguments", "text", "As emitted: JSON, valid or not.", lambda c: c.call.arguments),
        Field("is_error", "truth", "", lambda c: c.result.is_error if c.result else None),
        Field("error_kind", "text", "", lambda c: c.result.error_kind if c.result else None),
        Field("truncated", "truth", "", lambda c: c.result.truncated if c.result else None),
        Field(
            "result_characters",
            "integer",
            "How long the answer was.",
            lambda c: len(c.result.text) if c.result else None,
        ),
        Field(
            "accessed_fields",
            "text",
            "table.column that it read, with a space between.",
            lambda c: listed(c.result.accessed_fields) if c.result else None,
        ),
        Field(
            "violations",
            "integer",
            "Attempts to look where nothing is to be seen.",
            lambda c: len(c.result.violations) if c.result else None,
        ),
        Field("duration_s", "number", "", lambda c: c.result.duration_s if c.result else None),
    ),
)

MODEL_CALLS: Final = Layout[Asked](
    "model_calls",
    "a request to a model, in any role",
    (
        Field("run_id", "text", "The run.", lambda m: m.run_id),
        Field("trajectory_id", "text", "The attempt.", lambda m: m.trajectory_id),
        Field("entity_id", "text", "What was explored.", lambda m: m.entity_id),
        Field("turn", "integer", "Empty where it belongs to none.", lambda m: m.turn),
        Field(
            "evaluation_id", "text", "Of a judge: what it judged for.", lambda m: m.evaluation_id
        ),
        Field("role", "text", "agent, insight, report, checker, ...", lambda m: m.call.role),
        Field("model_asked", "text", "", lambda m: without_folders(m.call.model_asked)),
        Field(
            "model_served",
            "text",
            "",
            lambda m: ", ".join(map(without_folders, m.call.served)) or None,
        ),
        *usage_fields(lambda m: m.call.usage),
        Field("cost_reason", "text", "Why there is no cost.", lambda m: m.call.usage.cost_reason),
        Field("finish_reason", "text", "", lambda m: m.call.finish_reason),
        Field("started_at", "text", "UTC.", lambda m: moment(m.call.started_at)),
        Field("duration_s", "number", "", lambda m: m.call.duration_s),
        Field("failed", "truth", "It brought an error.", lambda m: m.call.error is not None),
        Field("is_recalled", "truth", "Kept from before: unpaid.", lambda m: m.call.is_recalled),
    ),
)


def calls_of_tools(trajectory: Trajectory) -> Iterator[Called]:
    """Every call with its result, in order."""
    for turn in trajectory.turns:
        results = {result.call_id: result for result in turn.tool_results}
        for position, call in enumerate(turn.tool_calls, start=1):
            yield Called(trajectory, turn, position, call, results.get(call.call_id))


def calls_of_models(trajectory: Trajectory) -> Iterator[Asked]:
    """Every request that the exploration took, failed ones too."""

    def asked(turn: int | None, call: ModelCall) -> Asked:
        return Asked(trajectory.run_id, trajectory.id, trajectory.entity_id, turn, None, call)

    yield from (asked(each.index, each.call) for each in trajectory.turns if each.call)
    yield from (asked(None, each.call) for each in trajectory.nudges)
    yield from (asked(each.turn, each.call) for each in trajectory.insights if each.call)
    yield from (asked(None, each) for each in trajectory.failed_calls)
