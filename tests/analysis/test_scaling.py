"""Accuracy by turn: known answers, and what holds whatever was found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.scaling import LABEL, accuracy_by_turn, undated_share, value_at
from core.evaluation import Curve, Verdict
from core.trajectory import StopReason
from tests.analysis.factory import item, trajectory, verdict


def _found(*turns: int | None) -> list[Verdict]:
    """One verdict for each item i0, i1, ...; None = never found."""
    return [
        verdict(f"i{n}", "supported" if t else "insufficient", turns=(t,) if t else ())
        for n, t in enumerate(turns)
    ]


def _curve(*turns: int | None, length: int) -> Curve:
    items = [item(f"i{n}") for n in range(len(turns))]
    return accuracy_by_turn(items, [trajectory(turns=length)], _found(*turns))


def test_five_items_found_at_2_7_7_30_and_never_give_the_hand_computed_curve() -> None:
    curve = _curve(2, 7, 7, 30, None, length=32)
    assert [value_at(curve, k) for k in (5, 10, 40)] == [0.2, 0.6, 0.8]
    assert [value_at(curve, k) for k in (0, 1, 2, 6, 7, 29, 30)] == [0, 0, 0.2, 0.2, 0.6, 0.6, 0.8]
    assert LABEL == "post-hoc threshold"


def test_x_is_the_real_turn_also_where_most_turns_brought_no_insight() -> None:
    curve = _curve(9, length=10)
    assert [p.x for p in curve.points] == list(range(1, 11))
    assert [p.value for p in curve.points] == [0.0] * 8 + [1.0] * 2


def test_the_first_of_several_supporting_turns_is_the_discovery() -> None:
    curve = accuracy_by_turn([item("a")], [trajectory(turns=9)], [verdict("a", turns=(8, 3, 5))])
    assert value_at(curve, 2) == 0
    assert value_at(curve, 3) == 1


def test_the_curve_is_flat_after_a_trajectory_stops() -> None:
    items = [item("a"), item("b", "02")]
    runs = [trajectory("t1", turns=2), trajectory("t2", "02", turns=6)]
    verdicts = [verdict("a", turns=(1,)), verdict("b", turns=(5,), trajectory_id="t2")]
    curve = accuracy_by_turn(items, runs, verdicts)
    assert [p.value for p in curve.points] == [0.5, 0.5, 0.5, 0.5, 1.0, 1.0]
    assert {p.n for p in curve.points} == {2}


def test_entities_weigh_alike_however_many_items_they_have() -> None:
    items = [item("a"), *(item(f"b{n}", "02") for n in range(9))]
    runs = [trajectory("t1"), trajectory("t2", "02")]
    curve = accuracy_by_turn(items, runs, [verdict("a", turns=(1,))])
    assert value_at(curve, 3) == 0.5


def test_an_entity_that_was_never_run_counts_as_zero() -> None:
    curve = accuracy_by_turn(
        [item("a"), item("b", "02")], [trajectory()], [verdict("a", turns=(1,))]
    )
    assert value_at(curve, 3) == 0.5


def test_the_trials_of_one_entity_are_averaged_before_the_entities_are() -> None:
    items = [item("a"), item("b", "02")]
    runs = [trajectory("t1"), trajectory("t2", trial=2), trajectory("t3", "02")]
    verdicts = [verdict("a", turns=(2,)), verdict("b", turns=(2,), trajectory_id="t3")]
    assert value_at(accuracy_by_turn(items, runs, verdicts), 3) == 0.75


def test_the_turns_of_a_superseded_attempt_never_mix_with_the_new_ones() -> None:
    runs = [
        trajectory("old", turns=9, stop_reason=None),
        trajectory("new", turns=3, attempt=2),
    ]
    verdicts = [verdict("a", turns=(1,), trajectory_id="old")]
    curve = accuracy_by_turn([item("a")], runs, verdicts)
    assert [p.value for p in curve.points] == [0, 0, 0]


def test_report_verdicts_and_contradictions_and_unscored_items_do_not_lift_the_curve() -> None:
    verdicts = [
        verdict("a", level="trajectory", turns=(1,)),
        verdict("b", "contradicted", turns=(1,)),
        verdict("c", None, turns=(1,), unscored_reason="unreadable"),
    ]
    curve = accuracy_by_turn([item(i) for i in "abc"], [trajectory()], verdicts)
    assert {p.value for p in curve.points} == {0.0}


def test_support_without_a_turn_is_a_share_of_its_own() -> None:
    items = [item("a"), item("b"), item("c", "02"), item("d", "02")]
    runs = [trajectory("t1"), trajectory("t2", "02", stop_reason=StopReason.MAX_TURNS)]
    verdicts = [
        verdict("a", turns=(2,)),
        verdict("b"),
        verdict("c", trajectory_id="t2"),
        verdict("d", trajectory_id="t2", level="trajectory"),
    ]
    curve = accuracy_by_turn(items, runs, verdicts)
    assert curve.points[-1].value == 0.25
    assert undated_share(items, runs, verdicts) == 0.5


def test_the_band_comes_from_resampling_entities_and_one_entity_has_none() -> None:
    items = [item(f"i{n}", f"{n:02d}") for n in range(10)]
    runs = [trajectory(f"t{n}", f"{n:02d}") for n in range(10)]
    verdicts = [verdict(f"i{n}", turns=(1,), trajectory_id=f"t{n}") for n in range(5)]
    point = accuracy_by_turn(items, runs, verdicts, draws=20_000).points[0]
    # Five of ten: the mean of ten draws of a fair coin, whose central 95 % is 0.2 to 0.8.
    assert (point.low, point.value, point.high) == (0.2, 0.5, 0.8)
    alone = accuracy_by_turn(items[:1], runs[:1], verdicts).points[0]
    assert (alone.low, alone.high) == (None, None)


def test_entities_of_one_cluster_are_drawn_together() -> None:
    items = [item(f"i{n}", f"{n:02d}") for n in range(4)]
    runs = [trajectory(f"t{n}", f"{n:02d}") for n in range(4)]
    verdicts = [verdict(f"i{n}", turns=(1,), trajectory_id=f"t{n}") for n in range(2)]
    clusters = {"00": "x", "01": "x", "02": "y", "03": "y"}
    point = accuracy_by_turn(items, runs, verdicts, clusters=clusters).points[0]
    assert (point.low, point.high) == (0.0, 1.0)
    one = accuracy_by_turn(items, runs, verdicts, clusters=dict.fromkeys(clusters, "x")).points[0]
    assert (one.low, one.high) == (None, None)


def test_nothing_run_gives_a_curve_without_points() -> None:
    curve = accuracy_by_turn([item("a")], [], [])
    assert curve.points == ()
    assert value_at(curve, 5) is None
    assert undated_share([], [], []) == 0.0


def test_the_curve_is_named_by_the_model_or_else_the_agent() -> None:
    assert _curve(1, length=2).competitor == "profiler"
    named = accuracy_by_turn([item("a")], [trajectory(model="m-1")], [])
    assert named.competitor == "m-1"


_TURN = st.one_of(st.none(), st.integers(1, 12))


@given(st.lists(st.lists(_TURN, min_size=1, max_size=6), min_size=1, max_size=5))
def test_whatever_is_found_the_curve_never_falls_and_stays_between_0_and_1(
    found: list[list[int | None]],
) -> None:
    items, runs, verdicts = [], [], []
    for e, turns in enumerate(found):
        runs.append(trajectory(f"t{e}", f"{e:02d}", turns=12))
        for n, when in enumerate(turns):
            items.append(item(f"i{e}-{n}", f"{e:02d}"))
            said = verdict(f"i{e}-{n}", trajectory_id=f"t{e}", turns=(when,) if when else ())
            verdicts.append(said if when else said.model_copy(update={"label": "insufficient"}))
    points = accuracy_by_turn(items, runs, verdicts, draws=60).points
    values = [p.value for p in points]
    assert values == sorted(values)
    assert all(0 <= v <= 1 for v in values)
    assert all(p.low is None or 0 <= p.low <= (p.high or 0) <= 1 for p in points)
    shares = [sum(t is not None for t in turns) / len(turns) for turns in found]
    assert values[-1] == pytest.approx(sum(shares) / len(shares))
