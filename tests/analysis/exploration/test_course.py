"""Trajectories of unlike length on one axis."""

from __future__ import annotations

import pytest

from analysis.exploration.course import PARTS, QUANTITIES, course, parts_of
from tests.analysis.exploration.test_thirds import step


def test_ten_turns_are_ten_parts_and_two_are_halves() -> None:
    assert parts_of([float(k) for k in range(10)]) == [float(k) for k in range(10)]
    assert parts_of([1.0, 3.0]) == [1.0] * 5 + [3.0] * 5


def test_a_part_is_the_mean_of_what_it_overlaps() -> None:
    """Of three turns the second covers 1/3 to 2/3; the fourth tenth, .3 to .4, is a third of the first turn
    and two thirds of the second."""
    found = parts_of([3.0, 6.0, 9.0])
    assert found[:3] == [3.0, 3.0, 3.0]
    assert found[3] == pytest.approx((3.0 + 2 * 6.0) / 3)
    assert found[6] == pytest.approx((2 * 6.0 + 9.0) / 3)
    assert parts_of([1.0] * 20 + [5.0] * 20)[4:6] == [1.0, 5.0]


def test_turns_without_a_value_are_left_out_and_a_part_of_them_alone_has_none() -> None:
    assert parts_of([None, 4.0], parts=2) == [None, 4.0]
    assert parts_of([None, 4.0], parts=1) == [4.0]
    assert parts_of([], parts=2) == [None, None]


def test_a_group_is_told_by_its_median_and_how_many_have_a_value() -> None:
    steps = {
        name: [step(1, queries=q), step(2, queries=q)]
        for name, q in zip("abc", (1, 5, 2), strict=True)
    }
    found = course(steps)
    assert len(found) == PARTS * len(QUANTITIES)
    queries = [p for p in found if p.quantity == "queries"]
    assert [(p.part, p.value, p.n) for p in queries] == [(k, 2, 3) for k in range(1, 11)]
    tokens = [p for p in found if p.quantity == "own_tokens"]
    assert {(p.value, p.n) for p in tokens} == {(None, 0)}
