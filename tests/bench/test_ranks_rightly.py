"""`ddr bench ranks`: the goals that were promised, and what makes an order right."""

from __future__ import annotations

import random

from bench import registry
from bench.limited import MOST
from bench.ranks_rightly import FIELDS, SEEDS, Order, figure, order, probability_better

IDS = [f"e{n:02}" for n in range(40)]


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("ranks") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == {
        f"seeds_in_order_{name}": (9, "higher") for name in FIELDS
    }
    assert set(FIELDS) == {"destinations", "incidents", "filings", "patients", "wearables"}
    assert MOST == (2, 5, 10, None)


def test_what_is_better_for_everybody_is_surely_better() -> None:
    worse = dict.fromkeys(IDS, 0.2)
    better = dict.fromkeys(IDS, 0.3)
    draw = random.Random(1)
    assert probability_better(worse, better, IDS, draw) == 1.0
    assert probability_better(better, worse, IDS, draw) == 0.0
    assert probability_better(worse, worse, IDS, draw) == 0.5


def test_the_bootstrap_is_as_sure_as_the_normal_of_its_paired_differences() -> None:
    draw = random.Random(3)
    base = {each: draw.random() for each in IDS}
    # ten up by 0.1, six down by 0.1: mean 0.01, standard error 0.0099, z = 1.01
    apart = [0.1] * 10 + [-0.1] * 6 + [0.0] * 24
    moved = {each: base[each] + step for each, step in zip(IDS, apart, strict=True)}
    assert 0.80 <= probability_better(base, moved, IDS, draw) <= 0.88


def test_an_order_is_right_where_each_is_surely_above_the_one_before() -> None:
    assert Order((0.1, 0.2, 0.3, 0.4), (0.95, 1.0, 0.99)).is_right
    assert not Order((0.1, 0.2, 0.3, 0.4), (0.94, 1.0, 0.99)).is_right
    assert not Order((0.2, 0.1, 0.3, 0.4), (0.96, 1.0, 0.99)).is_right


def test_seeds_draw_other_entities_and_are_counted() -> None:
    draw = random.Random(5)
    base = {each: draw.random() / 4 for each in IDS}
    found = [{each: base[each] + level / 10 for each in IDS} for level in range(4)]
    assert figure("x", found).value == SEEDS
    assert order(found, 1) == order(found, 1) != order(found, 2)
    found[1] = found[2]
    assert figure("x", found).value == 0
