"""What one step of arithmetic leads to from numbers that were shown together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from evaluator.tracing.observed import Observation, Row

Floats = NDArray[np.float64]
Step = Literal["difference", "sum", "ratio", "percent", "percent change", "rest to 100%"]

ALL_PAIRS: Final = 12
"""Rows of a column (or numbers that stand alone) up to which each is set against each."""
MOST_COLUMNS: Final = 16
"""Columns that are set against one another in a row."""


@dataclass(frozen=True)
class Reached:
    """Distinct values that one kind of step leads to, sorted, with where they come from first."""

    step: Step
    values: Floats
    first: Floats
    second: Floats
    """The operands; nan where a step has one only."""
    turns: NDArray[np.int64]


class Pairs:
    """The pairs of numbers of some observations that belong together, and the steps between them.

    Together belong the numbers of a row, and those of a column: all where there are few rows, else
    neighbours, the first, the last, the greatest, the least, and the column's sum.
    """

    def __init__(
        self,
        first: Floats,
        second: Floats,
        ones: Floats,
        turns: Floats,
        wholes: tuple[Floats, Floats, Floats] | None = None,
    ) -> None:
        """`ones`: single numbers. `turns`: of the pairs, then of the single numbers. `wholes`:
        numbers, the sums of their columns, and their turns."""
        self._first, self._second, self._ones = first, second, ones
        self._turns = turns.astype(np.int64)
        nothing = np.zeros(0)
        self._parts, self._wholes, when = wholes or (nothing, nothing, nothing)
        self._of_wholes = when.astype(np.int64)

    @classmethod
    def of(cls, observations: Sequence[Observation]) -> Pairs:
        """Of what these showed."""
        pairs: list[tuple[Floats, Floats, int]] = []
        wholes: list[tuple[Floats, Floats, int]] = []
        ones: list[float] = []
        of_ones: list[int] = []
        for each in observations:
            pairs += [(*pair, each.turn) for pair in _pairs(each)]
            wholes += [(*_wholes(table), each.turn) for table in each.tables if len(table) > 1]
            mine = [*each.singles]
            mine += [n for table in each.tables for row in table for n in row if n is not None]
            ones += mine
            of_ones += [each.turn] * len(mine)
        first, second, of_pairs = _joined(pairs)
        turns = np.concatenate([of_pairs, np.array(of_ones, float)])
        return cls(first, second, np.array(ones, float), turns, _joined(wholes))

    @classmethod
    def between(cls, numbers: Sequence[float], turn: int) -> Pairs:
        """Each of these with each."""
        values = np.array(numbers, float)
        i, j = np.triu_indices(len(values), 1)
        turns = np.full(len(i), turn, float)
        return cls(values[i], values[j], np.zeros(0), turns)

    def reached(self, unit: str, *, ratio: bool) -> Iterator[Reached]:
        """What could be printed with this unit; `ratio`: the words speak of one."""
        if unit == "%":
            yield from (self._shares, self._of_whole, self._changes, self._rests)
        elif unit == "pp":
            yield from (self._differences, self._hundredfold)
        elif unit == "x" or ratio:
            yield self._ratios
        if unit not in ("%", "pp", "x"):
            yield from (self._differences, self._sums)

    @cached_property
    def _differences(self) -> Reached:
        return self._both("difference", np.abs(self._first - self._second))

    @cached_property
    def _hundredfold(self) -> Reached:
        """Of shares of 1, in percentage points."""
        first, second = 100 * self._first, 100 * self._second
        turns = self._turns[: len(first)]
        return _sorted("difference", np.abs(first - second), first, second, turns)

    @cached_property
    def _sums(self) -> Reached:
        """Of two, and of whole columns (whose second operand is nan)."""
        values = np.concatenate([self._first + self._second, self._wholes])
        first = np.concatenate([self._first, self._wholes])
        second = np.concatenate([self._second, np.full(len(self._wholes), np.nan)])
        turns = np.concatenate([self._turns[: len(self._first)], self._of_wholes])
        return _sorted("sum", np.abs(values), first, second, turns)

    @cached_property
    def _ratios(self) -> Reached:
        return self._ways("ratio", 1.0, 0.0)

    @cached_property
    def _shares(self) -> Reached:
        return self._ways("percent", 100.0, 0.0)

    @cached_property
    def _of_whole(self) -> Reached:
        """Of a column's sum."""
        sound = self._wholes != 0
        part, whole = self._parts[sound], self._wholes[sound]
        return _sorted("percent", np.abs(100 * part / whole), part, whole, self._of_wholes[sound])

    @cached_property
    def _changes(self) -> Reached:
        return self._ways("percent change", 100.0, -100.0)

    @cached_property
    def _rests(self) -> Reached:
        """100 less a percentage, or 1 less a share."""
        ones, turns = self._ones, self._turns[len(self._first) :]
        as_share, as_percent = (ones >= 0) & (ones <= 1), (ones > 1) & (ones <= 100)
        values = np.concatenate([100 * (1 - ones[as_share]), 100 - ones[as_percent]])
        first = np.concatenate([ones[as_share], ones[as_percent]])
        where = np.concatenate([turns[as_share], turns[as_percent]])
        return _sorted("rest to 100%", values, first, np.full(len(first), np.nan), where)

    def _both(self, step: Step, values: Floats) -> Reached:
        return _sorted(step, values, self._first, self._second, self._turns[: len(self._first)])

    def _ways(self, step: Step, factor: float, plus: float) -> Reached:
        """The one by the other, and the other by the one."""
        first, second = (
            np.concatenate([self._first, self._second]),
            np.concatenate([self._second, self._first]),
        )
        turns = np.tile(self._turns[: len(self._first)], 2)
        sound = second != 0
        if step == "percent change":
            sound &= (first > 0) & (second > 0)
        first, second, turns = first[sound], second[sound], turns[sound]
        with np.errstate(over="ignore"):
            values = np.abs(factor * first / second + plus)
        return _sorted(step, values, first, second, turns)


