"""What is counted along an axis: who is left out, how finds are dated, where a curve is read."""

from __future__ import annotations

import pytest

from analysis.axes import NO_MODEL, UNREPORTED, trail
from analysis.growth import FINE, Find, finds, growth
from analysis.scaling import as_run
from core.trajectory import Usage
from tests.analysis.courses import Took, asked
from tests.analysis.factory import item, trajectory, verdict


def test_a_trajectory_without_places_is_left_out_and_counted_and_never_zero() -> None:
    items = [item("a"), item("b", "02")]
    known, unknown = asked("t1"), asked("t2", "02", [Took(None, 1, 1, 1, 0.1)])
    found = [Find("t1", "a", 2), Find("t2", "b", 1)]
    grown = growth(items, [trail(known), trail(unknown)], found, "billed_tokens")
    assert grown.left_out == {UNREPORTED: 1}
    assert [entity.id for entity in grown.entities] == ["01"]
    assert as_run(grown).points[-1].value == 1.0
    assert as_run(grown).points[-1].n == 1


def test_an_entity_never_run_counts_as_zero_and_one_with_a_known_trial_by_that_one() -> None:
    items = [item("a"), item("b", "02")]
    runs = [trail(asked("t1")), trail(asked("t2", took=[Took(None, 1, 1, 1, 1)], trial=2))]
    grown = growth(items, runs, [Find("t1", "a", 2)], "billed_tokens")
    assert [len(entity.explorations) for entity in grown.entities] == [1, 0]
    assert as_run(grown).points[-1].value == 0.5


def test_a_run_that_asks_no_model_has_no_curve_by_tokens_and_says_why() -> None:
    grown = growth([item("a")], [trail(trajectory())], [Find("t1", "a", 1)], "cost_usd")
    assert grown.left_out == {NO_MODEL: 1}
    assert as_run(grown).points == ()


def test_reported_totals_never_mix_with_measured_places() -> None:
    items = [item("a"), item("b", "02")]
    told = trajectory("t2", "02", reported_usage=Usage(input_tokens=5, output_tokens=5))
    both = [trail(asked("t1")), trail(told)]
    grown = growth(items, both, [], "billed_tokens")
    assert grown.source == "measured"
    assert grown.left_out == {"a reported total beside measured ones": 1}
    alone = growth(items[1:], [trail(told)], [Find("t2", "b", 1)], "billed_tokens")
    assert alone.source == as_run(alone).source == "reported"
    assert [(p.x, p.value) for p in as_run(alone).points] == [(10, 1.0)]


def test_protocol_ddr_dates_a_find_by_its_last_supporting_turn() -> None:
    said = [verdict("a", turns=(8, 3, 5)), verdict("b"), verdict("c", "contradicted", turns=(1,))]
    assert finds(said) == [Find("t1", "a", 3), Find("t1", "b", None)]
    assert finds(said, dating="last") == [Find("t1", "a", 8), Find("t1", "b", None)]
    items = [item(name) for name in "abc"]
    by_last = growth(items, [trail(trajectory(turns=10))], finds(said, dating="last"), "turn")
    assert as_run(by_last, [5, 7, 8, 10]).points[1].value == 0
    assert as_run(by_last, [5, 7, 8, 10]).points[2].value == pytest.approx(1 / 3)
    assert by_last.undated_share == pytest.approx(1 / 3)


def test_what_the_report_holds_counts_from_where_the_exploration_ended() -> None:
    said = [verdict("a", level="trajectory"), verdict("b", level="message", turns=(1,))]
    found = finds(said, level="trajectory")
    grown = growth([item("a"), item("b")], [trail(asked())], found, "calls", at_end=True)
    assert [(p.x, p.value) for p in as_run(grown, [13, 14]).points] == [(13, 0.0), (14, 0.5)]
    assert grown.undated_share == 0


def test_a_turn_that_is_not_stored_is_placed_where_the_last_stored_one_before_it_ends() -> None:
    grown = growth([item("a")], [trail(asked())], [Find("t1", "a", 12)], "calls")
    assert grown.explorations[0].places == (14,)


def test_a_long_curve_is_read_at_no_more_places_than_it_needs_and_ends_whole() -> None:
    items = [item(f"i{n}") for n in range(900)]
    runs = [trail(asked(took=[Took(n, 1, 1, 1, 0.001 * n) for n in range(1, 901)]))]
    found = [Find("t1", f"i{n}", n + 1) for n in range(900)]
    points = as_run(growth(items, runs, found, "cost_usd"), draws=0).points
    assert len(points) == FINE
    assert points[-1].value == 1.0


def test_finds_of_items_that_are_not_asked_for_count_nowhere() -> None:
    found = [Find("t1", "a", 1), Find("t1", "of another checklist", 1)]
    grown = growth([item("a"), item("b")], [trail(trajectory())], found, "turn")
    assert as_run(grown).points[-1].value == 0.5
