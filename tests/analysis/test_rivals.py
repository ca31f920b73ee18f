"""Shapes are held against entities that they have not seen, and clusters are kept whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t

from analysis.fits import LEAST_ENTITIES, Fit, fit
from analysis.growth import Growth
from analysis.rivals import FOLDS, _clustered, rivals
from bench.curves import Plan, planted
from tests.analysis.grown import entity, grown, run

PLAN = Plan(40, "turn", 0.6, 0.3, 10.0, 0.15)


def in_clusters(made: Growth, of: int) -> Growth:
    """Every `of` entities are one cluster."""
    return replace(
        made,
        entities=tuple(
            replace(each, cluster=f"c{number // of}") for number, each in enumerate(made.entities)
        ),
    )


def test_a_clustered_interval_is_the_one_that_a_hand_computes() -> None:
    """Values 1, 3 | 2, 2, 7: mean 3; by cluster -2 and 2, squares 4 + 4; sqrt(2/1 * 8) / 5 = 0.8."""
    found = _clustered([1, 3, 2, 2, 7], ["a", "a", "b", "b", "b"])
    reach = float(t.ppf(0.975, 1)) * 0.8
    assert found.value == 3
    assert (found.low, found.high) == pytest.approx((3 - reach, 3 + reach))


def test_each_in_a_cluster_of_its_own_is_the_plain_interval_of_a_mean() -> None:
    values = [0.1, 0.4, -0.2, 0.3]
    found = _clustered(values, list("abcd"))
    error = float(np.std(values, ddof=1)) / 2
    reach = float(t.ppf(0.975, 3)) * error
    assert found.low == pytest.approx(found.value - reach)


def test_twins_in_one_cluster_say_no_more_than_one_of_them() -> None:
    """Each entity twice, both in one cluster: the figures and their intervals stay as they are."""
    once = planted(PLAN, seed=1)
    twice = replace(
        once,
        entities=tuple(
            replace(each, id=f"{each.id}{copy}") for each in once.entities for copy in "ab"
        ),
    )
    one, two = fit(once, seed=3, refits=200), fit(twice, seed=3, refits=200)
    assert isinstance(one, Fit) and isinstance(two, Fit)
    assert two.midpoint.value == pytest.approx(one.midpoint.value)
    assert (two.midpoint.low, two.midpoint.high) == pytest.approx(
        (one.midpoint.low, one.midpoint.high), rel=1e-6
    )
    for mine, theirs in zip(rivals(once, seed=2), rivals(twice, seed=2), strict=True):
        assert mine.rmse == pytest.approx(theirs.rmse)
        if mine.worse is not None and theirs.worse is not None:
            assert mine.worse.value == pytest.approx(theirs.worse.value, rel=1e-6)
            assert mine.worse.low == pytest.approx(theirs.worse.low, rel=1e-4)


def test_intervals_are_wider_where_the_same_entities_come_in_fewer_clusters() -> None:
    made = planted(Plan(80, "turn", 0.6, 0.3, 10.0, 0.0), seed=4)
    alone = fit(made, seed=1, refits=200)
    # Entities are put together by what they found: what a cluster has in common widens.
    by_found = sorted(made.entities, key=lambda each: len(each.places))
    together = fit(in_clusters(replace(made, entities=tuple(by_found)), 8), seed=1, refits=200)
    assert isinstance(alone, Fit) and isinstance(together, Fit)

    def width(found: Fit) -> float:
        assert found.ceiling.low is not None and found.ceiling.high is not None
        return found.ceiling.high - found.ceiling.low

    assert width(together) > 1.5 * width(alone)


def test_few_clusters_have_no_interval_however_many_entities_there_are() -> None:
    made = in_clusters(planted(PLAN, seed=1), 8)
    assert len(set(made.clusters)) < LEAST_ENTITIES
    found = fit(made)
    assert isinstance(found, Fit)
    assert found.no_interval is not None
    assert {each.worse for each in rivals(made)} == {None}


def test_the_rulings_do_not_hang_on_the_seed_where_the_truth_is_plain() -> None:
    made = planted(Plan(150, "turn", 0.7, 0.5, 15.0, 0.0), seed=5)
    assert {rivals(made, seed=seed)[2].ruling for seed in range(4)} == {"the logistic is nearer"}


def test_fewer_clusters_than_folds_are_left_out_one_by_one() -> None:
    made = planted(Plan(LEAST_ENTITIES, "turn", 0.6, 0.3, 10.0, 0.1), seed=2)
    assert LEAST_ENTITIES < FOLDS
    assert all(each.worse is not None for each in rivals(made) if each.name != "logistic")


def test_what_cannot_be_fitted_has_no_rivals() -> None:
    assert rivals(grown(entity("a", 2, run(end=20)))) == ()


@pytest.mark.parametrize("seed", range(3))
def test_along_money_the_logarithm_is_a_straight_line_and_loses_to_a_planted_sigmoid(
    seed: int,
) -> None:
    told = {
        each.name: each for each in rivals(planted(Plan(100, "cost_usd", 0.5, 2.0, 0.2, 0.1), seed))
    }
    assert told["log"].ruling == "the logistic is nearer"
    assert told["logistic"].rmse < told["log"].rmse
