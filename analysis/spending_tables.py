"""What runs took, as tables for files."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.spending import Costs
from analysis.spent import Spent
from analysis.table import Cell, Table, table


def tables(runs: Sequence[Costs]) -> list[Table]:
    """By role, by tool, by trajectory, by loop and by run."""
    return [_roles(runs), _tools(runs), _trajectories(runs), _loops(runs), _runs(runs)]


def _roles(runs: Sequence[Costs]) -> Table:
    columns = [
        "run",
        "role",
        "calls",
        "failed_calls",
        "input_tokens",
        "cached_tokens",
        "cache_share",
        "calls_reporting_cache",
        "output_tokens",
        "reasoning_tokens",
        "cost_usd",
        "known_cost_usd",
        "calls_without_cost",
        "cost_reason",
        "duration_s",
    ]
    rows = [
        _role(run.name, each)
        for run in runs
        for each in [*run.roles, *([run.lost] if run.lost else [])]
    ]
    return table("roles", columns, rows)


def _role(run: str, each: Spent) -> list[Cell]:
    return [
        run,
        each.role,
        each.calls,
        each.failed,
        each.input_tokens,
        each.cached_tokens,
        each.cache_share,
        each.reporting_cache,
        each.output_tokens,
        each.reasoning_tokens,
        each.cost_usd,
        each.known_cost_usd,
        each.unpriced,
        each.cost_reason,
        each.seconds,
    ]


def _tools(runs: Sequence[Costs]) -> Table:
    columns = ["run", "tool", "calls", "errors", "success", "kinds_of_errors"]
    columns += ["mean_s", "median_s", "p95_s", "total_s", "per_trajectory_s"]
    rows: list[list[Cell]] = [
        [
            run.name,
            each.tool,
            each.calls,
            each.errors,
            each.success,
            "; ".join(f"{kind} {count}" for kind, count in each.kinds.items()),
            each.mean_s,
            each.median_s,
            each.p95_s,
            each.total_s,
            each.per_trajectory_s,
        ]
        for run in runs
        for each in run.tools
    ]
    return table("tools", columns, rows)


def _trajectories(runs: Sequence[Costs]) -> Table:
    columns = ["run", "trajectory", "entity", "trial", "turns", "tool_calls", "errors"]
    columns += ["tool_s", "agent_s", "other_calls_s", "whole_s"]
    columns += ["queries", "repeated", "repeated_after_error", "loops"]
    rows: list[list[Cell]] = [
        [
            run.name,
            each.trajectory_id,
            each.entity_id,
            each.trial,
            each.turns,
            each.calls,
            each.errors,
            each.tool_s,
            each.agent_s,
            each.other_s,
            each.whole_s,
            each.repeats.queries,
            each.repeats.repeated,
            each.repeats.after_error,
            len(each.loops),
        ]
        for run in runs
        for each in run.explorations
    ]
    return table("trajectories", columns, rows)


def _loops(runs: Sequence[Costs]) -> Table:
    rows: list[list[Cell]] = [
        [
            run.name,
            each.trajectory_id,
            loop.tool,
            loop.turns[0],
            loop.turns[-1],
            loop.calls,
            loop.got_out,
        ]
        for run in runs
        for each in run.explorations
        for loop in each.loops
    ]
    columns = ["run", "trajectory", "tool", "first_turn", "last_turn", "calls", "got_out"]
    return table("loops", columns, rows)


def _runs(runs: Sequence[Costs]) -> Table:
    columns = [
        "run",
        "trajectories",
        "turns_per_trajectory",
        "cost_usd",
        "lost_cost_usd",
        "reasoning_tokens_per_turn",
        "turns_reporting_reasoning",
        "turns_with_a_model_call",
        "tool_s_per_trajectory",
        "agent_s_per_trajectory",
        "whole_s_per_trajectory",
        "queries",
        "repeated",
        "repeated_after_error",
        "loops",
        "trajectories_with_a_loop",
    ]
    rows: list[list[Cell]] = [
        [
            run.name,
            len(run.explorations),
            run.per_trajectory("turns"),
            run.cost_usd,
            run.lost.cost_usd if run.lost else 0.0,
            run.reasoning.per_turn,
            run.reasoning.turns,
            run.reasoning.of,
            run.per_trajectory("tool_s"),
            run.per_trajectory("agent_s"),
            run.per_trajectory("whole_s"),
            run.queries,
            run.repeated,
            run.after_error,
            len(run.loops),
            run.looping,
        ]
        for run in runs
    ]
    return table("runs", columns, rows)
