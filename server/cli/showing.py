"""Runs, trajectories and turns on a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from core.authorship import other_author
from core.outside import UNANSWERED
from core.wording import counted
from server.cli.meeting import show_beside, show_meetings, show_met
from server.cli.output import one_line
from server.contacts import Contacts
from server.runs import competitor, outline, stop_of
from server.spending import Spending, spent
from server.store.attempts import active_s, counting

if TYPE_CHECKING:
    from core.contact import Met
    from core.outside import OutsideCall
    from core.run import RunSpec
    from core.trajectory import Insight, Nudge, ToolResult, Trajectory, Turn
    from server.cli.output import Output
    from server.store import Repository

_ROWS = 8
_CHARACTERS = 1200
"""Of a tool's answer in a trajectory's overview; `ddr show RUN ENTITY TURN` has it whole."""

_THOUGHT = 160
"""Of a turn's reasoning there."""
_NAMED = 8
"""Entities that are named beside an error that many have."""

_LANGUAGES = {"query": "sql", "code": "python"}
"""Arguments that are programs, and in what."""


def show_run(spec: RunSpec, store: Repository, out: Output) -> None:
    """Each trajectory in a line."""
    attempts = store.all_attempts(spec.id)
    counting_now = counting(attempts)
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
            *(_took(each) if asks else ()),
        ]
        for each in counting_now
    ]
    who = f"{spec.agent} with {competitor(spec)}" if spec.model else spec.agent
    under = " under protocol ddr" if spec.protocol == "ddr" else ""
    under += "" if spec.goal == "none" else f", told a {spec.goal} goal"
    under += ", told what is left of its limits" if spec.announced_budget else ""
    under += f", going on from run {spec.continues.run_id}" if spec.continues else ""
    out.say(f"run {spec.id}: {who} on {spec.scenario_id}{under}, {spec.created_at:%Y-%m-%d %H:%M}")
    if (came := spec.imported) is not None:
        word = "; what it holds is its sender's word" if spec.is_bundled else ""
        out.say(f"imported from {one_line(came.source)} ({one_line(came.form)}){word}")
    heads = ["entity", ">trial", ">attempt", ">turns", ">insights", "report", "ended", ">s"]
    heads += [">tokens in / out", ">cost"] if asks else []
    out.table(heads, rows)
    if spec.outside is not None:
        show_meetings(spec, counting_now, Contacts(spec, store), out)
    for line in _errors(counting_now, with_trial=spec.trials > 1):
        out.say(line)
    if asks and (total := spent(call for each in attempts for call in each.calls)).calls:
        out.say(f"all attempts: {_told(total)}")
    if older := len(attempts) - len(rows):
        kept = counted(older, "earlier attempt")
        out.say(f"({kept} {'is' if older == 1 else 'are'} kept beside these)")


def _errors(trajectories: Sequence[Trajectory], *, with_trial: bool) -> list[str]:
    """Each error once, with whose it is: where an endpoint fails, all say the same."""
    whose: dict[str, list[str]] = {}
    for each in trajectories:
        if each.error:
            trial = f" (trial {each.trial})" if with_trial else ""
            whose.setdefault(each.error, []).append(each.entity_id + trial)
    return [f"{_listed(names)}: {error}" for error, names in whose.items()]


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    left = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED]) + (f" and {left} more" if left > 0 else "")
    return f"{len(names)} trajectories ({shown})"


def _took(trajectory: Trajectory) -> tuple[str, str]:
    took = spent(trajectory.calls)
    return took.tokens, took.cost


def _told(took: Spending) -> str:
    return f"{counted(took.calls, 'model call')}, {took.tokens} tokens in / out, cost {took.cost}"


def show_trajectory(
    trajectory: Trajectory,
    out: Output,
    *,
    met: Met | None = None,
    calls: Sequence[OutsideCall] = (),
) -> None:
    """Its turns, each with what was asked, seen and said.

    Of an agent from outside also how far it came, and which of all its calls were refused.
    """
    out.say(
        f"trajectory {trajectory.id}: {counted(len(trajectory.turns), 'turn')}, "
        f"{stop_of(trajectory)}, "
        f"sandbox {trajectory.sandbox.name if trajectory.sandbox else 'unknown'}"
    )
    if trajectory.error:
        out.say(f"error: {trajectory.error}")
    if trajectory.calls:
        out.say(_told(spent(trajectory.calls)))
    if met is not None:
        show_met(trajectory, met, out)
    _show_nudges(trajectory.nudges, 0, out)
    for turn in trajectory.turns:
        show_turn(trajectory, turn, out, whole=False)
        _show_nudges(trajectory.nudges, turn.index, out)
    show_beside(calls, out)
    if trajectory.report:
        out.say("\nreport:")
        out.say(trajectory.report)


def _show_nudges(nudges: Sequence[Nudge], after: int, out: Output) -> None:
    for nudge in nudges:
        if nudge.after_turn == after:
            out.say("\nnudged, for it neither called nor finished")
            _show_reasoning(nudge.reasoning, out, whole=False)
            if nudge.text:
                out.say(f"  {_cut(nudge.text, whole=False)}")


def show_turn(trajectory: Trajectory, turn: Turn, out: Output, *, whole: bool = True) -> None:
    """One turn: what was thought, asked, seen and said. Long answers are cut unless `whole`."""
    at_once = f", {len(turn.tool_calls)} calls" if len(turn.tool_calls) > 1 else ""
    out.say(f"\nturn {turn.index}  ({turn.duration_s:.2f} s{at_once})")
    _show_reasoning(turn.reasoning, out, whole)
    if turn.text:
        out.say(f"  {turn.text}")
    answers = {result.call_id: result for result in turn.tool_results}
    for call in turn.tool_calls:
        _show_call(one_line(call.name), call.arguments, out)
        answer = answers.get(call.call_id)
        if answer is not None and answer.is_error:
            out.say(f"  < error ({answer.error_kind}): {_cut(_failure(answer), whole)}")
        elif answer is not None:
            _show_answer(answer.text, out, whole)
    for insight in trajectory.message_insights:
        if insight.turn == turn.index and insight.text:
            _show_insight(trajectory, insight, out)


def _show_insight(trajectory: Trajectory, insight: Insight, out: Output) -> None:
    """What was found, what is said to show it, and whose words it is where not the agent's."""
    other = other_author(trajectory, insight)
    by = f"  (the words of {other}, asked later)" if other else ""
    out.say(f"  * {_within(insight.text or '')}{by}")
    for shown in insight.evidence:
        out.say(f"    shown by: {_within(shown)}")


def _within(text: str) -> str:
    """Lines of an agent's, moved in, so that none passes for one of ours."""
    return text.replace("\n", "\n      ")


def _failure(answer: ToolResult) -> str:
    if answer.error_kind == UNANSWERED and not answer.text:
        return "nothing was sent; its process ended before, or it is still under way"
    return answer.text


def _show_reasoning(reasoning: str | None, out: Output, whole: bool) -> None:
    """What a model thought before it spoke; one line of it in an overview."""
    if not reasoning or not reasoning.strip():
        return
    lines = reasoning.strip().splitlines()
    if not whole:
        first = " ".join(reasoning.split())
        more = f"… ({len(reasoning)} characters)" if len(first) > _THOUGHT else ""
        lines = [first[:_THOUGHT] + more]
    for line in lines:
        out.say(f"  ~ {line}".rstrip())


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
    out.say(
        f"  < {counted(len(rows), 'row')}{cut}{'' if shown == rows else f', the first {_ROWS}'}"
    )
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
