"""Runs, trajectories and turns on a terminal."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from server.runs import outline, stop_of
from server.store.attempts import active_s, counting

if TYPE_CHECKING:
    from core.run import RunSpec
    from core.trajectory import Trajectory, Turn
    from server.cli.output import Output
    from server.store import Repository

_LINES = 12
"""Of a tool's answer in a trajectory's overview; `ddr show RUN ENTITY TURN` has it whole."""


def show_run(spec: RunSpec, store: Repository, out: Output) -> None:
    """Each trajectory in a line."""
    attempts = store.all_attempts(spec.id)
    counted = counting(attempts)
    rows = [
        [
            each.entity_id,
            str(each.trial),
            str(each.attempt),
            str(len(each.turns)),
            str(outline(each)["insights"]),
            "yes" if each.report else "no",
            stop_of(each),
            f"{active_s(each):.1f}",
        ]
        for each in counted
    ]
    out.say(f"run {spec.id}: {spec.agent} on {spec.scenario_id}, {spec.created_at:%Y-%m-%d %H:%M}")
    heads = ["entity", ">trial", ">attempt", ">turns", ">insights", "report", "ended", ">s"]
    out.table(heads, rows)
    for each in counted:
        if each.error:
            out.say(f"{each.entity_id}: {each.error}")
    older = len(attempts) - len(rows)
    if older:
        out.say(f"({older} earlier attempts are kept beside these)")


def show_trajectory(trajectory: Trajectory, out: Output) -> None:
    """Its turns, each with what was asked, seen and said."""
    out.say(
        f"trajectory {trajectory.id}: {len(trajectory.turns)} turns, {stop_of(trajectory)}, "
        f"sandbox {trajectory.sandbox.name if trajectory.sandbox else 'unknown'}"
    )
    if trajectory.error:
        out.say(f"error: {trajectory.error}")
    for turn in trajectory.turns:
        show_turn(trajectory, turn, out, lines=_LINES)
    if trajectory.report:
        out.say("\nreport:")
        out.say(trajectory.report)


def show_turn(trajectory: Trajectory, turn: Turn, out: Output, *, lines: int | None = None) -> None:
    """One turn; `lines` cuts what a tool answered."""
    out.say(f"\nturn {turn.index}  ({turn.duration_s:.2f} s)")
    if turn.text:
        out.say(f"  {turn.text}")
    answers = {result.call_id: result for result in turn.tool_results}
    for call in turn.tool_calls:
        out.say(f"  > {call.name} {_arguments(call.arguments)}")
        answer = answers.get(call.call_id)
        if answer is not None:
            mark = f"error ({answer.error_kind})" if answer.is_error else "answer"
            out.say(f"  < {mark}: {_cut(answer.text, lines)}")
    for insight in trajectory.message_insights:
        if insight.turn == turn.index and insight.text:
            out.say(f"  * {insight.text}")


def as_json(record: Any) -> dict[str, Any]:
    """A record for --json."""
    plain: dict[str, Any] = record.model_dump(mode="json")
    return plain


def _arguments(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    if isinstance(found, dict) and len(found) == 1:
        return str(next(iter(found.values())))
    return text


def _cut(text: str, lines: int | None) -> str:
    if lines is None:
        return text
    width = 100 * lines
    return text if len(text) <= width else f"{text[:width]}… ({len(text)} characters)"
