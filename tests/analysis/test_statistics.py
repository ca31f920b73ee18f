"""The seeded helpers give answers that are known beforehand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics import cluster_bootstrap, interval, median


def test_the_bootstrap_error_of_a_mean_is_the_textbook_one() -> None:
    values = [[float(i % 2)] for i in range(100)]
    draws = cluster_bootstrap(values, range(100), seed=1, draws=20_000)
    assert draws.mean() == pytest.approx(0.5, abs=0.005)
    assert draws.std() == pytest.approx(math.sqrt(0.25 / 100), rel=0.03)


def test_rows_of_one_cluster_are_drawn_together_and_widen_the_interval() -> None:
    # Ten clusters of ten equal rows hold ten facts, not a hundred: the error is sqrt(10) larger.
    values = [[float(i // 10 % 2)] for i in range(100)]
    clustered = cluster_bootstrap(values, [i // 10 for i in range(100)], seed=1, draws=20_000)
    assert clustered.std() == pytest.approx(math.sqrt(0.25 / 10), rel=0.03)


def test_a_large_cluster_weighs_by_its_rows() -> None:
    # Clusters {1, 1, 1} and {0}: the four draws of two are 1, 0 and twice 3/4.
    draws = cluster_bootstrap([[1], [1], [1], [0]], ["a", "a", "a", "b"], seed=3, draws=4000)
    assert sorted({round(float(x), 6) for x in draws[:, 0]}) == [0.0, 0.75, 1.0]


def test_the_same_seed_gives_the_same_draws_and_another_seed_others() -> None:
    values = [[float(i)] for i in range(8)]
    once, again, other = (cluster_bootstrap(values, range(8), seed=s) for s in (5, 5, 6))
    assert (once == again).all()
    assert not (once == other).all()


def test_columns_are_resampled_with_the_same_draw() -> None:
    draws = cluster_bootstrap([[1, 2], [3, 6], [5, 10]], "abc", seed=0)
    assert draws[:, 1] == pytest.approx(2 * draws[:, 0])


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([[1.0]], ["a", "b"]), ([1.0], ["a"])])
def test_values_that_do_not_fit_their_clusters_are_refused(
    values: list[list[float]], clusters: list[str]
) -> None:
    with pytest.raises(ValueError, match="clusters for values"):
        cluster_bootstrap(values, clusters, seed=0)


def test_the_interval_of_a_hundred_and_one_even_draws_is_read_off() -> None:
    import numpy as np

    draws = np.linspace(0, 100, 101)[:, None]
    lows, highs = interval(draws)
    assert (lows[0], highs[0]) == pytest.approx((2.5, 97.5))
    assert [x[0] for x in interval(draws, level=0.5)] == pytest.approx([25, 75])


@pytest.mark.parametrize(("values", "middle"), [([3, 1, 2], 2), ([4, 1, 2, 3], 2.5), ([], None)])
def test_the_median_is_the_middle_value(values: list[float], middle: float | None) -> None:
    assert median(values) == middle


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.integers(0, 99))
def test_a_mean_of_shares_stays_between_the_smallest_and_the_largest(
    values: list[float], seed: int
) -> None:
    draws = cluster_bootstrap([[v] for v in values], range(len(values)), seed=seed, draws=50)
    assert draws.min() >= min(values) - 1e-9
    assert draws.max() <= max(values) + 1e-9
