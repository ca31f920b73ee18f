"""A quarter of the pairs, well chosen, ranks as all of them do; and the choice can be gone through again."""

from __future__ import annotations

from statistics import fmean

import numpy as np
import pytest
from scipy.stats import kendalltau

from bench.ratings import games
from evaluator.adaptive import SHARE, Cell, rounds
from evaluator.rating.results import Result
from evaluator.rating.scale import rate

TOP = 1.5


def played(count: int, entities: int, seed: int) -> dict[Cell, Result]:
    strengths = np.linspace(TOP, -TOP, count).tolist()
    drawn = games(strengths, entities, nu=0.5, spread=0.8, seed=seed)
    return {Cell(game.entity, 1, game.left, game.right): game for game in drawn}


def chosen(all_: dict[Cell, Result], seed: int) -> list[Cell]:
    results: list[Result] = []
    asked: list[Cell] = []
    for batch in rounds(list(all_), results, seed=seed):
        asked += batch
        results += [all_[cell] for cell in batch]
    return asked


def kendall(one: list[Result], other: list[Result], count: int) -> float:
    names = [f"m{n:02d}" for n in range(count)]
    scales = [rate(each, names, bootstraps=0).strengths() for each in (one, other)]
    columns = [[scale[name] for name in names] for scale in scales]
    return float(kendalltau(*columns).statistic)


def test_a_quarter_of_the_pairs_ranks_as_all_do_and_better_than_by_chance() -> None:
    mine, by_chance = [], []
    for seed in range(8):
        all_ = played(10, 100, seed)
        asked = chosen(all_, seed)
        assert len(asked) == len(set(asked)) <= SHARE * len(all_)
        whole = list(all_.values())
        mine.append(kendall(whole, [all_[cell] for cell in asked], 10))
        drawn = np.random.default_rng(seed).choice(len(whole), len(asked), replace=False)
        by_chance.append(kendall(whole, [whole[n] for n in drawn.tolist()], 10))
    assert fmean(mine) >= 0.97
    assert min(mine) > 0.9
    assert fmean(mine) > fmean(by_chance) + 0.02


def test_the_same_seed_and_games_choose_the_same_pairs() -> None:
    all_ = played(6, 20, 1)
    assert chosen(all_, 3) == chosen(all_, 3)
    assert chosen(all_, 3) != chosen(all_, 4)
    backwards = dict(reversed(all_.items()))
    assert chosen(backwards, 3) == chosen(all_, 3)


def test_those_who_are_close_are_asked_more_often() -> None:
    strengths = [2.0, 0.05, -0.05, -2.0]
    drawn = games(strengths, 100, nu=0.3, spread=0.2, seed=2)
    all_ = {Cell(game.entity, 1, game.left, game.right): game for game in drawn}
    asked = chosen(all_, 0)
    often = {pair: sum((c.left, c.right) == pair for c in asked) for pair in
             {(c.left, c.right) for c in asked}}  # fmt: skip
    assert len(often) == 6, "each pair meets at least once"
    assert max(often, key=lambda pair: often[pair]) == ("m01", "m02")


@pytest.mark.parametrize("entities", [1, 2])
def test_of_few_pairs_each_is_asked_once(entities: int) -> None:
    asked = chosen(played(3, entities, 0), 0)
    assert len({(c.left, c.right) for c in asked}) == len(asked) == 3


def test_nobody_to_compare_is_no_round() -> None:
    assert list(rounds([], [], seed=0)) == []
