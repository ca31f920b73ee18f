"""Carry out the tool calls of one reply, so that each is answered exactly once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.protocols import Observation, Reply, Tools
from core.trajectory import ToolCall, ToolResult


def distinct(calls: Sequence[ToolCall], turn: int) -> tuple[ToolCall, ...]:
    """The calls, with an id made up for those that have none or another's (field case F28)."""
    taken = {call.call_id for call in calls}
    seen: set[str] = {""}
    named = []
    for place, call in enumerate(calls, 1):
        call_id = call.call_id
        if call_id in seen:
            call_id = f"call-{turn}-{place}"
            while call_id in taken:
                call_id += "-"
        seen.add(call_id)
        named.append(call.model_copy(update={"call_id": call_id}))
    return tuple(named)


def read_arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments as values; none where the text is blank. Raises ValueError, saying why."""
    if not call.arguments.strip():
        return {}
    try:
        values = json.loads(call.arguments, parse_constant=_no_number)
    except RecursionError as exc:
        raise ValueError("they are nested too deeply") from exc
    if not isinstance(values, dict):
        raise ValueError("they are no object")
    return values


def is_sound(call: ToolCall) -> bool:
    """Whether the arguments can be replayed to a provider as they are."""
    try:
        read_arguments(call)
    except ValueError:
        return False
    return bool(call.arguments.strip())


async def answer(call: ToolCall, reply: Reply, tools: Tools) -> Observation:
    """What the tool says. Broken arguments are answered with an error and reach no tool (F29)."""
    cut_off = reply.call.finish_reason == "length"
    try:
        arguments = read_arguments(call)
        if cut_off and not call.arguments.strip():
            raise ValueError("they are missing")
    except ValueError as exc:
        why = " The reply was cut off at its greatest length." if cut_off else ""
        text = (
            f"Nothing was executed: the arguments of {call.name} must be one JSON object, and they "
            f"cannot be read ({exc}).{why} Send the call again, whole."
        )
        return Observation(text=text, is_error=True, error_kind="malformed_call")
    return await tools.call(call.name, arguments)


ONE_CALL = Observation(
    text="Nothing was executed: a message may call one tool only. Call it again in the next one.",
    is_error=True,
    error_kind="parallel_call",
)
"""Answers the second call of a reply where one is allowed."""


def result(call: ToolCall, seen: Observation) -> ToolResult:
    """The answer as it is recorded."""
    return ToolResult(
        call_id=call.call_id,
        name=call.name,
        text=seen.text,
        is_error=seen.is_error,
        error_kind=seen.error_kind,
        truncated=seen.truncated,
        accessed_fields=seen.accessed_fields,
        violations=seen.violations,
        duration_s=seen.duration_s,
    )


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is no JSON")
