"""The index of shown numbers: what it finds, when, and how much of it would be chance."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.tracing.observed import observed
from evaluator.tracing.shown import Index
from tests.evaluator.records import STEADY
from tests.evaluator.tracing.records import rows

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda value: round(value, 3))


@given(
    shown=st.lists(st.tuples(NUMBERS, st.integers(1, 5)), min_size=1, max_size=40),
    low=NUMBERS.map(abs),
    width=st.floats(0, 1e5),
    until=st.integers(1, 5),
)
@STEADY
def test_it_finds_what_a_search_by_hand_finds(
    shown: list[tuple[float, int]], low: float, width: float, until: int
) -> None:
    high = low + width
    index = Index([number for number, _ in shown], [turn for _, turn in shown])
    hair = 1e-9 * high
    by_hand = [t for n, t in shown if low - hair <= abs(n) <= high + hair and t <= until]
    assert index.find(low, high, until) == min(by_hand, default=None)


def test_a_negative_number_is_found_by_words_that_carry_its_sign_and_not_the_reverse() -> None:
    index = Index([-3.26, 12.5], [1, 2])
    assert index.find(3.255, 3.265, 9) == 1
    assert index.find(-3.265, -3.255, 9) == 1
    assert index.find(-12.55, -12.45, 9) is None


def test_the_first_turn_that_showed_it_is_told() -> None:
    index = Index([7.0, 7.0, 7.0], [4, 2, 9])
    assert index.find(6.5, 7.5, 9) == 2
    assert index.find(6.5, 7.5, 1) is None


def test_chance_grows_with_the_numbers_around_and_the_width_that_is_asked_for() -> None:
    chance = random.Random(7)
    numbers = [round(chance.uniform(0, 100), 4) for _ in range(1000)]
    index = Index(numbers, [1] * len(numbers))
    # Ten numbers a unit: a window of 0.1 holds one by chance, one of 0.01 a tenth.
    assert index.luck(49.95, 50.05, 1) == pytest.approx(1, rel=0.15)
    assert index.luck(49.995, 50.005, 1) == pytest.approx(0.1, rel=0.15)
    assert index.luck(500.95, 501.05, 1) == 0
    assert index.luck(49.95, 50.05, 0) == 0, "nothing was shown by then"


def test_a_number_alone_is_no_chance() -> None:
    assert Index([50.0], [1]).luck(49.5, 50.5, 1) == 0
    assert Index([], []).luck(49.5, 50.5, 1) == 0
    assert Index([], []).find(0, 1e9, 1) is None


def test_equal_numbers_count_once() -> None:
    many = Index([10.0] * 500 + [12.0], [1] * 501)
    few = Index([10.0, 12.0], [1, 1])
    assert many.luck(10.95, 11.05, 1) == few.luck(10.95, 11.05, 1)


def test_what_a_result_shows_is_indexed_with_its_turn() -> None:
    seen = [observed(rows(["a"], [41.5]), 3), observed("mean: 7.25", 5)]
    index = Index.of(seen)
    assert index.find(41.45, 41.55, 9) == 3
    assert index.find(7.245, 7.255, 9) == 5
