"""The logistic finds what was planted, its intervals hold it, and its rivals are told apart."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from scipy.optimize import curve_fit

from analysis.fits import LEAST_ENTITIES, Estimate, Fit, fit, sampled
from analysis.growth import Growth
from analysis.rivals import Rival, rivals
from analysis.shapes import GOMPERTZ, LOG, LOGISTIC, Shape, least_squares
from bench.curves import Plan, planted
from tests.analysis.grown import alike, entity, grown, run

PLAN = Plan(100, "turn", 0.6, 0.3, 10.0, 0.15)


def fitted(made: Growth, **options: int) -> Fit:
    found = fit(made, **options)
    assert isinstance(found, Fit), found
    return found


def exact(count: int = 10_000) -> Growth:
    """So many items of one entity, found where a logistic (0.6, 0.3, 10) has it; fractions rounded."""
    by = [0.6 / (1 + exp(-0.3 * (turn - 10))) for turn in range(1, 41)]
    reached = [round(count * share) for share in by]
    new = np.diff([0, *reached])
    places = [float(turn) for turn, n in enumerate(new, start=1) for _ in range(n)]
    return grown(*(entity(str(n), count, run(*places, end=40)) for n in range(2)))


def test_a_curve_that_is_a_logistic_gives_its_parameters_back() -> None:
    found = fitted(exact())
    assert found.ceiling.value == pytest.approx(0.6, abs=1e-3)
    assert found.slope.value == pytest.approx(0.3, abs=1e-3)
    assert found.midpoint.value == pytest.approx(10, abs=0.02)
    assert found.rmse < 1e-4
    assert found.is_reached
    assert found.at(10) == pytest.approx(0.3, abs=1e-3)


def test_along_money_it_is_a_logistic_of_the_logarithm_and_its_midpoint_is_in_dollars() -> None:
    found = fitted(planted(Plan(400, "cost_usd", 0.5, 2.0, 0.2, 0.0), seed=3), refits=0)
    assert found.is_log
    assert found.midpoint.value == pytest.approx(0.2, rel=0.1)
    assert found.slope.value == pytest.approx(2.0, rel=0.1)
    assert found.at(0.2) == pytest.approx(found.ceiling.value / 2, abs=0.02)


def test_planted_midpoints_are_found_within_a_tenth_and_intervals_hold_what_was_planted() -> None:
    """100 runs of 100 entities. `ddr bench curves` draws 1500 of three kinds, with the like result."""
    off, held = [], []
    for seed in range(100):
        found = fitted(planted(PLAN, seed), seed=seed, refits=400)
        off.append(abs(found.midpoint.value / PLAN.midpoint - 1))
        truth = (PLAN.ceiling, PLAN.slope, PLAN.midpoint)
        for value, of in zip(truth, (found.ceiling, found.slope, found.midpoint), strict=True):
            assert of.low is not None and of.high is not None
            assert of.low < of.value < of.high
            held.append(of.low <= value <= of.high)
    assert sorted(off)[94] <= 0.10
    # 300 intervals, of which three share a run: 0.95 give or take twice 0.017.
    assert 0.915 <= sum(held) / len(held) <= 0.985


def test_the_refits_are_those_that_scipy_finds() -> None:
    made = planted(Plan(30, "turn", 0.6, 0.3, 10.0, 0.15), seed=5)
    data = sampled(made)
    assert not isinstance(data, str)
    generator = np.random.default_rng(1)
    curves = np.stack([data.rows[generator.integers(0, 30, 30)].mean(axis=0) for _ in range(20)])
    start = np.array([0.4, log(0.3), 10.0])
    mine = least_squares(LOGISTIC, data.x, curves, start)
    for curve, theta in zip(curves, mine, strict=True):
        by_scipy, _ = curve_fit(
            lambda x, c, s, m: c / (1 + np.exp(-s * (x - m))), data.x, curve, p0=(0.6, 0.3, 10)
        )
        told = (1 / (1 + exp(-theta[0])), exp(theta[1]), theta[2])
        assert told == pytest.approx(tuple(by_scipy), rel=1e-4)


@pytest.mark.parametrize("shape", [LOGISTIC, GOMPERTZ, LOG])
def test_the_derivatives_are_those_of_the_values(shape: Shape) -> None:
    x = np.linspace(0.5, 20, 9)
    theta = np.array([[0.3, -0.7, 8.0]])[:, : shape.parameters]
    value, slope = shape.at(x, theta)
    for at in range(shape.parameters):
        moved = theta.copy()
        moved[0, at] += 1e-6
        by_step = (shape.at(x, moved)[0] - value) / 1e-6
        assert slope[:, :, at] == pytest.approx(by_step, abs=1e-4)


def test_both_sigmoids_reach_half_of_their_ceiling_at_the_midpoint() -> None:
    theta = np.array([[0.0, -1.0, 7.0]])
    for shape in (LOGISTIC, GOMPERTZ):
        assert shape.at(np.array([7.0]), theta)[0][0, 0] == pytest.approx(0.25)


def test_the_same_seed_gives_the_same_intervals() -> None:
    made = planted(PLAN, seed=2)
    assert fit(made, seed=4, refits=99) == fit(made, seed=4, refits=99)
    assert fit(made, seed=4, refits=99) != fit(made, seed=5, refits=99)


def test_a_midpoint_beyond_what_was_explored_is_said_to_be_extrapolated() -> None:
    places = [float(turn) for turn in range(6, 13) for _ in range(round(1.6 ** (turn - 5)))]
    assert not fitted(alike(4, 400, places, 12)).is_reached


def test_few_entities_have_a_fit_and_no_interval_and_the_reason_is_said() -> None:
    made = planted(Plan(LEAST_ENTITIES - 1, "turn", 0.6, 0.3, 10.0, 0.15), seed=1)
    found = fitted(made)
    assert found.midpoint.low is None
    assert found.no_interval == "7 entities are too few for an interval: 8 are needed"
    assert [each.ruling for each in rivals(made)] == ["not tested"] * 3


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (alike(2, 3, [], 20), "nothing was found"),
        (alike(2, 3, [1], 20), "nothing was found after the first place"),
        (alike(2, 3, [2], 4), "4 places are too few: 6 are needed"),
        (grown(entity("a", 1)), "1 places are too few: 6 are needed"),
        (Growth("m", "billed_tokens", (), source="reported"), "a reported total has no places"),
        (grown(entity("a", 1, run(end=0, first=None)), axis="cost_usd"), "nothing was spent"),
    ],
)
def test_what_cannot_be_fitted_says_why(made: Growth, why: str) -> None:
    found = fit(made)
    assert isinstance(found, str)
    assert found.startswith(why)


def ruled(made: Growth) -> dict[str, Rival]:
    return {each.name: each for each in rivals(made, seed=1)}


def test_a_planted_logistic_beats_the_logarithm_on_entities_that_were_not_fitted() -> None:
    told = ruled(planted(Plan(150, "turn", 0.7, 0.4, 15.0, 0.0), seed=7))
    assert told["log"].ruling == "the logistic is nearer"
    assert told["gompertz"].ruling == "the logistic is nearer"
    assert told["logistic"].rmse < told["gompertz"].rmse < told["log"].rmse
    assert told["logistic"].worse is None


def test_a_planted_logarithm_beats_the_logistic() -> None:
    generator = np.random.default_rng(3)
    entities = []
    for number in range(200):
        luck = generator.random(7)
        # Found by turn t with probability 0.15 log t.
        turns = np.ceil(np.exp(luck / 0.15))
        places = [float(turn) for turn in turns if turn <= 60]
        entities.append(entity(f"{number:03d}", 7, run(*places, end=60)))
    told = ruled(grown(*entities))
    assert told["log"].ruling == "it is nearer than the logistic"
    assert told["log"].rmse < told["logistic"].rmse


def test_a_ruling_is_what_the_interval_says() -> None:
    assert Rival("log", 0.1, Estimate(0.1, -0.1, 0.3)).ruling == "neither is nearer"
    assert Rival("log", 0.1, Estimate(-0.2, -0.3, -0.1)).ruling == "it is nearer than the logistic"
