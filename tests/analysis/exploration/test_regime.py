"""The balanced-regime test: against statsmodels, against a planted inverted U, and on flat data."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest

from analysis.exploration.regime import Observation, bins, fit, regimes


def observed(
    truth: Callable[[float], float],
    *,
    seed: int,
    models: int = 24,
    entities: int = 12,
    noise: float = 0.12,
    reach: tuple[float, float] = (0.1, 0.9),
    between: float = 0.08,
) -> list[Observation]:
    """Trajectories of models that differ in level and in where they look; accuracy follows the truth."""
    chance = random.Random(seed)
    found = []
    for model in range(models):
        level = chance.gauss(0, between)
        for entity in range(entities):
            x = chance.uniform(*reach)
            y = truth(x) + level + chance.gauss(0, noise)
            found.append(Observation(f"m{model}", f"{entity:02d}", y, x, 1 - x / 2))
    return found


def hill(x: float) -> float:
    """Highest at 0.5, where it is 0.6."""
    return 0.6 - 2 * (x - 0.5) ** 2


def test_the_coefficients_and_errors_are_those_of_statsmodels() -> None:
    from statsmodels.api import OLS  # type: ignore[import-untyped]

    data = observed(hill, seed=1, models=9, entities=5)
    x = np.array([each.coverage for each in data])
    y = np.array([each.accuracy for each in data])
    groups = np.array([int(each.model[1:]) for each in data])
    theirs = OLS(y, np.column_stack([np.ones_like(x), x, x**2])).fit(
        cov_type="cluster", cov_kwds={"groups": groups, "df_correction": True}, use_t=True
    )
    ours = fit(data, "coverage", "model")
    assert ours.linear == pytest.approx(theirs.params[1])
    assert ours.square == pytest.approx(theirs.params[2])
    low, high = theirs.conf_int()[2]
    assert ours.low == pytest.approx(low)
    assert ours.high == pytest.approx(high)
    assert ours.p == pytest.approx(theirs.pvalues[2])
    slopes = [theirs.t_test([[0, 1, 2 * end]]) for end in (x.min(), x.max())]
    worst = max(slopes[0].pvalue / 2, slopes[1].pvalue / 2)
    assert ours.p_inverted == pytest.approx(float(worst))


def test_a_parabola_without_noise_is_found_to_the_last_digit() -> None:
    data = [Observation("m", f"{k:02d}", hill(k / 20), k / 20, 1.0) for k in range(21)]
    found = fit(data, "coverage", "entity")
    assert found.linear == pytest.approx(2.0)
    assert found.square == pytest.approx(-2.0)
    assert found.vertex == pytest.approx(0.5)
    assert (found.x_low, found.x_high, found.is_inside) == (0.0, 1.0, True)
    assert found.is_balanced is True


@pytest.mark.parametrize("level", [0.0, 0.1, 0.7, 1e-300])
def test_accuracy_that_is_the_same_everywhere_has_no_curve(level: float) -> None:
    data = [Observation("m", f"{k:02d}", level, k / 20, 1.0) for k in range(21)]
    found = fit(data, "coverage", "entity")
    assert (found.why_not, found.is_balanced) == ("accuracy is the same everywhere", None)


def test_a_straight_line_turns_nowhere_in_the_data() -> None:
    data = [Observation("m", f"{k:02d}", k / 32, k / 16, 1.0) for k in range(17)]
    found = fit(data, "coverage", "entity")
    assert found.linear == pytest.approx(0.5)
    assert found.square == pytest.approx(0, abs=1e-9)
    assert found.is_balanced is not True
    assert found.vertex is None or not 0 <= found.vertex <= 1


def test_a_planted_inverted_u_is_recovered() -> None:
    hits, held = 0, 0
    for seed in range(40):
        found = fit(observed(hill, seed=seed), "coverage", "model")
        hits += found.is_balanced is True
        assert found.low is not None and found.high is not None
        held += found.low <= -2 <= found.high
        assert found.vertex == pytest.approx(0.5, abs=0.1)
    assert hits == 40
    assert held >= 35  # .95 of 40 is 38; fewer than 35 comes once in a hundred sets of seeds


@pytest.mark.parametrize(
    "truth",
    [
        pytest.param(lambda x: 0.4, id="flat"),
        pytest.param(lambda x: 0.2 + 0.4 * x, id="rising"),
        pytest.param(lambda x: 0.3 + 0.3 * sqrt(x), id="flattening"),
        pytest.param(lambda x: 0.2 + (x - 0.5) ** 2, id="valley"),
    ],
)
def test_what_is_no_inverted_u_is_seldom_called_one(truth: Callable[[float], float]) -> None:
    says = [fit(observed(truth, seed=s), "coverage", "model").is_balanced for s in range(200)]
    # A flat line passes both one-sided tests less often than either at .05.
    assert sum(s is True for s in says) <= 10
    assert None not in says


def test_few_models_that_look_in_places_of_their_own_are_seldom_called_an_inverted_u() -> None:
    """The hardest case for errors by model: x differs between models more than within them."""
    says = []
    for seed in range(200):
        chance = random.Random(seed)
        data = []
        for model in range(6):
            level, place = chance.gauss(0.4, 0.08), chance.uniform(0.2, 0.8)
            for entity in range(20):
                x = place + chance.uniform(-0.15, 0.15)
                data.append(
                    Observation(f"m{model}", str(entity), level + chance.gauss(0, 0.12), x, 1.0)
                )
        says.append(fit(data, "coverage", "model").is_balanced)
    assert sum(s is True for s in says) <= 14  # .04 in 600 sets; 14 of 200 is .07


def test_a_square_term_alone_is_no_inverted_u() -> None:
    """The curve rises and flattens: its square term is far below 0, and it falls nowhere."""
    found = fit(observed(lambda x: 0.9 * x - 0.45 * x * x, seed=3, noise=0.01), "coverage", "model")
    assert found.p is not None and found.p < 0.001
    assert found.square is not None and found.square < 0
    assert found.is_balanced is False


def test_with_several_models_errors_are_clustered_by_model_and_by_entity() -> None:
    found = regimes(observed(hill, seed=5, models=6))
    told = [(each.measure, each.clustered_by, each.clusters) for each in found]
    assert told == [
        ("coverage", "model", 6),
        ("coverage", "entity", 12),
        ("entropy", "model", 6),
        ("entropy", "entity", 12),
    ]
    assert all(each.warning and "few" in each.warning for each in found)
    assert fit(observed(hill, seed=5), "coverage", "model").warning is None


def test_one_model_is_clustered_by_entity_alone() -> None:
    found = regimes(observed(hill, seed=6, models=1, entities=30))
    assert [each.clustered_by for each in found] == ["entity", "entity"]


def test_too_few_clusters_leave_the_curve_without_errors() -> None:
    found = fit(observed(hill, seed=7, models=3), "coverage", "model")
    assert found.square is not None
    assert (found.low, found.p, found.is_balanced) == (None, None, None)
    assert found.why_not == "3 clusters give three coefficients no errors"
    alone = fit(observed(hill, seed=7, models=1), "coverage", "model")
    assert alone.why_not is not None and alone.square is not None


def test_too_few_trajectories_or_values_are_not_fitted() -> None:
    few = observed(hill, seed=8, models=1, entities=7)
    assert fit(few, "coverage", "entity").why_not == (
        "7 trajectories are too few for a curve; 8 at least"
    )
    same = [Observation("m", str(k), 0.5, 1.0, 0.25 + k % 2 / 2) for k in range(12)]
    assert "only 1 different value:" in str(fit(same, "coverage", "entity").why_not)
    assert "only 2 different values:" in str(fit(same, "entropy", "entity").why_not)


def test_bins_hold_as_many_each_and_keep_equal_values_together() -> None:
    data = [Observation(f"m{k % 2}", str(k), k / 10, k / 10, 0.5) for k in range(10)]
    found = bins(data)
    coverage = [b for b in found if b.measure == "coverage"]
    assert [(b.low, b.high, b.n) for b in coverage] == [
        (0.0, 0.1, 2),
        (0.2, 0.3, 2),
        (0.4, 0.5, 2),
        (0.6, 0.7, 2),
        (0.8, 0.9, 2),
    ]
    assert [b.accuracy for b in coverage] == pytest.approx([0.05, 0.25, 0.45, 0.65, 0.85])
    assert {b.models for b in coverage} == {2}
    (entropy,) = [b for b in found if b.measure == "entropy"]
    assert (entropy.n, entropy.low, entropy.high) == (10, 0.5, 0.5)


def test_fewer_trajectories_than_bins_have_one_each() -> None:
    data = [Observation("m", str(k), 0.5, float(k), 0.5) for k in range(3)]
    assert [b.n for b in bins(data) if b.measure == "coverage"] == [1, 1, 1]
    assert bins([]) == []
