"""The statistics agree with numpy, the standard library and their definitions on whatever they get."""

from __future__ import annotations

import statistics as standard
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.statistics import (
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

_NUMBER = st.floats(-1e6, 1e6)
_NUMBERS = st.lists(_NUMBER, min_size=1, max_size=30)
_P = st.none() | st.floats(0, 1)


@given(_NUMBERS)
def test_a_median_is_the_standard_librarys(values: list[float]) -> None:
    assert median(values) == pytest.approx(standard.median(values))
    assert median(values[::-1]) == median(values)


@given(_NUMBERS, st.floats(0, 1))
def test_a_quantile_is_numpys_for_any_share(values: list[float], share: float) -> None:
    assert quantile(values, share) == pytest.approx(
        float(np.quantile(values, share)), abs=1e-6, rel=1e-9
    )
    assert quantile([], share) is None


@given(_NUMBERS)
def test_a_spread_is_numpys(values: list[float]) -> None:
    found = spread(values)
    assert found is not None
    assert found.n == len(values)
    assert found.mean == pytest.approx(float(np.mean(values)), abs=1e-6)
    if len(values) == 1:
        assert found.variance is None
    else:
        assert found.variance == pytest.approx(float(np.var(values, ddof=1)), rel=1e-6, abs=1e-3)
    held = [found.least, found.quarter, found.median, found.three_quarters, found.most]
    assert held == pytest.approx(
        [float(x) for x in np.quantile(values, [0, 0.25, 0.5, 0.75, 1])], abs=1e-6
    )
    assert held == sorted(held)


def test_nothing_has_no_spread_and_one_number_no_variance() -> None:
    assert spread([]) is None and median([]) is None
    one = spread([3.0])
    assert one is not None
    assert (one.least, one.median, one.most, one.variance) == (3.0, 3.0, 3.0, None)


@given(st.lists(_P, max_size=12))
def test_holm_is_its_definition_on_what_was_tested(values: list[float | None]) -> None:
    known = sorted(p for p in values if p is not None)
    for p, found in zip(values, holm(values), strict=True):
        if p is None:
            assert found is None
            continue
        # The largest of (m - j + 1) p_j over all that are no larger than it, 1 at most.
        upto = [(len(known) - j) * q for j, q in enumerate(known) if q <= p]
        assert found == pytest.approx(min(1.0, max(upto)))


@given(st.lists(_P, max_size=12))
def test_a_correction_lowers_nothing_and_keeps_the_order(values: list[float | None]) -> None:
    pairs = sorted(
        (p, q) for p, q in zip(values, holm(values), strict=True) if p is not None and q is not None
    )
    assert all(p <= q <= 1 for p, q in pairs)
    assert all(one[1] <= other[1] for one, other in pairwise(pairs))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(-5, 5), st.sampled_from("abcd")), min_size=3, max_size=25))
def test_a_clustered_error_is_that_of_the_sums_of_clusters(
    rows: list[tuple[float, str]],
) -> None:
    values, clusters = [x for x, _ in rows], [name for _, name in rows]
    found = clustered_mean(values, clusters)
    assert found is not None
    assert found.value == pytest.approx(standard.fmean(values))
    assert found.clusters == len(set(clusters))
    if found.clusters < 2:
        assert (found.error, found.low, found.high, found.p) == (None, None, None, None)
        return
    centred = np.array(values) - np.mean(values)
    sums = membership(clusters) @ centred
    groups = found.clusters
    variance = groups / (groups - 1) * float(sums @ sums) / len(values) ** 2
    assert found.error == pytest.approx(variance**0.5, abs=1e-9)
    assert found.low is not None and found.high is not None
    assert found.low <= found.value <= found.high
    assert found.value - found.low == pytest.approx(found.high - found.value)


