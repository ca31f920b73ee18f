"""How likely a model was to finish after each turn, over trajectories (DDR-19, the paper's Fig. 6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.statistics import Spread, spread
from analysis.stopping import Ending
from analysis.table import Cell, Table, table


@dataclass(frozen=True)
class Prefix:
    """A trajectory after so many of its turns, and how likely its next words were the finish."""

    trajectory_id: str
    entity_id: str
    ending: Ending
    after_turns: int
    """0 = before the first turn."""
    turns: int
    """Of the whole trajectory."""
    logprob: float | None
    """(1/N) sum log P(t_i | t_<i, this prefix) over the N finish tokens, natural logarithm; None where
    it was not measured."""
    tokens: int | None
    """N."""
    unscored_reason: str | None = None


@dataclass(frozen=True)
class Point:
    """Trajectories that were as long, or as far from their end."""

    turn: int
    logprob: Spread


def by_turn(prefixes: Sequence[Prefix]) -> list[Point]:
    """Mean and variance after each number of turns. Those that were shorter are in no later point."""
    return _grouped([(each.after_turns, each) for each in prefixes])


def before_end(prefixes: Sequence[Prefix]) -> list[Point]:
    """The same by turns that were still to come, of those that ended by themselves; 0 = at the end."""
    own = [each for each in prefixes if each.ending == "own"]
    return _grouped([(each.turns - each.after_turns, each) for each in own])


def prefix_table(runs: Sequence[tuple[str, str, Sequence[Prefix]]]) -> Table:
    """A row for each prefix: (run, whose it is, its prefixes)."""
    columns = (
        "run", "name", "trajectory", "entity", "ending", "after_turns", "turns",
        "finish_logprob_mean", "finish_tokens", "unscored_reason",
    )  # fmt: skip
    rows: list[list[Cell]] = [
        [
            run,
            name,
            each.trajectory_id,
            each.entity_id,
            each.ending,
            each.after_turns,
            each.turns,
            each.logprob,
            each.tokens,
            each.unscored_reason,
        ]
        for run, name, prefixes in runs
        for each in prefixes
    ]
    return table("finish_prefixes", columns, rows)


def point_table(runs: Sequence[tuple[str, str, Sequence[Prefix]]]) -> Table:
    """A row for each number of turns, from the start and from the end."""
    columns = ("run", "name", "counted_from", "turn", "trajectories", "mean", "variance")
    rows: list[list[Cell]] = [
        [run, name, origin, at.turn, at.logprob.n, at.logprob.mean, at.logprob.variance]
        for run, name, prefixes in runs
        for origin, points in (("start", by_turn(prefixes)), ("end", before_end(prefixes)))
        for at in points
    ]
    return table("finish_logprobs", columns, rows)


def _grouped(prefixes: Sequence[tuple[int, Prefix]]) -> list[Point]:
    found: dict[int, list[float]] = defaultdict(list)
    for turn, each in prefixes:
        if each.logprob is not None:
            found[turn].append(each.logprob)
    spreads = ((turn, spread(found[turn])) for turn in sorted(found))
    return [Point(turn, each) for turn, each in spreads if each is not None]
