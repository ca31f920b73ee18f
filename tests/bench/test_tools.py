"""`ddr bench tools` has the figures and goals that were promised, and each probe gives its own."""

from __future__ import annotations

from bench import registry

GOALS = {
    "python_print_ratio": (300, "higher"),
    "python_groupby_ratio": (50, "higher"),
    "python_calls_ratio_32": (100, "higher"),
    "session_start_ms": (100, "lower"),
    "session_pss_mb": (20, "lower"),
    "sql_lookup_ratio": (300, "higher"),
    "sql_aggregate_ratio": (150, "higher"),
    "sql_percentile_ratio": (5, "higher"),
    "sql_distinct_ratio": (5, "higher"),
    "file_ratio": (5, "higher"),
    "sql_64_throughput_ratio": (1.5, "higher"),
    "sql_64_p95_over_p50": (64, "lower"),
    "deadline_overshoot_p95_ms": (100, "lower"),
    "deadline_overshoot_busy_ms": (300, "lower"),
}


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("tools") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS
