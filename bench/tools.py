"""The tools against the old way: a fresh `python` per call, SQLite without an index; without MCP."""

from __future__ import annotations

from bench.deadlines import overshoot_alone, overshoot_busy
from bench.figures import Goal, Probe
from bench.python_hand import calls_ratio, python_ratios, session_costs
from bench.sql_hand import file_ratio, many_sessions, sql_ratios


def _at_least(name: str, goal: float) -> Goal:
    return Goal(name, goal, "ratio", "higher")


PROBES = (
    Probe(
        (_at_least("python_print_ratio", 300), _at_least("python_groupby_ratio", 50)),
        python_ratios,
    ),
    Probe((_at_least("python_calls_ratio_32", 100),), calls_ratio),
    Probe(
        (
            Goal("session_start_ms", 100, "ms", "lower"),
            Goal("session_pss_mb", 20, "MB", "lower"),
        ),
        session_costs,
    ),
    Probe(
        (
            _at_least("sql_lookup_ratio", 300),
            _at_least("sql_aggregate_ratio", 150),
            _at_least("sql_percentile_ratio", 5),
            _at_least("sql_distinct_ratio", 5),
        ),
        sql_ratios,
    ),
    Probe((_at_least("file_ratio", 5),), file_ratio),
    Probe(
        (
            _at_least("sql_64_throughput_ratio", 1.5),
            Goal("sql_64_p95_over_p50", 64, "ratio", "lower"),
        ),
        many_sessions,
    ),
    Probe((Goal("deadline_overshoot_p95_ms", 100, "ms", "lower"),), overshoot_alone),
    Probe((Goal("deadline_overshoot_busy_ms", 300, "ms", "lower"),), overshoot_busy),
)
