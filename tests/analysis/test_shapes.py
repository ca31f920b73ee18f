"""Least squares for many curves at once: exact where it can be, calm where nothing can be fitted."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.shapes import GOMPERTZ, LOG, LOGISTIC, Shape, influence, least_squares

X = np.arange(1, 41, dtype=float)


def logit(share: float) -> float:
    return log(share / (1 - share))


@pytest.mark.parametrize("shape", [LOGISTIC, GOMPERTZ])
@settings(max_examples=60, deadline=None)
@given(ceiling=st.floats(0.1, 0.95), slope=st.floats(0.1, 1.0), midpoint=st.floats(5, 30))
def test_a_curve_of_the_shape_gives_back_what_made_it(
    shape: Shape, ceiling: float, slope: float, midpoint: float
) -> None:
    truth = np.array([[logit(ceiling), log(slope), midpoint]])
    curve, _ = shape.at(X, truth)
    start = np.array([0.0, log(0.3), float(X[int(np.searchsorted(curve[0], curve[0, -1] / 2))])])
    found = least_squares(shape, X, curve, start)
    again, _ = shape.at(X, found)
    assert again[0] == pytest.approx(curve[0], abs=2e-3)


def test_many_curves_are_fitted_as_each_would_be_alone() -> None:
    truths = np.array([[logit(0.5), log(0.3), 10.0], [logit(0.8), log(0.15), 22.0]])
    curves, _ = LOGISTIC.at(X, truths)
    start = np.array([0.0, log(0.2), 15.0])
    both = least_squares(LOGISTIC, X, curves, start)
    alone = np.vstack([least_squares(LOGISTIC, X, curve[None], start) for curve in curves])
    assert both == pytest.approx(alone, abs=1e-5)
    assert both == pytest.approx(truths, abs=1e-4)


def test_a_start_for_each_curve_may_be_given() -> None:
    truths = np.array([[0.0, log(0.3), 10.0], [0.0, log(0.3), 30.0]])
    curves, _ = LOGISTIC.at(X, truths)
    assert least_squares(LOGISTIC, X, curves, truths + 0.05) == pytest.approx(truths, abs=1e-4)


def test_a_straight_line_is_found_as_algebra_finds_it() -> None:
    generator = np.random.default_rng(1)
    curves = generator.random((5, len(X)))
    found = least_squares(LOG, X, curves, np.zeros(2))
    for curve, (level, slope) in zip(curves, found, strict=True):
        by_algebra = np.polyfit(X, curve, 1)
        assert (slope, level) == pytest.approx(tuple(by_algebra), abs=1e-6)


@pytest.mark.parametrize(
    "curve", [np.zeros(40), np.ones(40), np.full(40, 0.3), np.r_[np.zeros(39), 1.0]]
)
def test_curves_that_no_sigmoid_fits_well_still_end_in_numbers(curve: np.ndarray) -> None:
    for shape in (LOGISTIC, GOMPERTZ):
        found = least_squares(shape, X, curve[None], np.array([0.0, log(0.3), 15.0]))
        assert np.isfinite(found).all()
        value, slope = shape.at(X, found)
        assert np.isfinite(value).all() and np.isfinite(slope).all()
        assert ((value >= 0) & (value <= 1)).all()


def test_a_search_never_ends_farther_off_than_it_began() -> None:
    generator = np.random.default_rng(2)
    curves = np.sort(generator.random((50, len(X))), axis=1)
    start = np.array([0.0, log(0.3), 15.0])
    before = ((curves - LOGISTIC.at(X, np.tile(start, (50, 1)))[0]) ** 2).sum(axis=1)
    found = least_squares(LOGISTIC, X, curves, start)
    after = ((curves - LOGISTIC.at(X, found)[0]) ** 2).sum(axis=1)
    assert (after <= before + 1e-12).all()


def test_parameters_far_out_give_shares_and_no_overflow() -> None:
    far = np.array([[1e6, 1e6, -1e9], [-1e6, -1e6, 1e9], [0.0, 500.0, 20.0]])
    with np.errstate(all="raise", under="ignore"):
        for shape in (LOGISTIC, GOMPERTZ):
            value, slope = shape.at(X, far)
            assert np.isfinite(value).all() and np.isfinite(slope).all()


def test_the_influence_of_a_row_is_what_leaving_it_in_a_little_more_does() -> None:
    """The fit to (1 - e) * mean + e * row moves by e times the row's influence beside the mean's."""
    generator = np.random.default_rng(3)
    theta = np.array([logit(0.6), log(0.3), 12.0])
    clean, _ = LOGISTIC.at(X, theta[None])
    rows = clean + generator.normal(0, 0.02, (6, len(X)))
    mean = rows.mean(axis=0)
    fitted = least_squares(LOGISTIC, X, mean[None], theta)
    pull = influence(LOGISTIC, X, fitted, rows)[0]
    by_mean = influence(LOGISTIC, X, fitted, mean[None])[0]
    small = 1e-4
    for at, row in enumerate(rows):
        moved = least_squares(LOGISTIC, X, ((1 - small) * mean + small * row)[None], fitted[0])
        step = (moved - fitted)[0] / small
        assert step == pytest.approx(pull[:, at] - by_mean[:, 0], rel=0.05, abs=2e-2)
