"""What runs took, as it is shown: for people, and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.wording import counted
from server.cli.output import one_line

if TYPE_CHECKING:
    from analysis.spending import Costs
    from analysis.spent import Spent
    from server.cli.output import Output


def show(runs: Sequence[Costs], out: Output) -> None:
    """Run by run."""
    for number, run in enumerate(runs):
        if number:
            out.say()
        _show(run, out)


def _show(run: Costs, out: Output) -> None:
    count = len(run.explorations)
    out.say(
        f"{one_line(run.name)}: {counted(count, 'trajectory')}, "
        f"{_number(run.per_trajectory('turns'), '.1f')} turns each, cost {_money(run)}"
    )
    if not run.is_seen:
        out.say("  its model calls do not pass us: what they took is not known")
    if run.reported is not None:
        told = run.reported
        out.say(
            f"  what it says itself, of {run.reporting} of {counted(count, 'trajectory')}: "
            f"{_number(told.input_tokens)} tokens in, {_number(told.output_tokens)} out, "
            f"cost {'-' if told.cost_usd is None else f'${told.cost_usd:.4f}'}"
        )
    if run.roles or run.lost:
        _roles(run, out)
    reasoning = run.reasoning
    if reasoning.of:
        out.say(
            f"  reasoning tokens per turn: {_number(reasoning.per_turn, '.2f')} "
            f"(median {_number(reasoning.median, '.0f')}), reported by {reasoning.turns} of "
            f"{counted(reasoning.of, 'turn')}"
        )
    _tools(run, out)
    out.say(
        "  seconds per trajectory: "
        + ", ".join(
            f"{words} {_number(run.per_trajectory(name), '.1f')}"
            for name, words in (
                ("tool_s", "in tools"),
                ("agent_s", "in the agent's model"),
                ("other_s", "in insights and report"),
                ("whole_s", "from start to end"),
            )
        )
    )
    _vain(run, out)


def _roles(run: Costs, out: Output) -> None:
    heads = ["role", ">calls", ">failed", ">tokens in", ">cached", ">tokens out", ">reasoning"]
    heads += [">cost", ">seconds"]
    rows = [_role(each) for each in run.roles]
    if run.lost is not None:
        rows.append(["(lost attempts)", *_role(run.lost)[1:]])
    out.table(heads, rows)
    for each in run.roles:
        if each.cost_usd is None:
            out.say(
                f"  {each.role}: {each.unpriced} of {counted(each.calls, 'call')} without a cost: "
                f"{each.cost_reason or 'not known'}"
            )
        if each.cache_share is not None and each.reporting_cache < each.calls:
            out.say(
                f"  {each.role}: cached is of the {counted(each.reporting_cache, 'call')} that report it"
            )


def _role(each: Spent) -> list[str]:
    cost = "-" if each.known_cost_usd is None else f"${each.known_cost_usd:.4f}"
    if each.cost_usd is None and each.known_cost_usd is not None:
        cost = f">= {cost}"
    return [
        each.role,
        str(each.calls),
        str(each.failed),
        _number(each.input_tokens),
        "-" if each.cache_share is None else f"{100 * each.cache_share:.1f} %",
        _number(each.output_tokens),
        _number(each.reasoning_tokens),
        cost,
        _number(each.seconds, ",.1f"),
    ]


def _tools(run: Costs, out: Output) -> None:
    if not run.tools:
        out.say("  no tool was called")
        return
    heads = ["tool", ">calls", ">succeeded", ">mean s", ">median", ">95th", ">s / trajectory"]
    heads += ["failed by"]
    rows = [
        [
            each.tool,
            str(each.calls),
            "-" if each.success is None else f"{100 * each.success:.1f} %",
            _number(each.mean_s, ".3f"),
            _number(each.median_s, ".3f"),
            _number(each.p95_s, ".3f"),
            _number(each.per_trajectory_s, ".2f"),
            ", ".join(f"{kind} {count}" for kind, count in each.kinds.items()),
        ]
        for each in run.tools
    ]
    out.table(heads, rows)


def _vain(run: Costs, out: Output) -> None:
    if run.queries:
        out.say(
            f"  repeated queries: {run.repeated} of {counted(run.queries, 'query')} "
            f"({100 * run.repeated / run.queries:.1f} %) said the same as an earlier one of their "
            f"trajectory; {run.after_error} of them had failed before each time"
        )
    found = run.loops
    if not found:
        out.say("  debug loops: none")
        return
    out.say(
        f"  debug loops: {len(found)}, in {run.looping} of "
        f"{counted(len(run.explorations), 'trajectory')}; the longest has "
        f"{max(each.calls for each in found)} failing calls; "
        f"{sum(each.got_out is True for each in found)} ended in a success"
    )
    shown = [(each, loop) for each in run.explorations for loop in each.loops]
    for each, loop in sorted(shown, key=lambda pair: -pair[1].calls)[:3]:
        out.say(
            f"    {each.trajectory_id}, turns {loop.turns[0]} to {loop.turns[-1]}: "
            f"{loop.calls} of {one_line(loop.tool)}"
        )


def _money(run: Costs) -> str:
    total = run.cost_usd
    return "not known" if total is None else f"${total:.4f}" if run.roles else "$0: no model"


def _number(value: float | None, form: str = ",") -> str:
    return "-" if value is None else f"{value:{form}}"


def as_json(runs: Sequence[Costs]) -> dict[str, Any]:
    """For --json."""
    return {"runs": [_told(run) for run in runs]}


def _told(run: Costs) -> dict[str, Any]:
    return {
        "name": run.name,
        "trajectories": len(run.explorations),
        "cost_usd": run.cost_usd,
        "roles": [asdict(each) for each in run.roles],
        "lost": asdict(run.lost) if run.lost else None,
        "is_seen": run.is_seen,
        "reported": run.reported.model_dump() if run.reported else None,
        "reporting": run.reporting,
        "reasoning": asdict(run.reasoning),
        "tools": [{**asdict(each), "success": each.success} for each in run.tools],
        "per_trajectory": {
            name: run.per_trajectory(name)
            for name in ("turns", "calls", "errors", "tool_s", "agent_s", "other_s", "whole_s")
        },
        "queries": run.queries,
        "repeated": run.repeated,
        "repeated_after_error": run.after_error,
        "loops": [
            {"trajectory": each.trajectory_id, **asdict(loop)}
            for each in run.explorations
            for loop in each.loops
        ],
    }
