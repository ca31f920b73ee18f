"""Field cases F45 to F49: what other raters crash on, lose or make up."""

from __future__ import annotations

import math
import random

import pytest

from core.ranking import SIDES
from evaluator.rating.doubts import first_slot
from evaluator.rating.fitting import METHODS, Method
from evaluator.rating.results import Result, settle
from evaluator.rating.scale import Scale, rate
from tests.evaluator.rating.games import compared, tied, won

F47 = [
    *won("A", "B", 2),
    *won("B", "A", 1, first_entity=2),
    *won("A", "C", 3),
    *won("B", "C", 3),
]
GOLDEN = {"A": 0.861928, "B": 0.446124, "C": -1.308052}


def halves(games: list[Result], names: str = "ABC") -> Scale:
    return rate(games, list(names), method="half-win", bootstraps=50)


def test_f45_a_judge_that_always_picks_the_first_slot_ties_every_pair() -> None:
    asked = [compared("A", "B", first, first, entity=f"e{n}") for n in range(5) for first in SIDES]
    settled = settle(asked, both_orders=True)
    assert [each.winner for each in settled.results] == ["tie"] * 5
    assert (settled.both_orders, settled.flip_rate) == (5, 1.0)
    slot = first_slot(asked)
    assert (slot.count, slot.of) == (10, 10)
    for method in ("davidson", "half-win"):
        assert rate(settled.results, ["A", "B"], method=method).strengths() == {"A": 0, "B": 0}


def test_f46_ties_as_half_wins() -> None:
    found = halves([*won("A", "B", 3), *tied("A", "B", first_entity=3)], "AB").strengths()
    assert found["A"] - found["B"] == pytest.approx(1.945910, abs=1e-6)
    assert (found["A"] - found["B"]) * 400 / math.log(10) == pytest.approx(338.04, abs=0.01)


@pytest.mark.parametrize("method", METHODS)
def test_f46_one_kind_of_outcome_crashes_nothing(method: Method) -> None:
    level = rate(tied("A", "B", 4), ["A", "B"], method=method)
    assert level.strengths() == {"A": 0.0, "B": 0.0}
    one_way = rate(won("A", "B", 4), ["A", "B"], method=method)
    assert all(map(math.isfinite, one_way.strengths().values()))
    assert [r.note for r in one_way.ratings] == [
        "no losses: unbounded above",
        "no wins: unbounded below",
    ]
    assert one_way.prior is not None
    assert all((r.low, r.high) == (None, None) for r in one_way.ratings)


def test_f47_a_competitor_without_a_win_is_held_by_a_stated_prior() -> None:
    scale = halves(F47)
    assert scale.strengths() == pytest.approx(GOLDEN, abs=1e-6)
    assert scale.prior == "one game more, half of it won by either, for each pair that met"
    assert scale.of("C").note == "no wins: unbounded below"
    assert sum(scale.strengths().values()) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_f48_ratings_do_not_depend_on_spelling_order_or_sides(method: Method) -> None:
    plain = rate(F47, ["A", "B", "C"], method=method)
    names = {"A": "z", "B": "y", "C": "x"}
    renamed = [r._replace(left=names[r.left], right=names[r.right]) for r in F47]
    shuffled = random.Random(5).sample(renamed, len(renamed))
    turned = [r._replace(left=r.right, right=r.left, winner="right") for r in shuffled]
    for games, called in ((renamed, "xyz"), (shuffled, "zxy"), (turned, "yzx")):
        scale = rate(games, list(called), method=method)
        for name, other in names.items():
            mine, theirs = plain.of(name), scale.of(other)
            assert theirs.strength == pytest.approx(mine.strength, abs=1e-6)
            assert (theirs.wins, theirs.losses, theirs.rank) == (mine.wins, mine.losses, mine.rank)
            assert (theirs.rank_low, theirs.rank_high) == (mine.rank_low, mine.rank_high)
            if mine.low is not None:
                assert theirs.low == pytest.approx(mine.low, abs=1e-5)


def test_f48_m1_and_m01_are_rated_alike() -> None:
    draw = random.Random(1)
    games = [
        (f"e{n}", *draw.sample(range(1, 16), 2), draw.choice(["left", "right", "tie"]))
        for n in range(400)
    ]
    short, long = (
        rate(
            [Result(e, form.format(a), form.format(b), w) for e, a, b, w in games],  # type: ignore[arg-type]
            [form.format(n) for n in range(1, 16)],
        )
        for form in ("m{}", "m{:02d}")
    )
    for n in range(1, 16):
        assert short.of(f"m{n}").strength == pytest.approx(long.of(f"m{n:02d}").strength, abs=1e-8)


def test_f49_two_components_have_no_order_across() -> None:
    scale = halves([*won("A", "B", 3), *won("C", "D", 3)], "ABCD")
    assert {r.competitor: (r.component, r.rank) for r in scale.ratings} == {
        "A": (1, 1),
        "B": (1, 2),
        "C": (2, 1),
        "D": (2, 2),
    }
    assert not {pair for pair in scale.beats if len({*pair} & {"A", "B"}) == 1}
    assert "2 components that were never compared: there is no order across them" in scale.warnings


@pytest.mark.parametrize("method", METHODS)
def test_f49_a_bridge_that_goes_one_way_is_told(method: Method) -> None:
    inner = [
        *won("A", "B"),
        *won("B", "A", first_entity=1),
        *won("C", "D"),
        *won("D", "C", first_entity=1),
    ]
    bridge = [game for up in "AB" for down in "CD" for game in won(up, down, 2)]
    scale = rate([*inner, *bridge], list("ABCD"), method=method)
    assert {r.component for r in scale.ratings} == {1}
    assert scale.warnings == ("not strongly connected: a prior sets the gaps between (A, B; C, D)",)
    assert scale.prior
    found = scale.strengths()
    assert found["A"] == pytest.approx(found["B"], abs=1e-6)
    assert found["A"] - found["C"] > 1
