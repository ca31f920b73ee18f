"""`ddr bench curves` has the figures that were promised, on runs that are planted as it says."""

from __future__ import annotations

from math import exp
from pathlib import Path

import pytest

from analysis.scaling import as_run, value_at
from bench import curves, registry
from bench.figures import Bench

GOALS = {
    "midpoint_error": (0.10, "lower"),
    "interval_coverage": (0.93, "higher"),
    "interval_coverage_most": (0.97, "lower"),
}


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("curves") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS


@pytest.mark.parametrize("plan", curves.PLANS, ids=lambda plan: f"{plan.entities}-{plan.axis}")
def test_a_planted_run_is_on_the_mean_the_curve_that_was_planned(plan: curves.Plan) -> None:
    many = curves.Plan(3000, plan.axis, plan.ceiling, plan.slope, plan.midpoint, plan.alike)
    made = curves.planted(many, seed=1)
    assert sum(entity.items for entity in made.entities) == 3000 * curves.ITEMS
    curve = as_run(made, draws=0)
    for factor in (0.5, 1.0, 2.0):
        x = plan.midpoint * factor
        away = x - plan.midpoint if plan.axis == "turn" else 0.0
        share = (
            plan.ceiling / (1 + exp(-plan.slope * away))
            if plan.axis == "turn"
            else plan.ceiling / (1 + factor**-plan.slope)
        )
        assert value_at(curve, x) == pytest.approx(share, abs=0.02)
    assert curves.planted(plan, 1) == curves.planted(plan, 1) != curves.planted(plan, 2)


def test_items_of_an_entity_go_together_as_planned() -> None:
    """Two items of one entity are found more often together than by chance."""
    made = curves.planted(curves.Plan(4000, "turn", 0.5, 1.0, 5.0, 0.6), seed=1)
    found = [len(entity.places) for entity in made.entities]
    mean = sum(found) / len(found)
    variance = sum((each - mean) ** 2 for each in found) / len(found)
    assert mean == pytest.approx(3.5, abs=0.1)
    assert (
        variance > 2 * curves.ITEMS * 0.25
    )  # twice that of seven coins which know nothing of one another


def test_what_is_measured_is_told_for_each_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves, "REPEATS", 3)
    told = curves.recovered(Bench(tmp_path, lambda what: None))
    assert set(told) == set(GOALS)
    detail = told["interval_coverage"].detail
    assert detail.count(",") == 3 * len(curves.PLANS) - 1
    assert "16 turn midpoint" in detail and "100 cost_usd slope" in detail
    assert 0 < told["midpoint_error"].value < 0.5
