"""Shares of grounded numbers, the proxy of hallucination, and what chance would find."""

from __future__ import annotations

import pytest

from evaluator.grounding import (
    by_altered_figures,
    by_another,
    grounded_share,
    grounding_of,
    share,
    states,
    untraced_share,
)
from tests.evaluator.tracing.records import explored, rows


def table(*numbers: float) -> str:
    return rows(["a", "b"], *([n, n * 3.7] for n in numbers))


MINE = explored(
    {1: table(12.6, 803.4), 2: table(55.25)},
    [(1, "It is 12.6 there, of 803.4."), (2, "It is 55.25, and 9,871 elsewhere."), (2, "Often.")],
    "In all 803.4, on 2016-07-24 the 3rd highest.",
    entity_id="01",
)
OTHER = explored(
    {1: table(77.1, 140.9), 2: table(31.31)}, [(1, "It is 77.1 there.")], entity_id="02"
)


def test_shares_are_of_numbers_and_of_insights_with_numbers() -> None:
    found = [grounding_of(MINE), grounding_of(OTHER)]
    all_ = grounded_share(found, {})
    assert (all_.hits, all_.out_of) == (5, 6)
    assert all_.value == pytest.approx(5 / 6)
    assert grounded_share(found, {}, "trajectory").out_of == 1
    proxy = untraced_share(found, {})
    assert (proxy.hits, proxy.out_of) == (1, 3), "an insight without a number is no part of it"
    only = untraced_share(found, {}, ["t-02-1-1-m1"])
    assert (only.hits, only.out_of) == (0, 1)


def test_all_that_is_left_out_is_counted_by_its_kind() -> None:
    counts = states([grounding_of(MINE)])
    assert counts["rank"] == 1
    assert counts["period"] == 1
    assert counts["not found"] == 1


def test_intervals_are_by_entity() -> None:
    one = share([True, True, False, True], ["01", "01", "01", "01"])
    assert (one.value, one.low) == (0.75, None), "one entity has no spread"
    two = share([True, True, False, True], ["01", "01", "02", "02"])
    assert two.low is not None
    assert share([], []).value is None


def test_another_entitys_observations_and_altered_figures_ground_nothing_here() -> None:
    for found in ([by_another(MINE, OTHER)], [by_altered_figures(MINE)]):
        assert grounded_share(found, {}, "message").hits == 0


def test_no_trajectory_grounds_what_it_was_never_shown() -> None:
    empty = MINE.model_copy(update={"turns": ()})
    assert grounded_share([grounding_of(empty)], {}).hits == 0
