"""Curves, areas, marginal values and tables, each against a slow reading of its definition."""

from __future__ import annotations

from itertools import pairwise
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.area import area, common_range
from analysis.axes import AXES, Axis, trail
from analysis.curve_tables import tables
from analysis.curves import read_off
from analysis.discovery import among_active
from analysis.growth import POINTS, EntityGrowth, Exploration, Find, Growth, finds, growth
from analysis.marginal import PER, budgets, by_window, marginal
from analysis.scaling import accuracy_by_turn, as_run, ends, undated_share, value_at
from core.checklist import ChecklistItem
from core.evaluation import Label, Verdict
from core.trajectory import Trajectory
from tests.analysis.factory import item, trajectory, verdict
from tests.analysis.grown import entity, grown, run

LABELS: tuple[Label | None, ...] = ("supported", "insufficient", None)
_PLACE = st.integers(1, 30).map(lambda n: n / 2)


@st.composite
def explorations(draw: st.DrawFn, items: int) -> Exploration:
    places = sorted(draw(st.lists(_PLACE, max_size=items)))
    end = max([draw(_PLACE), *places])
    return Exploration(end, tuple(places), draw(st.none() | st.just(min([end, 0.5]))))


@st.composite
def growths(draw: st.DrawFn, axis: Axis = "cost_usd") -> Growth:
    made = []
    for number in range(draw(st.integers(1, 5))):
        items = draw(st.integers(1, 5))
        runs = tuple(draw(explorations(items)) for _ in range(draw(st.integers(0, 3))))
        cluster = draw(st.sampled_from("xyz"))
        undated = draw(st.integers(0, 1)) if runs else 0
        made.append(EntityGrowth(f"e{number}", cluster, items, runs, undated))
    return Growth("m", axis, tuple(made))


def share(made: EntityGrowth, x: float) -> float:
    """Of one entity, trial by trial and place by place."""
    if not made.explorations:
        return 0.0
    trials = [sum(p <= x for p in each.places) / made.items for each in made.explorations]
    return sum(trials) / len(trials)


def height(made: Growth, x: float) -> float:
    return sum(share(each, x) for each in made.entities) / len(made.entities)


@given(growths(), st.lists(_PLACE, min_size=1, max_size=6))
def test_the_curve_is_the_mean_over_entities_of_the_mean_over_trials(
    made: Growth, xs: list[float]
) -> None:
    curve = as_run(made, sorted(xs), draws=20)
    if not made.last:
        assert curve.points == ()
        return
    assert [p.value for p in curve.points] == pytest.approx([height(made, x) for x in sorted(xs)])
    assert {p.n for p in curve.points} == {len(made.explorations)}
    has_bands = len({each.cluster for each in made.entities}) > 1
    assert all((p.low is not None) == has_bands for p in curve.points)


@given(growths())
def test_a_curve_never_falls_and_its_band_holds_no_impossible_share(made: Growth) -> None:
    points = as_run(made, draws=20).points
    values = [p.value for p in points]
    assert values == sorted(values)
    for p in points:
        assert 0 <= p.value <= 1
        if p.low is not None and p.high is not None:
            assert -1e-12 <= p.low <= p.high <= 1 + 1e-12
    if points:
        assert points[-1].x == made.last
        assert points[-1].value == pytest.approx(height(made, float("inf")))


@given(growths())
def test_every_rise_of_a_curve_is_at_a_place_where_something_was_found(made: Growth) -> None:
    points = as_run(made, draws=0).points
    places = {place for each in made.explorations for place in each.places}
    before = 0.0
    for p in points:
        if p.value > before:
            assert p.x in places
        before = p.value


@given(growths(), st.floats(0.1, 5), st.floats(1.5, 50))
def test_the_area_is_the_integral_of_the_steps_over_log_x(
    made: Growth, start: float, factor: float
) -> None:
    stop = start * factor
    found = area(made, start, stop, draws=20)
    if not made.explorations:
        assert found is None
        return
    places = {place for each in made.explorations for place in each.places}
    edges = [start, *sorted(place for place in places if start < place < stop), stop]
    total = sum(height(made, low) * log(high / low) for low, high in pairwise(edges))
    assert found is not None
    assert found.value == pytest.approx(total / log(stop / start), abs=1e-9)
    assert (found.low is None) == (len(set(made.clusters)) == 1)


@given(growths(), st.lists(_PLACE, min_size=1, max_size=5, unique=True))
def test_stretches_hold_each_find_once_and_each_unit_that_was_spent(
    made: Growth, stops: list[float]
) -> None:
    upto = [*sorted(stops), 100.0]
    found = marginal(made, upto)
    places = [place for each in made.explorations for place in each.places]
    assert sum(each.new for each in found) == len(places)
    assert sum(each.spent for each in found) == pytest.approx(
        sum(each.end for each in made.explorations)
    )
    for each in found:
        assert each.new == sum(each.start < place <= each.stop for place in places)
        assert (each.value is None) == (each.spent == 0)
    joined = [each.start for each in found[1:]]
    assert joined == [each.stop for each in found[:-1]]


