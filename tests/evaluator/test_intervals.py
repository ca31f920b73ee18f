"""The clustered error and its interval have known answers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.intervals import cluster_error, share_interval
from tests.evaluator.records import STEADY


def test_the_clustered_error_is_the_printed_formula_worked_by_hand() -> None:
    # mean 0.6; deviations a: 0.4 + 0.4, b: 0.4 - 0.6 - 0.6 -> 2 * (0.64 + 0.64) / 5 squared
    error = cluster_error([1, 1, 1, 0, 0], ["a", "a", "b", "b", "b"])
    assert error == pytest.approx(math.sqrt(2 * (0.8**2 + 0.8**2)) / 5)


def test_with_one_value_a_cluster_it_is_the_textbook_standard_error() -> None:
    values = [0.1, 0.4, 0.4, 0.9, 0.2]
    mean = sum(values) / 5
    textbook = math.sqrt(sum((v - mean) ** 2 for v in values) / 4 / 5)
    assert cluster_error(values, range(5)) == pytest.approx(textbook)


def test_whole_clusters_that_agree_weigh_more_than_single_items() -> None:
    together = cluster_error([1] * 10 + [0] * 10, [i // 5 for i in range(20)])
    apart = cluster_error([1] * 10 + [0] * 10, range(20))
    assert together is not None and apart is not None and together > 1.5 * apart


def test_one_cluster_or_nothing_has_no_error_and_no_interval() -> None:
    assert cluster_error([1, 0, 1], ["a"] * 3) is None
    assert cluster_error([], []) is None
    assert share_interval(0.5, None, 1) is None


def test_the_interval_uses_students_t_with_one_degree_less_than_clusters() -> None:
    # t(0.975; 15) = 2.13145 in any table
    interval = share_interval(0.5, 0.05, 16)
    assert interval == pytest.approx((0.5 - 2.13145 * 0.05, 0.5 + 2.13145 * 0.05), abs=1e-6)


def test_the_interval_of_a_share_stays_between_nothing_and_everything() -> None:
    assert share_interval(0.01, 0.1, 5) == pytest.approx((0.0, 0.01 + 2.776445 * 0.1), abs=1e-6)
    high = share_interval(0.99, 0.1, 5)
    assert high is not None and high[1] == 1.0


def test_an_error_of_nothing_is_not_taken_for_certainty() -> None:
    # 0 of 16 clusters: 1 - 0.025 ** (1 / 16), the exact binomial bound
    assert share_interval(0.0, 0.0, 16) == pytest.approx((0.0, 0.205907), abs=1e-6)
    assert share_interval(1.0, 0.0, 16) == pytest.approx((0.794093, 1.0), abs=1e-6)


@STEADY
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4)), min_size=2, max_size=30),
    st.randoms(use_true_random=False),
)
def test_the_error_does_not_depend_on_the_order_of_the_items(
    rows: list[tuple[float, int]], random: object
) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = cluster_error([v for v, _ in rows], [c for _, c in rows])
    other = cluster_error([v for v, _ in shuffled], [c for _, c in shuffled])
    assert (one is None and other is None) or one == pytest.approx(other, abs=1e-9)
