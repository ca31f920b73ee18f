"""What `ddr curves` is asked for, read from the command line; and real runs beside a threshold, by brute force."""

from __future__ import annotations

from itertools import product
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.area import check_range
from analysis.axes import AXES, Axis
from analysis.growth import EntityGrowth, Exploration, Growth
from core.errors import UnknownNameError, UsageError
from core.evaluation import LEVELS
from core.run import Limits, ModelSpec, RunSpec
from server.curves import RunCurves
from server.curves_asked import axis_of, level_of, places_of, protocol_of, range_of
from server.reruns import is_rerun, limit_of, reruns
from tests.server.support import evaluation, spec

_NUMBERS = st.lists(st.floats(0, 1e9), min_size=1, max_size=6)


@given(_NUMBERS)
def test_places_come_in_rising_order_each_once(numbers: list[float]) -> None:
    text = ",".join(repr(number) for number in numbers)
    assert places_of(text) == tuple(sorted(set(numbers)))
    assert places_of(f" {text} ,") == places_of(text)


@pytest.mark.parametrize(
    "text", ["", " ", ",", "a", "1,b", "nan", "1,inf", "-1", "-0.5,3", "1;2", "0x5"]
)
def test_what_are_no_places_is_refused_with_what_was_said(text: str) -> None:
    with pytest.raises(UsageError, match="--at") as caught:
        places_of(text)
    assert "is no number" in str(caught.value) or "as 5,10,20" in str(caught.value)


