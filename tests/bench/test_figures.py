"""A figure meets its goal or misses it; what is missing is a miss that says why."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.figures import Bench, Figure, Goal, Probe, take

LOWER = Goal("wait_s", 0.5, "s", "lower")
HIGHER = Goal("turns_per_s", 200, "1/s", "higher")


def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, lambda what: None)


@pytest.mark.parametrize(
    ("goal", "value", "met"),
    [
        (LOWER, 0.4, True),
        (LOWER, 0.5, True),
        (LOWER, 0.5001, False),
        (HIGHER, 199.9, False),
        (HIGHER, 200, True),
        (HIGHER, 3000, True),
    ],
)
def test_a_goal_is_met_up_to_and_including_itself(goal: Goal, value: float, met: bool) -> None:
    assert Figure(goal, value).met is met


@given(value=st.floats(0, 1e6))
def test_a_figure_is_either_better_than_the_goal_or_not_in_both_senses(value: float) -> None:
    up, down = Goal("x", 10, "s", "higher"), Goal("x", 10, "s", "lower")
    assert (up.met_by(value) and down.met_by(value)) == (value == 10)
    assert up.met_by(value) or down.met_by(value)


def test_a_missing_figure_is_a_miss_whatever_the_sense() -> None:
    assert not Figure(LOWER, None).met
    assert not Figure(HIGHER, None).met


def test_a_figure_tells_value_goal_unit_sense_and_whether_it_is_met() -> None:
    assert Figure(LOWER, 0.3).as_dict() == {
        "value": 0.3,
        "goal": 0.5,
        "met": True,
        "unit": "s",
        "better": "lower",
    }


def test_a_probe_that_breaks_gives_a_miss_with_the_reason(tmp_path: Path) -> None:
    def breaks(_: Bench) -> dict[str, float]:
        raise OSError("no such file")

    (figure,) = take(Probe((LOWER,), breaks), bench(tmp_path))
    assert figure.value is None
    assert figure.as_dict()["reason"] == "OSError: no such file"


def test_a_name_that_a_probe_leaves_out_is_a_miss_beside_those_it_gave(tmp_path: Path) -> None:
    probe = Probe((LOWER, HIGHER), lambda _: {"wait_s": 0.1})
    given_one, missing = take(probe, bench(tmp_path))
    assert given_one.met
    assert not missing.met
    assert missing.reason == "the probe gave no such figure"


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_a_miss_and_keeps_the_json_strict(
    tmp_path: Path, value: float
) -> None:
    (figure,) = take(Probe((HIGHER,), lambda _: {"turns_per_s": value}), bench(tmp_path))
    assert figure.value is None
    assert figure.reason == f"it is {value}"


def test_a_figure_has_four_digits(tmp_path: Path) -> None:
    (figure,) = take(Probe((LOWER,), lambda _: {"wait_s": 0.1234567}), bench(tmp_path))
    assert figure.value == 0.1235


def test_an_interruption_is_not_taken_for_a_figure(tmp_path: Path) -> None:
    def interrupted(_: Bench) -> dict[str, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take(Probe((LOWER,), interrupted), bench(tmp_path))


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_rounding_never_makes_a_miss_of_a_goal_that_was_reached_exactly(
    tmp_path: Path, better: Literal["lower", "higher"]
) -> None:
    (figure,) = take(Probe((Goal("x", 25, "ms", better),), lambda _: {"x": 25.0}), bench(tmp_path))
    assert figure.met
