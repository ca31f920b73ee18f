"""Strengths, ranks and intervals: known answers, planted truths, and what a resample may lose."""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.ratings import SPREAD, games
from core.errors import UnknownNameError
from core.ranking import Side, Winner
from evaluator.rating.fitting import METHODS, Method, method_of
from evaluator.rating.results import Result
from evaluator.rating.scale import rate
from tests.evaluator.rating.games import tied, won
from tests.evaluator.records import STEADY

NAMES = [f"m{n:02d}" for n in range(8)]
PLANTED = np.linspace(1, -1, 8).tolist()


def slope(method: Method, *, nu: float, seeds: int = 6, entities: int = 150) -> float:
    found = []
    for seed in range(seeds):
        drawn = games(PLANTED, entities, nu=nu, spread=0.0, seed=seed)
        rated = rate(drawn, NAMES, method=method, bootstraps=0).strengths()
        found.append(float(np.polyfit(PLANTED, [rated[name] for name in NAMES], 1)[0]))
    return fmean(found)


@pytest.mark.parametrize("nu", [0.2, 1.0, 2.0])
def test_davidson_finds_the_planted_strengths_whatever_the_share_of_ties(nu: float) -> None:
    assert slope("davidson", nu=nu) == pytest.approx(1, abs=0.05)


def test_ties_as_half_wins_draw_strengths_together() -> None:
    assert slope("half-win", nu=1.0) == pytest.approx(0.68, abs=0.04)


def test_without_ties_all_methods_agree() -> None:
    drawn = games(PLANTED, 40, nu=0.0, spread=0.0, seed=3)
    scales = [rate(drawn, NAMES, method=m, bootstraps=0) for m in ("davidson", "half-win")]
    assert scales[0].nu == 0.0
    for name in NAMES:
        one, other = (scale.of(name).strength for scale in scales)
        assert one == pytest.approx(other, abs=1e-8)


def test_two_competitors_by_hand() -> None:
    # w : l = e^gap, and ties = nu * sqrt(w * l): 8 won, 2 lost, 6 tied.
    played = [
        *won("A", "B", 8),
        *won("B", "A", 2, first_entity=8),
        *tied("A", "B", 6, first_entity=10),
    ]
    scale = rate(played, ["A", "B"])
    assert scale.of("A").strength == pytest.approx(math.log(8 / 2) / 2, abs=1e-8)
    assert scale.nu == pytest.approx(6 / math.sqrt(8 * 2), abs=1e-8)
    assert scale.prior is None
    assert scale.warnings == ()


def test_the_term_of_order_is_found_and_strengths_are_freed_of_it() -> None:
    draw = np.random.default_rng(4)
    delta, played = 0.6, []
    for n in range(6000):
        i, j = draw.choice(8, 2, replace=False).tolist()
        first: Side = "left" if i < 4 else "right"  # some are always shown first
        gap = PLANTED[i] - PLANTED[j] + (delta if first == "left" else -delta)
        weights = np.array([math.exp(gap / 2), math.exp(-gap / 2), 0.8])
        outcome: Winner = ("left", "right", "tie")[int(draw.choice(3, p=weights / weights.sum()))]
        played.append(Result(f"e{n % 300}", NAMES[i], NAMES[j], outcome, first))
    scale = rate(played, NAMES, method="order")
    assert scale.order is not None
    assert scale.order.value == pytest.approx(delta, abs=0.1)
    assert scale.order.low is not None
    assert scale.order.high is not None
    assert scale.order.low < delta < scale.order.high
    rated = scale.strengths()
    assert np.polyfit(PLANTED, [rated[n] for n in NAMES], 1)[0] == pytest.approx(1, abs=0.08)
    blind = rate(played, NAMES, bootstraps=0)
    assert blind.order is None
    top = fmean(blind.strengths()[n] - rated[n] for n in NAMES[:4])
    assert top > 0.1, "without the term, whoever is shown first seems stronger"


def test_intervals_over_forty_entities_hold_what_they_promise() -> None:
    aim = rate(games(PLANTED, 3000, nu=1.0, spread=SPREAD, seed=99), NAMES, bootstraps=0)
    held = []
    for seed in range(60):
        drawn = games(PLANTED, 40, nu=1.0, spread=SPREAD, seed=seed)
        for rating in rate(drawn, NAMES, seed=seed, bootstraps=300).ratings:
            truth = aim.of(rating.competitor).strength
            assert rating.low is not None
            assert rating.high is not None
            assert truth is not None
            held.append(rating.low <= truth <= rating.high)
    assert fmean(held) >= 0.93