@pytest.mark.parametrize("axis", AXES)
def test_the_value_is_for_the_unit_that_its_axis_names(axis: Axis) -> None:
    made = grown(entity("a", 4, run(100, 200, end=1000)), axis=axis)
    (found,) = marginal(made, [1000.0])
    per, name = PER[axis]
    assert found.value == pytest.approx(2 / 1000 * per)
    assert (name == "1000 tokens") == axis.endswith("tokens")


@given(growths(), st.lists(_PLACE, min_size=1, max_size=6, unique=True))
def test_discovery_among_active_runs_is_the_product_over_events(
    made: Growth, xs: list[float]
) -> None:
    """Kaplan and Meier's product, event by event, with each entity's items weighing alike."""
    places = sorted({place for each in made.explorations for place in each.places})

    def weight(each: EntityGrowth) -> float:
        return 1 / (each.items * max(len(each.explorations), 1))

    def survival(x: float) -> float:
        left = 1.0
        for at in places:
            if at > x:
                break
            new = risk = 0.0
            for each in made.entities:
                for one in each.explorations:
                    new += weight(each) * sum(p == at for p in one.places)
                    if one.end >= at:
                        risk += weight(each) * (each.items - sum(p < at for p in one.places))
            if risk > 0:
                left *= max(0.0, 1 - new / risk)
        return 1 - left

    for point in among_active(made, sorted(xs), draws=0):
        active = sum(each.end >= point.x for each in made.explorations)
        assert point.active == active
        if active:
            assert point.found == pytest.approx(survival(point.x), abs=1e-9)
        else:
            assert point.hazard is None


@given(growths())
def test_the_chances_of_all_stretches_multiply_to_the_whole(made: Growth) -> None:
    xs = made.grid()
    left = 1.0
    for point in among_active(made, xs, draws=0):
        left *= 1 - (point.hazard or 0.0)
        if point.found is not None:
            assert 1 - left == pytest.approx(point.found, abs=1e-9)


@given(st.lists(growths(), min_size=1, max_size=3))
def test_the_common_range_reaches_to_the_dearest_run_of_all(made: list[Growth]) -> None:
    found = common_range(made)
    every = [each for one in made for each in one.explorations]
    if found is None:
        firsts = [each.first for each in every if each.first is not None]
        assert not firsts or max(each.end for each in every) <= max(firsts)
        return
    low, high = found
    assert 0 < low < high == max(each.end for each in every)


# Budgets


@pytest.mark.parametrize("axis", ["billed_tokens", "new_tokens", "cost_usd", "seconds"])
@settings(max_examples=30)
@given(st.floats(1e-6, 1e6), st.floats(1.01, 1e6))
def test_budgets_lie_between_the_first_turn_and_the_end_and_end_with_it(
    axis: Axis, first: float, factor: float
) -> None:
    last = first * factor
    made = grown(entity("a", 1, run(end=last, first=first)), axis=axis)
    found = budgets(made)
    assert found[-1] == last
    assert found == sorted(set(found))
    assert all(first < x for x in found)
    steps = [b / a for a, b in pairwise(found)]
    assert all(step <= 2.5 + 1e-9 for step in steps)


@settings(max_examples=40)
@given(st.integers(1, 5000))
def test_turns_are_read_at_round_numbers_and_at_the_end(last: int) -> None:
    made = grown(entity("a", 1, run(end=last)))
    found = budgets(made)
    assert found[-1] == last
    assert found == sorted(set(found))
    assert all(x in (1, 2, 5) or x % 10 == 0 for x in found[:-1])
    assert budgets(made, ddr=True) == list(range(5, 101, 5))
    windows = by_window(made)
    assert windows[0].start == 0 and windows[-1].stop >= last
    assert all(each.stop - each.start == 5 for each in windows)
    assert sum(each.spent for each in windows) == last


def test_a_run_in_which_nothing_was_done_has_no_budgets_and_no_stretches() -> None:
    nothing = grown(entity("a", 1, run(end=0, first=None)))
    assert budgets(nothing) == [] and by_window(nothing) == ()
    assert budgets(Growth("m", "turn", ())) == []
    told = Growth("m", "cost_usd", (entity("a", 1, run(2, end=2)),), source="reported")
    assert marginal(told, [1.0, 2.0]) == ()


@given(st.integers(POINTS + 1, 10**7))
def test_a_very_long_run_is_read_at_so_many_places_and_at_its_end(last: int) -> None:
    grid = grown(entity("a", 1, run(end=last)), axis="calls").grid()
    assert len(grid) == POINTS
    assert grid[-1] == last
    assert grid == sorted(set(grid))


