"""The seeded helpers give answers that are known beforehand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics import (
    Spread,
    cluster_bootstrap,
    cluster_draws,
    clustered_mean,
    holm,
    interval,
    median,
    membership,
    quantile,
    spread,
    studentized,
)
from evaluator.intervals import cluster_error
from evaluator.paired import holm as holm_of_diff


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


def test_how_numbers_lie_is_told_as_a_hand_would_compute_it() -> None:
    assert spread([]) is None
    assert spread([7]) == Spread(1, 7, None, 7, 7, 7, 7, 7)
    # Mean 5; squares about it 16 + 4 + 1 + 25 = 46, over 3; quartiles at places 0.75, 1.5, 2.25.
    found = spread([10, 1, 3, 6])
    assert found is not None
    assert (found.n, found.mean, found.least, found.most) == (4, 5, 1, 10)
    assert found.variance == pytest.approx(46 / 3)
    assert (found.quarter, found.median, found.three_quarters) == pytest.approx((2.5, 4.5, 7.0))


def test_membership_says_which_rows_a_cluster_holds() -> None:
    assert membership(["b", "a", "b"]).tolist() == [[1, 0, 1], [0, 1, 0]]


def test_as_many_groups_are_drawn_as_there_are_and_each_as_often_as_chance_has_it() -> None:
    drawn = cluster_draws(5, seed=3, draws=4000)
    assert set(drawn.sum(axis=1)) == {5.0}
    assert drawn.mean(axis=0).tolist() == pytest.approx([1] * 5, abs=0.06)
    # Each count is binomial(5, 1/5).
    assert drawn.var(axis=0).tolist() == pytest.approx([0.8] * 5, abs=0.06)


def test_a_studentized_interval_turns_the_skew_of_the_draws_round() -> None:
    import numpy as np

    # In units of their own errors the draws lie from -1 to 3 about the estimate: so the truth lies
    # from 3 errors below to 1 above.
    drawn = 10 + np.linspace(-1, 3, 4001) * 2
    found = studentized(10.0, 0.5, drawn, np.full(4001, 2.0), level=1.0)
    assert found == pytest.approx((8.5, 10.5))
    assert studentized(10.0, float("nan"), drawn, np.full(4001, 2.0)) is None
    assert studentized(10.0, 0.5, drawn, np.zeros(4001)) is None


def test_a_clustered_mean_is_the_textbook_one() -> None:
    # Deviations from .5 summed per cluster: a 1, b -1; 2 * (1 + 1) = 4; sqrt(4) / 4 = .5.
    found = clustered_mean([1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "b"])
    assert found is not None
    assert (found.value, found.error, found.n, found.clusters) == (0.5, 0.5, 4, 2)
    # Student's t with one degree of freedom reaches 12.706 errors.
    assert found.low == pytest.approx(0.5 - 12.706 * 0.5, abs=1e-3)
    assert found.high == pytest.approx(0.5 + 12.706 * 0.5, abs=1e-3)
    assert found.p == pytest.approx(0.5)


def test_a_clustered_mean_says_what_it_cannot_know() -> None:
    assert clustered_mean([], []) is None
    alone = clustered_mean([1.0, 0.0], ["a", "a"])
    assert alone is not None and (alone.value, alone.error, alone.p) == (0.5, None, None)
    same = clustered_mean([1.0, 1.0], ["a", "b"])
    assert same is not None and (same.error, same.p) == (0.0, None)


def test_holm_corrects_by_rank_and_never_below_a_smaller_one() -> None:
    assert holm([0.01, 0.04, 0.03, None]) == [0.03, 0.06, 0.06, None]
    assert holm([0.6, 0.9]) == [1.0, 1.0]


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.95, 1.0])
def test_a_quantile_is_numpys(share: float) -> None:
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0]
    assert quantile(values, share) == pytest.approx(float(np.quantile(values, share)))
    assert quantile([], share) is None


@given(
    st.lists(
        st.tuples(st.floats(-1, 1, allow_subnormal=False), st.integers(0, 4)),
        min_size=1,
        max_size=30,
    )
)
def test_a_clustered_mean_has_the_error_that_scores_have(found: list[tuple[float, int]]) -> None:
    values, clusters = [value for value, _ in found], [cluster for _, cluster in found]
    mean = clustered_mean(values, clusters)
    error = cluster_error(values, clusters)
    assert mean is not None
    assert mean.error == (None if error is None else pytest.approx(error, abs=1e-12))
    assert (mean.n, mean.clusters) == (len(found), len(set(clusters)))


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12))
def test_holms_correction_is_the_one_of_ddr_diff(values: list[float | None]) -> None:
    found = holm(values)
    assert found == holm_of_diff(values)
    assert all(p is None or q is None or q >= p for p, q in zip(values, found, strict=True))


def test_a_clustered_interval_holds_what_it_promises() -> None:
    # 30 clusters of five with a share of their own: in 95 of 100 draws it holds the true mean.
    generator = np.random.default_rng(20260131)
    clusters = [cluster for cluster in range(30) for _ in range(5)]
    held = 0
    for _ in range(1000):
        shares = generator.beta(2, 3, 30).repeat(5)
        mean = clustered_mean((generator.random(150) < shares).astype(float).tolist(), clusters)
        assert mean is not None and mean.low is not None and mean.high is not None
        held += mean.low <= 0.4 <= mean.high
    assert 0.93 <= held / 1000 <= 0.97
