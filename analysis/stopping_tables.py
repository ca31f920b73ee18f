"""How trajectories ended, as tables for files."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.stopping import ENDINGS, Stopping, histogram
from analysis.stopping_gain import Gain
from analysis.table import Cell, Table, table

Named = tuple[str, str, Stopping]
"""(run id, whose it is, how its trajectories ended)"""

_ENDINGS = (
    "run", "name", "ending", "trajectories", "turns_mean", "turns_variance", "turns_least",
    "turns_quarter", "turns_median", "turns_three_quarters", "turns_most",
    "turns_after_last_discovery_median", "insights_generated", "insights_valid",
    "valid_insight_ratio", "idle_replies", "near_finishes",
)  # fmt: skip
_STOPS = (
    "run", "name", "trajectory", "entity", "trial", "ending", "reason", "turns", "idle_replies",
    "near_finishes", "insights_generated", "insights_valid", "insights_failed",
    "valid_insight_ratio", "last_turn_that_discovered", "turns_after_last_discovery",
)  # fmt: skip


def endings_table(runs: Sequence[Named]) -> Table:
    """A row for each run and way to end that occurs in it."""
    rows: list[list[Cell]] = []
    for run, name, found in runs:
        for ending in ENDINGS:
            stops, turns, after = found.of(ending), found.turns(ending), found.turns_after(ending)
            if turns is None:
                continue
            generated = sum(stop.insights_generated for stop in stops)
            valid = sum(stop.insights_valid for stop in stops)
            rows.append(
                [
                    run,
                    name,
                    ending,
                    turns.n,
                    turns.mean,
                    turns.variance,
                    turns.least,
                    turns.quarter,
                    turns.median,
                    turns.three_quarters,
                    turns.most,
                    after.median if after else None,
                    generated,
                    valid,
                    valid / generated if generated else None,
                    sum(stop.nudges for stop in stops),
                    sum(stop.near_finishes for stop in stops),
                ]
            )
    return table("endings", _ENDINGS, rows)


def stops_table(runs: Sequence[Named]) -> Table:
    """A row for each trajectory."""
    rows: list[list[Cell]] = [
        [
            run,
            name,
            stop.trajectory_id,
            stop.entity_id,
            stop.trial,
            stop.ending,
            stop.reason,
            stop.turns,
            stop.nudges,
            stop.near_finishes,
            stop.insights_generated,
            stop.insights_valid,
            stop.insights_failed,
            stop.valid_ratio,
            stop.last_new_turn,
            stop.turns_after,
        ]
        for run, name, found in runs
        for stop in found.stops
    ]
    return table("trajectories", _STOPS, rows)


def histogram_table(runs: Sequence[Named]) -> Table:
    """How many trajectories of each way to end fall into each bin of turns (DDR-20)."""
    rows: list[list[Cell]] = []
    for run, name, found in runs:
        bins = histogram([stop.turns for stop in found.stops])
        for first, last, _ in bins:
            for ending in ENDINGS:
                count = sum(_within(stop.turns, first, last) for stop in found.of(ending))
                if found.of(ending):
                    rows.append([run, name, ending, first, last, count])
    columns = ("run", "name", "ending", "first_turn", "last_turn", "trajectories")
    return table("histogram", columns, rows)


def gain_table(gains: Sequence[tuple[str, str, str, Gain]]) -> Table:
    """What was gained by each extra turn: (run, whose it is, the run that went on, what it gained)."""
    columns = (
        "run", "name", "went_on_as", "extra_turn", "accuracy_gained", "low", "high",
        "trajectories", "entities",
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [run, name, onward, at.turn, at.value, at.low, at.high, found.trajectories, found.entities]
        for run, name, onward, found in gains
        for at in found.points
    ]
    return table("after_finish", columns, rows)


def _within(turns: int, first: int, last: int) -> bool:
    return first <= max(1, turns) <= last
