"""Runs, trajectories and turns on a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from server.runs import competitor, cost_of, outline, stop_of, tokens_of
from server.store.attempts import active_s, counting, totals

if TYPE_CHECKING:
    from core.run import RunSpec
    from core.trajectory import Nudge, Trajectory, Turn, Usage
    from server.cli.output import Output
    from server.store import Repository

_ROWS = 8
_CHARACTERS = 1200
"""Of a tool's answer in a trajectory's overview; `ddr show RUN ENTITY TURN` has it whole."""

_LANGUAGES = {"query": "sql", "code": "python"}
"""Arguments that are programs, and in what."""


def show_run(spec: RunSpec, store: Repository, out: Output) -> None:
    """Each trajectory in a line."""
    attempts = store.all_attempts(spec.id)
    counted = counting(attempts)
    asks = spec.model is not None
    rows = [
        [
            each.entity_id,
            str(each.trial),
            str(each.attempt),
            str(len(each.turns)),
            str(outline(each)["insights"]),
            ("forced" if each.report_forced else "yes") if each.report else "no",
            stop_of(each),
            f"{active_s(each):.1f}",
            *(_spent(each.usage(role=None)) if asks else ()),
        ]
        for each in counted
    ]
    who = f"{spec.agent} with {competitor(spec)}" if spec.model else spec.agent
    under = " under protocol ddr" if spec.protocol == "ddr" else ""
    out.say(f"run {spec.id}: {who} on {spec.scenario_id}{under}, {spec.created_at:%Y-%m-%d %H:%M}")
    heads = ["entity", ">trial", ">attempt", ">turns", ">insights", "report", "ended", ">s"]
    heads += [">tokens in / out", ">cost"] if asks else []
    out.table(heads, rows)
    for each in counted:
        if each.error:
            out.say(f"{each.entity_id}: {each.error}")
    if asks:
        total = totals(attempts).usage
        out.say(f"all attempts: {tokens_of(total)} tokens in / out, cost {cost_of(total)}")
    older = len(attempts) - len(rows)
    if older:
        out.say(f"({older} earlier attempts are kept beside these)")


def _spent(usage: Usage) -> tuple[str, str]:
    return tokens_of(usage), cost_of(usage)


def show_trajectory(trajectory: Trajectory, out: Output) -> None:
    """Its turns, each with what was asked, seen and said."""
    out.say(
        f"trajectory {trajectory.id}: {len(trajectory.turns)} turns, {stop_of(trajectory)}, "
        f"sandbox {trajectory.sandbox.name if trajectory.sandbox else 'unknown'}"
    )
    if trajectory.error:
        out.say(f"error: {trajectory.error}")
    if trajectory.calls:
        spent = trajectory.usage(role=None)
        out.say(
            f"{len(trajectory.calls)} model calls, {tokens_of(spent)} tokens in / out, "
            f"cost {cost_of(spent)}"
        )
    _show_nudges(trajectory.nudges, 0, out)
    for turn in trajectory.turns:
        show_turn(trajectory, turn, out, whole=False)
        _show_nudges(trajectory.nudges, turn.index, out)
    if trajectory.report:
        out.say("\nreport:")
        out.say(trajectory.report)


def _show_nudges(nudges: Sequence[Nudge], after: int, out: Output) -> None:
    for nudge in nudges:
        if nudge.after_turn == after:
            out.say(
                f"\nnudged, for it neither called nor finished: {_cut(nudge.text, whole=False)}"
            )


def show_turn(trajectory: Trajectory, turn: Turn, out: Output, *, whole: bool = True) -> None:
    """One turn: what was thought, asked, seen and said. Long answers are cut unless `whole`."""
    out.say(f"\nturn {turn.index}  ({turn.duration_s:.2f} s)")
    if turn.text:
        out.say(f"  {turn.text}")
    answers = {result.call_id: result for result in turn.tool_results}
    for call in turn.tool_calls:
        _show_call(call.name, call.arguments, out)
        answer = answers.get(call.call_id)
        if answer is not None and answer.is_error:
            out.say(f"  < error ({answer.error_kind}): {_cut(answer.text, whole)}")
        elif answer is not None:
            _show_answer(answer.text, out, whole)
    for insight in trajectory.message_insights:
        if insight.turn == turn.index and insight.text:
            out.say(f"  * {insight.text}")


def _show_call(name: str, arguments: str, out: Output) -> None:
    given = _object(arguments)
    if given is None:
        out.say(f"  > {name} {arguments}")
        return
    plain = {key: value for key, value in given.items() if key not in _LANGUAGES}
    told = ", ".join(f"{key}={value}" for key, value in plain.items())
    out.say(f"  > {name} {told}".rstrip())
    for key, language in _LANGUAGES.items():
        if key in given:
            out.code(str(given[key]), language)


def _show_answer(text: str, out: Output, whole: bool) -> None:
    found = _object(text) or {}
    table = _table(found)
    if table is None:
        out.say(f"  < {_cut(text, whole)}")
        return
    columns, rows = table
    shown = rows if whole else rows[:_ROWS]
    cut = ", more were cut" if found.get("truncated") else ""
    out.say(f"  < {len(rows)} rows{cut}{'' if shown == rows else f', the first {_ROWS}'}")
    cells = [["" if cell is None else str(cell) for cell in row] for row in shown]
    out.table([f"    {columns[0]}", *columns[1:]], [[f"    {c[0]}", *c[1:]] for c in cells])


def as_json(record: Any) -> dict[str, Any]:
    """A record for --json."""
    plain: dict[str, Any] = record.model_dump(mode="json")
    return plain


def _table(found: dict[str, Any]) -> tuple[list[str], list[list[Any]]] | None:
    """Names and lists of cells; None for an answer of another shape, as other tools may give."""
    columns, rows = found.get("columns"), found.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list) or not columns:
        return None
    named = all(isinstance(column, str) for column in columns)
    return (columns, rows) if named and all(isinstance(r, list) and r for r in rows) else None


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _cut(text: str, whole: bool) -> str:
    if whole or len(text) <= _CHARACTERS:
        return text
    return f"{text[:_CHARACTERS]}… ({len(text)} characters)"