def _sorted(
    step: Step, values: Floats, first: Floats, second: Floats, turns: NDArray[np.int64]
) -> Reached:
    order = np.lexsort((turns, values))
    order = order[np.isfinite(values[order])]
    values, once = np.unique(values[order], return_index=True)
    order = order[once]
    return Reached(step, values, first[order], second[order], turns[order])


def _pairs(observation: Observation) -> Iterator[tuple[Floats, Floats]]:
    for table in observation.tables:
        yield from _of_table(table)
    loose = observation.singles
    if 1 < len(loose) <= ALL_PAIRS:
        yield _each_with_each(np.array(loose, float))
    few = [n for table in observation.tables for row in table for n in row if n is not None]
    if len(observation.tables) > 1 and len(few) <= ALL_PAIRS:
        yield _each_with_each(np.array(few, float))


def _of_table(table: Sequence[Row]) -> Iterator[tuple[Floats, Floats]]:
    cells = _cells(table)
    rows, columns = cells.shape
    i, j = np.triu_indices(min(columns, MOST_COLUMNS), 1)
    yield _known(cells[:, i].ravel(), cells[:, j].ravel())
    if rows < 2:
        return
    if rows <= ALL_PAIRS:
        i, j = np.triu_indices(rows, 1)
        yield _known(cells[i].ravel(), cells[j].ravel())
    else:
        yield _known(cells[:-1].ravel(), cells[1:].ravel())
        filled = np.where(np.isnan(cells), -np.inf, cells)
        peaks = filled.max(axis=0)
        for mark in (
            cells[0],
            cells[-1],
            peaks,
            -np.where(np.isnan(cells), -np.inf, -cells).max(axis=0),
        ):
            yield _known(cells.ravel(), np.broadcast_to(mark, cells.shape).ravel())


def _wholes(table: Sequence[Row]) -> tuple[Floats, Floats]:
    """Each number of a column with the column's sum."""
    cells = _cells(table)
    return _known(cells.ravel(), np.broadcast_to(np.nansum(cells, axis=0), cells.shape).ravel())


def _cells(table: Sequence[Row]) -> Floats:
    """The columns that hold a number; nan where a cell is none."""
    cells = np.array([[np.nan if n is None else n for n in row] for row in table], float)
    return cells[:, ~np.isnan(cells).all(axis=0)]


def _each_with_each(values: Floats) -> tuple[Floats, Floats]:
    i, j = np.triu_indices(len(values), 1)
    return values[i], values[j]


def _known(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    sound = ~(np.isnan(a) | np.isnan(b))
    return a[sound], b[sound]


def _joined(parts: Sequence[tuple[Floats, Floats, int]]) -> tuple[Floats, Floats, Floats]:
    """All first ones, all second ones, and the turn of each."""
    if not parts:
        return np.zeros(0), np.zeros(0), np.zeros(0)
    first = np.concatenate([a for a, _, _ in parts])
    second = np.concatenate([b for _, b, _ in parts])
    return first, second, np.concatenate([np.full(len(a), turn, float) for a, _, turn in parts])
