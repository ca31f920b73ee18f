"""Trajectories that asked a model, with what each act took; and one of ten turns, computed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from core.trajectory import (
    Insight,
    ModelCall,
    Nudge,
    Role,
    ToolCall,
    ToolResult,
    Trajectory,
    Turn,
    Usage,
)
from tests.analysis.factory import START, trajectory


class Took(NamedTuple):
    """What one act took."""

    input_tokens: int | None
    output_tokens: int | None
    calls: int
    seconds: float
    cost_usd: float | None


TEN = (
    Took(100, 10, 1, 1, 0.01),
    Took(120, 10, 2, 1, 0.01),
    Took(150, 20, 1, 2, 0.02),
    Took(200, 10, 3, 1, 0.01),
    Took(260, 30, 1, 4, 0.03),
    Took(300, 10, 1, 1, 0.01),
    Took(320, 20, 2, 2, 0.02),
    Took(200, 10, 1, 1, 0.01),  # the prompt was cut to fit
    Took(240, 10, 1, 3, 0.01),
    Took(270, 40, 1, 1, 0.04),
)
NUDGE = Took(230, 10, 0, 1, 0.01)
"""After turn 4."""
FINISH = Took(330, 50, 0, 2, 0.05)

PLACES: dict[str, list[float]] = {
    "turn": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    "calls": [1, 3, 4, 7, 8, 9, 11, 12, 13, 14],
    # After turn 4 the nudge's 240 come before turn 5 begins.
    "billed_tokens": [110, 240, 410, 620, 1150, 1460, 1800, 2010, 2260, 2570],
    # 110; then each prompt beyond the one before with its output, and the new output.
    "new_tokens": [110, 130, 170, 210, 290, 310, 340, 350, 390, 450],
    "cost_usd": [0.01, 0.02, 0.04, 0.05, 0.09, 0.10, 0.12, 0.13, 0.14, 0.18],
    "seconds": [1, 2, 4, 5, 10, 11, 13, 14, 17, 18],
}
ENDS: dict[str, float] = {
    "turn": 10,
    "calls": 14,
    "billed_tokens": 2950,
    "new_tokens": 520,
    "cost_usd": 0.23,
    "seconds": 20,
}


def call(took: Took, role: Role = "agent", at_s: float = 0.0) -> ModelCall:
    """A call that took it."""
    return ModelCall(
        role=role,
        model_asked="m-1",
        usage=Usage(
            input_tokens=took.input_tokens,
            output_tokens=took.output_tokens,
            cost_usd=took.cost_usd,
        ),
        started_at=START + timedelta(seconds=at_s),
        duration_s=took.seconds,
    )


def asked_turn(index: int, took: Took) -> Turn:
    """A turn with its model call."""
    names = [f"{index}.{n}" for n in range(took.calls)]
    return Turn(
        index=index,
        tool_calls=tuple(ToolCall(call_id=n, name="execute_query", arguments="{}") for n in names),
        tool_results=tuple(
            ToolResult(call_id=n, name="execute_query", text="{}", duration_s=0.0) for n in names
        ),
        call=call(took, at_s=10.0 * index),
        started_at=START + timedelta(seconds=10.0 * index),
        duration_s=took.seconds,
    )


def asked(
    name: str = "t1", entity: str = "01", took: Sequence[Took] = TEN, **changes: object
) -> Trajectory:
    """A trajectory whose turns took that; it finishes without a further call."""
    turns = [asked_turn(index, each) for index, each in enumerate(took, start=1)]
    return trajectory(name, entity, turns, **{"model": "m-1", **changes})


def ten_turns() -> Trajectory:
    """The one whose places are PLACES and whose ends are ENDS, with other roles' calls beside."""
    huge = Took(1_000_000, 1_000_000, 0, 1000, 1000.0)
    insights = [
        Insight(
            id=f"i{turn}",
            trajectory_id="t1",
            level="message",
            turn=turn,
            text="x",
            author="m-1",
            call=call(huge, "insight", at_s=10.0 * turn + 1),
        )
        for turn in range(1, 11)
    ]
    report = Insight(
        id="report",
        trajectory_id="t1",
        level="trajectory",
        text="r",
        author="m-1",
        call=call(FINISH, at_s=110),
    )
    nudge = Nudge(after_turn=4, text="well", call=call(NUDGE, at_s=45))
    return asked(
        nudges=(nudge,),
        insights=(*insights, report),
        failed_calls=(call(huge, "report", at_s=111),),
    )
