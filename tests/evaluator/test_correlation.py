"""How two columns go together: known coefficients, ties, and what cannot be told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.correlation import correlate
from tests.evaluator.records import STEADY


def test_a_textbook_example() -> None:
    # Ranks 1 2 3 4 5 against 2 1 4 3 5: d^2 sums to 4, two of ten pairs are discordant.
    found = correlate([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])
    assert found.n == 5
    assert found.pearson == pytest.approx(0.8)
    assert found.spearman == pytest.approx(1 - 6 * 4 / (5 * 24))
    assert found.kendall == pytest.approx((8 - 2) / 10)
    assert found.rank_differences == 4
    # t = r * sqrt(3 / (1 - r^2)) = 2.3094 on three degrees of freedom.
    assert found.pearson_p == pytest.approx(0.104, abs=5e-4)


def test_a_column_against_itself_and_against_its_opposite() -> None:
    there = correlate([1, 2, 3, 4], [10, 20, 30, 40])
    assert (there.pearson, there.spearman, there.kendall) == pytest.approx((1, 1, 1))
    assert there.rank_differences == 0
    back = correlate([1, 2, 3, 4], [4, 3, 2, 1])
    assert (back.pearson, back.spearman, back.kendall) == pytest.approx((-1, -1, -1))
    assert back.rank_differences == 3 + 1 + 1 + 3


def test_ties_share_their_mean_rank() -> None:
    # Ranks from the highest: 3.5 3.5 2 1 against 4 3 2 1.
    assert correlate([1, 1, 2, 3], [1, 2, 3, 4]).rank_differences == 1


@pytest.mark.parametrize(("one", "other"), [([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([], [])])
def test_what_cannot_be_told_is_unknown(one: list[float], other: list[float]) -> None:
    found = correlate(one, other)
    assert (found.pearson, found.pearson_p, found.spearman, found.kendall) == (None,) * 4
    assert found.n == len(one)


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="3 and 2 values"):
        correlate([1, 2, 3], [1, 2])


@STEADY
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=3, max_size=20))
def test_it_does_not_matter_which_column_comes_first(pairs: list[tuple[int, int]]) -> None:
    one, other = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    there, back = correlate(one, other), correlate(other, one)
    assert there.rank_differences == back.rank_differences
    assert (there.spearman is None) == (back.spearman is None)
    if there.spearman is not None and there.kendall is not None:
        assert back.spearman == pytest.approx(there.spearman)
        assert back.kendall == pytest.approx(there.kendall)
        assert -1 - 1e-9 <= there.kendall <= 1 + 1e-9
