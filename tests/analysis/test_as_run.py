"""The as-run curve along any axis: what it is out of, its band, and that it adds up to the score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.axes import AXES, trail
from analysis.growth import Growth, growth, latest_trails
from analysis.scaling import accuracy_by_turn, as_run, undated_share, value_at
from core.checklist import ChecklistItem
from core.evaluation import Verdict
from core.scenario import Entity
from core.trajectory import StopReason, Trajectory
from evaluator.scoring import score
from tests.analysis.courses import asked, ten_turns
from tests.analysis.factory import entity as scenario_entity
from tests.analysis.factory import item, trajectory, verdict
from tests.analysis.grown import alike, entity, grown, run


def test_it_stays_flat_after_a_stop_and_counts_what_is_not_scored_as_not_found() -> None:
    made = grown(entity("a", 2, run(1, end=2)), entity("b", 2, run(end=9)))
    assert [p.value for p in as_run(made, [1, 2, 9]).points] == [0.25] * 3


def test_it_is_read_where_it_is_asked_to_be() -> None:
    points = as_run(alike(2, 4, [2, 5], 9), [1.5, 2, 100]).points
    assert [(p.x, p.value) for p in points] == [(1.5, 0.0), (2, 0.25), (100, 0.5)]


def test_without_draws_there_is_no_band() -> None:
    half = grown(entity("a", 1, run(1, end=2)), entity("b", 1, run(end=2)))
    assert {(p.low, p.high) for p in as_run(half, draws=0).points} == {(None, None)}
    assert as_run(half).points[0].low == 0.0


def test_a_band_is_the_same_for_the_same_seed() -> None:
    made = grown(*(entity(str(n), 3, run(*range(1, n % 4), end=5)) for n in range(9)))
    assert as_run(made, seed=1) == as_run(made, seed=1)
    assert as_run(made, seed=1, draws=20) != as_run(made, seed=2, draws=20)


def test_nothing_spent_along_an_axis_is_no_curve() -> None:
    free = grown(entity("a", 1, run(0.0, end=0.0, first=None)), axis="cost_usd")
    assert as_run(free).points == ()
    assert as_run(Growth("m", "turn", ())).points == ()


def test_the_competitor_the_axis_and_the_source_stand_in_the_curve() -> None:
    told = Growth("m", "cost_usd", (entity("a", 1, run(2, end=2)),), source="reported")
    curve = as_run(told)
    assert (curve.competitor, curve.axis, curve.source) == ("m", "cost_usd", "reported")


@pytest.mark.parametrize("axis", AXES)
def test_all_axes_end_at_the_same_height(axis: str) -> None:
    """What is found does not depend on what it is measured by."""
    items = [item(f"i{n}") for n in range(5)]
    said = [verdict(f"i{n}", turns=(t,)) for n, t in enumerate((2, 5, 5, 9))]
    curve = accuracy_by_turn(items, [ten_turns()], said, axis=axis)  # type: ignore[arg-type]
    assert curve.points[-1].value == 0.8


def test_of_several_attempts_the_last_counts() -> None:
    old, new = trail(asked("old")), trail(asked("new", attempt=2))
    other = trail(asked("other", entity="02"))
    assert [each.id for each in latest_trails([new, other, old])] == ["new", "other"]


_FOUND = st.one_of(st.none(), st.just(0), st.integers(1, 6))
"""Not found; found without a turn; found at a turn."""


def _run_of(
    found: list[list[int | None]],
) -> tuple[list[ChecklistItem], list[Trajectory], list[Verdict], list[Entity]]:
    items, runs, said, entities = [], [], [], []
    for number, each in enumerate(found):
        name = f"{number:02d}"
        entities.append(scenario_entity(name, name))
        stop = StopReason.FINISHED if number % 2 else StopReason.MAX_TURNS
        runs.append(trajectory(f"t{name}", name, turns=6, stop_reason=stop))
        for place, turn in enumerate(each):
            items.append(item(f"i{name}-{place}", name))
            label = "insufficient" if turn is None else "supported"
            turns = (turn,) if turn else ()
            said.append(verdict(items[-1].id, label, trajectory_id=f"t{name}", turns=turns))  # type: ignore[arg-type]
    return items, runs, said, entities


@given(st.lists(st.lists(_FOUND, min_size=1, max_size=5), min_size=1, max_size=5))
def test_the_last_value_and_the_undated_share_are_the_sample_averaged_strict_accuracy(
    found: list[list[int | None]],
) -> None:
    items, runs, said, entities = _run_of(found)
    curve = accuracy_by_turn(items, runs, said, draws=0)
    told = score("m", items, runs, said, entities)
    strict = next(s.strict for s in told if (s.level, s.averaging) == ("message", "sample"))
    last = value_at(curve, 6)
    assert last is not None and strict is not None
    assert last + undated_share(items, runs, said) == pytest.approx(strict)


@given(
    st.lists(st.lists(_FOUND, min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from(AXES),
)
def test_along_any_axis_it_rises_from_at_least_0_to_at_most_1(
    found: list[list[int | None]], axis: str
) -> None:
    items, runs, said, _ = _run_of(found)
    took = [asked(each.id, each.entity_id) for each in runs]
    made = growth(
        items,
        [trail(each) for each in took],
        [],
        axis,  # type: ignore[arg-type]
    )
    assert made.left_out == {}
    values = [p.value for p in accuracy_by_turn(items, took, said, axis=axis, draws=0).points]  # type: ignore[arg-type]
    assert values == sorted(values)
    assert not values or 0 <= values[0] <= values[-1] <= 1