# From records


@st.composite
def records(
    draw: st.DrawFn,
) -> tuple[list[ChecklistItem], list[Trajectory], list[Verdict]]:
    """Entities with trials, superseded attempts, and verdicts with and without turns and labels."""
    items, runs, said = [], [], []
    for number in range(draw(st.integers(1, 3))):
        name = f"{number:02d}"
        own = [item(f"{name}-{n}", name) for n in range(draw(st.integers(1, 3)))]
        items += own
        for trial in range(1, draw(st.integers(0, 2)) + 1):
            for attempt in range(1, draw(st.integers(1, 2)) + 1):
                made = trajectory(
                    f"t{name}.{trial}.{attempt}",
                    name,
                    draw(st.integers(1, 6)),
                    trial=trial,
                    attempt=attempt,
                )
                runs.append(made)
                for each in own:
                    turns = draw(st.lists(st.integers(1, len(made.turns)), max_size=3))
                    label: Label | None = draw(st.sampled_from(LABELS))
                    said.append(verdict(each.id, label, trajectory_id=made.id, turns=tuple(turns)))
    return items, draw(st.permutations(runs)), said


def counted(
    items: list[ChecklistItem], runs: list[Trajectory], said: list[Verdict], k: int | None
) -> float:
    """Found by turn k, or without a turn where k is None, entity by entity."""
    shares = []
    for name in dict.fromkeys(each.entity_id for each in items):
        own = [each.id for each in items if each.entity_id == name]
        trials = {each.trial for each in runs if each.entity_id == name}
        latest = [
            max(
                (r for r in runs if r.entity_id == name and r.trial == trial),
                key=lambda r: r.attempt,
            ).id
            for trial in trials
        ]
        hits = 0
        for v in said:
            if v.trajectory_id in latest and v.item_id in own and v.label == "supported":
                first = min(v.supporting_turns, default=None)
                hits += first is None if k is None else first is not None and first <= k
        shares.append(hits / (len(own) * max(len(latest), 1)))
    return sum(shares) / len(shares)


@settings(max_examples=60)
@given(records())
def test_accuracy_by_turn_is_what_a_count_of_verdicts_gives(
    made: tuple[list[ChecklistItem], list[Trajectory], list[Verdict]],
) -> None:
    items, runs, said = made
    curve = accuracy_by_turn(items, runs, said, draws=0)
    assert undated_share(items, runs, said) == pytest.approx(counted(items, runs, said, None))
    if not runs:
        assert curve.points == () and value_at(curve, 3) is None
        return
    for k in range(1, 7):
        assert value_at(curve, k) == pytest.approx(counted(items, runs, said, k)), k
    assert curve.points[-1].x <= max(ends(runs))


@settings(max_examples=40)
@given(records())
def test_the_order_of_records_changes_nothing(
    made: tuple[list[ChecklistItem], list[Trajectory], list[Verdict]],
) -> None:
    items, runs, said = made
    one = growth(items, [trail(each) for each in runs], finds(said), "turn")
    other = growth(items, [trail(each) for each in runs[::-1]], finds(said[::-1]), "turn")

    def plain(each: Growth) -> list[tuple[str, list[float], int]]:
        return [(e.id, e.places, e.undated) for e in each.entities]

    assert plain(one) == plain(other)
    assert as_run(one, [2.0, 4.0], draws=0) == as_run(other, [2.0, 4.0], draws=0)


# Tables


@settings(max_examples=30)
@given(growths())
def test_the_tables_hold_every_point_stretch_and_trajectory(made: Growth) -> None:
    found = read_off(made, "r1", over=common_range([made]), refits=0)
    by_name = {each.name: each for each in tables([found])}
    assert len(by_name["points"].rows) == len(found.curve.points)
    assert len(by_name["marginal"].rows) == len(found.marginal)
    (row,) = by_name["coverage"].rows
    assert row[4:6] == (len(made.entities), len(made.explorations))
    new = by_name["marginal"].columns.index("new_items")
    total = sum(int(row[new] or 0) for row in by_name["marginal"].rows)
    assert total == sum(len(each.places) for each in made.explorations)
    x, active = (by_name["budgets"].columns.index(name) for name in ("x", "active"))
    for row in by_name["budgets"].rows:
        if row[active] is not None:
            at = float(row[x] or 0)
            assert row[active] == sum(each.end >= at for each in made.explorations)


def test_a_find_of_a_superseded_attempt_counts_nowhere() -> None:
    first, second = trajectory("t1", attempt=1), trajectory("t2", attempt=2)
    made = growth([item("a")], [trail(second), trail(first)], [Find("t1", "a", 1)], "turn")
    assert [each.places for each in made.explorations] == [()]
