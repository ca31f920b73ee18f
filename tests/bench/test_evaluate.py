"""The benchmark of judging: the promised goals at the promised size, and no figure of less."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import evaluate, registry
from bench.evaluate import KILLS, Labels, checked, undisturbed
from bench.figures import Bench
from bench.judge_server import Habits
from bench.stations import Size

GOALS = {
    "wall_over_service": (1.3, "lower"),
    "input_saving": (4, "higher"),
    "cpu_per_question_ms": (10, "lower"),
    "stored_wrongly": (0, "lower"),
    "repeated_per_kill": (8, "lower"),
    "batch_saving": (4, "higher"),
}


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("evaluate") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS


def test_the_size_and_the_failures_are_those_that_were_promised() -> None:
    assert (Size().entities, Size().items, Size().questions) == (100, 8, 1600)
    assert (KILLS, evaluate.CONCURRENCY, evaluate.TIMEOUT_S) == (2, 8, 3.0)
    habits = Habits()
    assert (habits.refused, habits.malformed, habits.hung) == (0.05, 0.02, 0.01)
    assert (habits.service_s, habits.retry_after_s) == ((0.05, 0.15), 1)


def _labels(number: int) -> Labels:
    return {(f"item {n}", "message"): ("supported", (1,), ()) for n in range(number)}


@pytest.mark.parametrize(
    ("found", "counted"),
    [
        (_labels(7), {"questions": 8, "asked_again": 0}),
        (_labels(8), {"questions": 7, "asked_again": 0}),
        (_labels(8), {"questions": 8, "asked_again": 1}),
        (_labels(8) | {("item 0", "message"): (None, (), ())}, {"questions": 8, "asked_again": 0}),
    ],
    ids=["too few verdicts", "too few questions", "asked twice", "unscored"],
)
def test_of_less_than_the_whole_no_figure_is_given(found: Labels, counted: dict[str, int]) -> None:
    size = Size(entities=2, items=2)
    assert checked(_labels(8), {"questions": 8, "asked_again": 0}, size)
    with pytest.raises(RuntimeError):
        checked(found, counted, size)


@pytest.mark.real
def test_a_small_pass_is_judged_whole_by_the_command_that_a_user_types(tmp_path: Path) -> None:
    calm = undisturbed(Bench(tmp_path, lambda _: None), Size(entities=2, items=2))
    assert len(calm.labels) == calm.counted["questions"] == 8
    assert calm.counted["most_at_once"] <= evaluate.CONCURRENCY
    assert calm.wall_s > 0
    assert calm.cpu_s > 0