@given(st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_a_range_is_two_numbers_above_nothing_the_lower_first(low: float, high: float) -> None:
    text = f"{low!r}:{high!r}"
    if low < high:
        assert range_of(text) == check_range(low, high) == (low, high)
    else:
        with pytest.raises(UsageError, match="the lower first"):
            range_of(text)


@pytest.mark.parametrize("text", ["", "5", ":", "1:", ":2", "1:2:3", "a:b", "nan:2", "0:1", "-1:1"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="range"):
        range_of(text)


@pytest.mark.parametrize("pair", [(0, 1), (1, 1), (2, 1), (1, inf), (float("nan"), 1)])
def test_a_range_that_a_program_gives_is_checked_too(pair: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="two numbers above 0"):
        check_range(*pair)


def test_names_are_known_or_refused_with_those_that_are() -> None:
    assert [axis_of(name) for name in AXES] == list(AXES)
    assert [level_of(name) for name in LEVELS] == list(LEVELS)
    assert protocol_of(None) is None
    assert protocol_of("ddr") == "ddr"
    for read, wrong, known in (
        (axis_of, "tokens", "billed_tokens"),
        (level_of, "report", "trajectory"),
        (protocol_of, "mine", "ddr"),
    ):
        with pytest.raises(UnknownNameError) as caught:
            read(wrong)
        assert wrong in str(caught.value) and known in str(caught.value)


# Which run is another one again


def a_run(name: str, limits: Limits, model: str = "m", **changes: object) -> RunSpec:
    return spec(
        f"20260131-small-{name}",
        model=ModelSpec(provider="openai", name=model),
        limits=limits,
        **changes,
    )


GIVEN: dict[Axis, Limits] = {
    "turn": Limits(max_turns=5),
    "billed_tokens": Limits(max_turns=None, max_tokens=5),
    "cost_usd": Limits(max_turns=None, max_cost_usd=5),
    "seconds": Limits(max_turns=None, max_seconds=5),
}


@pytest.mark.parametrize(("limited", "axis"), list(product(GIVEN, AXES)))
def test_a_limit_speaks_on_its_own_axis_alone(limited: Axis, axis: Axis) -> None:
    free = a_run("free", Limits(max_turns=None))
    held = a_run("held", GIVEN[limited])
    assert limit_of(held, axis) == (5 if axis == limited else None)
    assert limit_of(free, axis) is None
    assert is_rerun(held, free, axis) == (axis == limited)
    assert not is_rerun(held, held, axis), "no run is itself again"


@given(st.none() | st.integers(1, 9), st.none() | st.integers(1, 9))
def test_only_the_lower_limit_is_the_rerun(one: int | None, other: int | None) -> None:
    left, right = a_run("l", Limits(max_turns=one)), a_run("r", Limits(max_turns=other))
    lower = (one if one is not None else inf) < (other if other is not None else inf)
    assert is_rerun(left, right, "turn") == lower
    assert not (is_rerun(left, right, "turn") and is_rerun(right, left, "turn"))


@pytest.mark.parametrize(
    "changes",
    [
        {"scenario_id": "other"},
        {"scenario_fingerprint": "beef"},
        {"agent": "other"},
        {"goal": "generic"},
        {"protocol": "ddr"},
        {"model": "other"},
    ],
)
def test_another_experiment_is_no_rerun(changes: dict[str, str]) -> None:
    long = a_run("long", Limits(max_turns=None))
    model = changes.pop("model", "m")
    short = a_run("short", Limits(max_turns=3), model, **changes)
    assert not is_rerun(short, long, "turn")
    assert is_rerun(a_run("short", Limits(max_turns=3)), long, "turn")


def test_being_told_of_the_budget_makes_it_no_other_experiment() -> None:
    long = a_run("long", Limits(max_turns=None))
    assert is_rerun(a_run("told", Limits(max_turns=3), announced_budget=True), long, "turn")


# What stands beside


@st.composite
def growths(draw: st.DrawFn, longest: int) -> Growth:
    made = []
    for name in draw(st.lists(st.sampled_from("abcd"), min_size=1, unique=True)):
        items = draw(st.integers(1, 4))
        runs = []
        for _ in range(draw(st.integers(0, 2))):
            end = draw(st.integers(1, longest))
            places = draw(st.lists(st.integers(1, end).map(float), max_size=items))
            runs.append(Exploration(float(end), tuple(sorted(places)), 1.0))
        made.append(EntityGrowth(name, draw(st.sampled_from("xy")), items, tuple(runs)))
    return Growth("m", "turn", tuple(made))


def share(made: EntityGrowth, x: float) -> float:
    hits = sum(place <= x for each in made.explorations for place in each.places)
    return hits / (made.items * len(made.explorations))


def as_found(of: RunSpec, made: Growth) -> RunCurves:
    return RunCurves("m", of, evaluation(of, f"{of.id}.e1"), "message", "first", {"turn": made})


@settings(max_examples=80)
@given(growths(20), growths(5))
def test_both_figures_are_over_the_entities_that_both_explored(long: Growth, short: Growth) -> None:
    one = as_found(a_run("long", Limits(max_turns=None)), long)
    other = as_found(a_run("short", Limits(max_turns=5)), short)
    mine = {each.id: each for each in short.entities if each.explorations}
    theirs = {each.id: each for each in long.entities if each.explorations}
    both = sorted(mine.keys() & theirs.keys())
    found = reruns([one, other], "turn")
    assert found == reruns([other, one], "turn")
    if not both:
        assert found == ()
        return
    (told,) = found
    assert (told.run_id, told.beside, told.limit) == (other.spec.id, one.spec.id, 5)
    assert told.entities == len(both)
    assert told.real == pytest.approx(sum(share(mine[name], inf) for name in both) / len(both))
    assert told.threshold == pytest.approx(sum(share(theirs[name], 5) for name in both) / len(both))
    if told.low is not None and told.high is not None:
        assert -1 <= told.low <= told.high <= 1
    assert (told.low is None) == (len({mine[name].cluster for name in both}) == 1)


def test_three_runs_have_a_row_for_each_pair_of_which_one_is_lower() -> None:
    made = Growth("m", "turn", (EntityGrowth("a", "a", 1, (Exploration(9.0, (2.0,), 1.0),)),))
    runs = [as_found(a_run(f"r{limit}", Limits(max_turns=limit)), made) for limit in (None, 8, 3)]
    pairs = {(each.run_id[-2:], each.limit) for each in reruns(runs, "turn")}
    assert pairs == {("r8", 8.0), ("r3", 3.0)}
    assert len(reruns(runs, "turn")) == 3