def test_the_reach_of_a_clustered_mean_is_students_with_one_less_than_clusters() -> None:
    # Three clusters with sums of deviations -1, 0, 1: error = sqrt(3/2 * 2) / 3; t(2) is 4.302653.
    found = clustered_mean([0.0, 1.0, 2.0], "abc")
    assert found is not None and found.error == pytest.approx(3**0.5 / 3)
    assert found.high == pytest.approx(1 + 4.302653 * 3**0.5 / 3, rel=1e-6)
    # t = sqrt(3) with 2 degrees: p = 1 - t/sqrt(t^2+2) = 1 - sqrt(3/5).
    assert found.p == pytest.approx(1 - (3 / 5) ** 0.5)


def test_a_mean_without_any_deviation_has_an_error_of_zero_and_no_p() -> None:
    found = clustered_mean([0.5] * 4, "aabb")
    assert found is not None
    assert (found.error, found.low, found.high, found.p) == (0.0, 0.5, 0.5, None)
    assert clustered_mean([], []) is None
    with pytest.raises(ValueError, match="zip"):
        clustered_mean([1.0, 2.0], "a")


@given(st.lists(st.sampled_from("abcde"), min_size=1, max_size=20))
def test_membership_has_one_cluster_for_each_row(clusters: list[str]) -> None:
    found = membership(clusters)
    assert found.shape == (len(set(clusters)), len(clusters))
    assert found.sum(axis=0).tolist() == [1.0] * len(clusters)
    first_seen = list(dict.fromkeys(clusters))
    for row, name in enumerate(first_seen):
        assert found[row].tolist() == [float(each == name) for each in clusters]


@given(st.integers(1, 12), st.integers(0, 99))
def test_each_draw_holds_as_many_groups_as_there_are(groups: int, seed: int) -> None:
    drawn = cluster_draws(groups, seed=seed, draws=30)
    assert drawn.shape == (30, groups)
    assert drawn.sum(axis=1).tolist() == [float(groups)] * 30
    assert (drawn == cluster_draws(groups, seed=seed, draws=30)).all()


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc")), min_size=1, max_size=12),
    st.integers(0, 9),
)
def test_each_draw_is_the_mean_of_the_rows_that_it_drew(
    rows: list[tuple[float, str]], seed: int
) -> None:
    values, clusters = [[x] for x, _ in rows], [name for _, name in rows]
    names = list(dict.fromkeys(clusters))
    drawn = cluster_draws(len(names), seed=seed, draws=20)
    expected = []
    for often in drawn:
        held = [
            x
            for name, times in zip(names, often, strict=True)
            for x, own in rows
            if own == name
            for _ in range(int(times))
        ]
        expected.append(standard.fmean(held))
    found = cluster_bootstrap(values, clusters, seed=seed, draws=20)
    assert found[:, 0].tolist() == pytest.approx(expected)


def test_one_cluster_is_drawn_whole_each_time() -> None:
    found = cluster_bootstrap([[0.0, 1.0], [1.0, 1.0]], "aa", seed=1, draws=10)
    assert found.tolist() == [[0.5, 1.0]] * 10
    assert interval(found) == ([0.5, 1.0], [0.5, 1.0])


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_an_interval_leaves_as_much_out_below_as_above(level: float) -> None:
    draws = np.arange(1001.0)[:, None]
    (low,), (high,) = interval(draws, level)
    assert low == pytest.approx(1000 * (1 - level) / 2)
    assert low + high == pytest.approx(1000)


def test_a_studentized_interval_of_symmetric_draws_is_the_symmetric_one() -> None:
    drawn = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    found = studentized(0.0, 1.0, drawn, np.ones(5), level=0.5)
    assert found == (-1.0, 1.0)
    # Twice as unsure of itself as the draws were: twice as wide.
    assert studentized(0.0, 2.0, drawn, np.ones(5), level=0.5) == (-2.0, 2.0)


@pytest.mark.parametrize("error", [float("nan"), float("inf")])
def test_an_error_that_is_no_number_gives_no_interval(error: float) -> None:
    assert studentized(0.0, error, np.ones(9), np.ones(9)) is None
    assert studentized(0.0, 1.0, np.full(9, np.nan), np.ones(9)) is None
    mostly = np.array([1.0, *[0.0] * 8])
    assert studentized(0.0, 1.0, np.ones(9), mostly) is None
