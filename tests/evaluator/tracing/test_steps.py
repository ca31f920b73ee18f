"""One step of arithmetic: which numbers belong together, and what they lead to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.tracing.observed import observed
from evaluator.tracing.steps import ALL_PAIRS, Pairs
from tests.evaluator.records import STEADY
from tests.evaluator.tracing.records import rows


def reached(*cells: Sequence[float | None], unit: str = "", ratio: bool = False) -> set[float]:
    pairs = Pairs.of([observed(rows([f"c{i}" for i in range(len(cells[0]))], *cells), 1)])
    return {
        round(float(value), 6) for each in pairs.reached(unit, ratio=ratio) for value in each.values
    }


def test_numbers_of_a_row_and_of_a_column_belong_together() -> None:
    found = reached([100, 7], [260, 11])
    assert {93.0, 107.0, 249.0, 271.0} <= found, "of a row"
    assert {160.0, 360.0, 4.0, 18.0} <= found, "of a column"
    assert not {89.0, 111.0, 253.0, 267.0} & found, "of neither"


def test_units_choose_the_steps() -> None:
    assert 38.461538 in reached([100], [260], unit="%")
    assert 160.0 in reached([100], [260], unit="%"), "260 is 160 % more than 100"
    assert 61.538462 in reached([100], [260], unit="%"), "100 is 61.5 % less than 260"
    assert 2.6 in reached([100], [260], unit="x")
    assert 2.6 not in reached([100], [260])
    assert 2.6 in reached([100], [260], ratio=True)
    assert 12.5 in reached([0.25], [0.375], unit="pp")
    assert 80.0 in reached([0.2], unit="%")
    assert 71.5 in reached([28.5], unit="%")


def test_a_columns_sum_and_the_shares_of_it_are_reached() -> None:
    cells = [[n] for n in range(10, 10 + 3 * ALL_PAIRS)]
    total = sum(n for (n,) in cells)
    assert float(total) in reached(*cells)
    assert round(100 * 25 / total, 6) in reached(*cells, unit="%")


def test_of_a_long_column_only_what_stands_out_is_set_against_the_rest() -> None:
    numbers = [float(n * n) for n in range(1, 3 * ALL_PAIRS)]
    found = reached(*([n] for n in numbers))
    assert numbers[-1] - numbers[4] in found, "the greatest and the last"
    assert numbers[7] - numbers[6] in found, "neighbours"
    assert numbers[20] - numbers[11] not in found


def test_a_cell_without_a_number_belongs_to_nothing() -> None:
    found = reached([100, None], [None, 7], [260, 11])
    assert 160.0 in found
    assert not np.isnan(list(found)).any()


def test_nothing_is_divided_by_nothing() -> None:
    found = reached([0], [5], unit="%")
    assert np.isfinite(list(found)).all()
    assert 0.0 in found


def test_each_value_knows_where_it_came_from_first() -> None:
    early, late = (observed(rows(["n"], [100], [260]), turn) for turn in (2, 6))
    for each in Pairs.of([late, early]).reached("x", ratio=False):
        assert set(each.turns.tolist()) == {2}
        assert each.first[-1] / each.second[-1] == pytest.approx(each.values[-1])


def test_without_observations_there_are_no_steps() -> None:
    for unit in ("", "%", "pp", "x"):
        assert all(not len(each.values) for each in Pairs.of([]).reached(unit, ratio=True))


@given(
    st.lists(
        st.tuples(st.none() | st.floats(-1e9, 1e9), st.none() | st.integers(-(10**6), 10**6)),
        min_size=1,
        max_size=40,
    )
)
@STEADY
def test_all_that_is_reached_is_sorted_distinct_and_real(
    cells: list[tuple[float | None, int | None]],
) -> None:
    pairs = Pairs.of([observed(rows(["a", "b"], *cells), 1)])
    for unit in ("", "%", "pp", "x"):
        for each in pairs.reached(unit, ratio=True):
            assert (np.diff(each.values) > 0).all()
            assert np.isfinite(each.values).all()
            assert len(each.values) == len(each.first) == len(each.second) == len(each.turns)
