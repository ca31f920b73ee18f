"""What was explored once can be explored again from its record, reply for reply."""

from __future__ import annotations

from typing import Any

import pytest

from core.run import Limits
from core.trajectory import Insight, StopReason, Trajectory
from providers.replay import ReplayModel
from providers.scripted import ScriptedModel
from tests.agent.react.support import Desk, Explored, Scripted, call, explore, query, said
from tests.core.builders import trajectory

SIGNED = said("Look.", call(call_id=None), call(call_id=None), thinking_blocks=[{"signature": "x"}])
TORN = said("", call(arguments='{"query": "SEL'), finish_reason="length")


def record(done: Explored, reason: StopReason) -> Trajectory:
    """The steps as a runner keeps them."""
    last = done.finish
    report = Insight(
        id="report",
        trajectory_id="t1",
        level="trajectory",
        text=last.report,
        author="scripted",
        call=last.call,
    )
    return trajectory(
        preamble=done.preamble,
        turns=tuple(done.turns),
        nudges=tuple(done.nudges),
        insights=(*done.insights, report),
        stop_reason=reason,
    )


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(), StopReason.FINISHED), (Limits(max_turns=3), StopReason.MAX_TURNS)],
    ids=["by itself", "forced"],
)
def test_a_recorded_exploration_is_replayed_reply_for_reply(
    limits: Limits, reason: StopReason
) -> None:
    script = [said("Well."), SIGNED, TORN, said("FINISH: now", call()), said("I FINISH: soon")]
    first = Scripted(*script, insight=[said("It has 7."), said("NO INSIGHT"), said("Or 8.")])
    options: dict[str, Any] = {"limits": limits, "insights": "per-turn"}
    once = explore(first, Desk(), **options)
    again = explore(ReplayModel(record(once, reason)), Desk(), **options)
    assert again.order == once.order
    assert [told(step) for step in again.steps[1:]] == [told(step) for step in once.steps[1:]]
    assert again.finish.stop_reason == once.finish.stop_reason


def told(step: Any) -> dict[str, Any]:
    """A step without what is another's at the second time: its calls, its time, its author."""
    others = {"call", "started_at", "duration_s", "author"}
    return {key: value for key, value in step.model_dump().items() if key not in others}


def test_a_script_in_a_file_drives_it_too() -> None:
    script: list[Any] = [
        {"tool_calls": [{"name": "execute_query", "arguments": {"query": "SELECT 1"}}]},
        "Well.",
        {"error": {"kind": "context_length", "status_code": 400}},
        "It is large.",
    ]
    done = explore(ScriptedModel(script), insights="per-turn")
    assert done.order == ["Preamble", "Turn", "Insight", "Nudge", "Finish"]
    assert (done.finish.report, done.finish.stop_reason) == (
        "It is large.",
        StopReason.CONTEXT_LENGTH,
    )


def test_its_turns_hold_nothing_twice() -> None:
    done = explore(Scripted(query(), SIGNED))
    assert [turn.raw is None for turn in done.turns] == [True, False]