def test_games_of_one_entity_go_together_in_a_resample() -> None:
    apart = [r for n in range(6) for r in won("A", "B", 1, first_entity=n)]
    apart += [r for n in range(6, 12) for r in won("B", "A", 1, first_entity=n)]
    # The same games, five times each on its entity: no more is known than before.
    often = [r for r in apart for _ in range(5)]
    one, many = (rate(played, ["A", "B"], seed=2).of("A") for played in (apart, often))
    assert one.low is not None
    assert many.low is not None
    assert many.low == pytest.approx(one.low, abs=0.05)
    spread = [r._replace(entity=f"{r.entity}-{n}") for n, r in enumerate(often)]
    narrow = rate(spread, ["A", "B"], seed=2).of("A")
    assert narrow.low is not None
    assert narrow.low > one.low / 1.5


def test_rank_intervals_and_chances_follow_from_the_resamples() -> None:
    clear = games([3.0, 0.0, 0.0], 60, nu=0.3, spread=0.0, seed=1)
    scale = rate(clear, ["m00", "m01", "m02"])
    best = scale.of("m00")
    assert (best.rank, best.rank_low, best.rank_high) == (1, 1, 1)
    assert scale.beats["m00", "m01"] == 1.0
    other = scale.of("m01")
    assert (other.rank_low, other.rank_high) == (2, 3)
    chance = scale.beats["m01", "m02"]
    assert 0.02 < chance < 0.98
    assert scale.beats["m02", "m01"] == pytest.approx(1 - chance)


def test_a_prior_gives_no_interval_to_those_who_are_apart_from_all() -> None:
    chain = [*won("A", "B", 4), *won("B", "C", 4), *won("C", "D", 2), *won("D", "C", 2)]
    scale = rate(chain, list("ABCD"))
    known = {r.competitor: r.low is not None for r in scale.ratings}
    assert known == {"A": False, "B": False, "C": True, "D": True}


def test_below_two_entities_there_is_no_interval() -> None:
    scale = rate([*won("A", "B"), *won("B", "A")], ["A", "B"])
    assert scale.entities == 1
    assert scale.beats == {}
    assert all((r.low, r.rank_low) == (None, None) for r in scale.ratings)


def test_whoever_met_nobody_has_no_strength() -> None:
    scale = rate(won("A", "B"), ["A", "B", "C"])
    alone = scale.of("C")
    assert (alone.strength, alone.rank, alone.note) == (None, None, "compared with nobody")
    assert rate([], ["A", "B"]).strengths() == {}


def test_a_stranger_and_a_game_with_oneself_are_errors() -> None:
    with pytest.raises(KeyError):
        rate(won("A", "X"), ["A", "B"])
    with pytest.raises(ValueError, match="against itself"):
        rate(won("A", "A"), ["A", "B"])


def test_an_unknown_method_names_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="known: davidson, half-win, order"):
        method_of("elo")


@STEADY
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.tuples(st.sampled_from("ABCD"), st.sampled_from("ABCD")).filter(
                lambda p: p[0] != p[1]
            ),
            st.sampled_from(["left", "right", "tie"]),
        ),
        max_size=25,
    ),
    st.sampled_from(METHODS),
)
def test_any_games_give_finite_strengths_that_sum_to_zero_in_each_component(
    listed: list[tuple[str, tuple[str, str], Winner]], method: Method
) -> None:
    played = [Result(entity, *pair, winner, "left") for entity, pair, winner in listed]
    scale = rate(played, list("ABCD"), method=method, bootstraps=20)
    by_component: dict[int, float] = {}
    for rating in scale.ratings:
        if rating.strength is None:
            assert not rating.wins + rating.losses + rating.ties
            continue
        assert math.isfinite(rating.strength)
        by_component[rating.component] = by_component.get(rating.component, 0) + rating.strength
        if rating.low is not None and rating.high is not None:
            assert rating.low <= rating.high
    assert all(abs(total) < 1e-6 for total in by_component.values())
    assert sum(r.wins for r in scale.ratings) == sum(r.losses for r in scale.ratings)
    assert sum(r.wins for r in scale.ratings) + sum(r.ties for r in scale.ratings) / 2 == len(
        played
    )
