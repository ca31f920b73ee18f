"""`ddr bench ratings` has the figures and goals that were promised, on games that are as they say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench import ratings, registry
from bench.figures import Bench
from evaluator.rating.results import settle

GOALS = {
    "seconds": (0.5, "lower"),
    "slope": (0.95, "higher"),
    "slope_off": (0.05, "lower"),
    "coverage_40": (0.93, "higher"),
    "adaptive_kendall": (0.95, "higher"),
}


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("ratings") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS


def test_every_pair_meets_on_every_entity_and_ends_as_the_model_says() -> None:
    drawn = ratings.games([0.0] * 3, 2000, nu=1.0, spread=0.0, seed=1)
    assert len(drawn) == 3 * 2000
    assert set(Counter((g.entity, g.left, g.right) for g in drawn).values()) == {1}
    ends = Counter(game.winner for game in drawn)
    assert all(count / len(drawn) == pytest.approx(1 / 3, abs=0.03) for count in ends.values())
    assert ratings.games([0.0] * 3, 2000, nu=1.0, spread=0.0, seed=1) == drawn


def test_what_is_measured_is_as_large_as_promised() -> None:
    pairs = ratings.MODELS * (ratings.MODELS - 1) // 2
    assert pairs * ratings.ENTITIES == 67_221
    drawn = ratings.games([0.1, 0.0], 5, nu=0.5, spread=0.0, seed=2)
    stored = ratings.as_stored(drawn)
    read = settle(stored, both_orders=False).results
    assert [(g.entity, g.left, g.right, g.winner) for g in read] == [
        (g.entity, g.left, g.right, g.winner) for g in drawn
    ]


def test_each_probe_gives_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "MODELS", 5)
    monkeypatch.setattr(ratings, "ENTITIES", 20)
    monkeypatch.setattr(ratings, "ROUNDS", 1)
    monkeypatch.setattr(ratings, "REPEATS", 3)
    bench = Bench(tmp_path, lambda what: None)
    for probe in registry.probes("ratings"):
        assert probe.measure(bench).keys() == {goal.name for goal in probe.goals}
