"""What is drawn of endings: every run has its row, and what was not measured is said to be so."""

from __future__ import annotations

import re

from analysis.statistics import Spread
from analysis.stopping import stopping
from analysis.stopping_drawing import Picture, draw
from analysis.stopping_gain import Gain, GainPoint
from analysis.stopping_tokens import Point
from core.trajectory import StopReason
from tests.analysis.factory import trajectory

RUNS = stopping(
    [
        trajectory("a", "01", 4),
        trajectory("b", "02", 9),
        trajectory("c", "03", 9, stop_reason=StopReason.MAX_TURNS),
    ]
)
POINTS = (
    Point(0, Spread(2, -6, 2, -7, -6.5, -6, -5.5, -5)),
    Point(1, Spread(1, -2, None, -2, -2, -2, -2, -2)),
)
GAIN = Gain(
    offered=1, trajectories=2, entities=2, left_out=0, taken=1, stopped_at_once=0, stopped_again=0,
    before=0.5, points=(GainPoint(1, 0.1, 0.05, 0.2),), per_turn=0.1, per_turn_low=0.05,
    per_turn_high=0.2, own_last_per_turn=0.0, report_before=None, report_after=None,
)  # fmt: skip


def words(picture: bytes) -> str:
    return " ".join(re.findall(r">([^<>]+)</text>", picture.decode()))


def test_the_two_ways_to_end_are_told_apart_with_their_numbers() -> None:
    said = words(draw([Picture("m/x", RUNS)], "svg"))
    assert "ended by themselves (2)" in said
    assert "ended by a limit (1)" in said
    assert "median 6.5" in said
    assert "how likely" not in said


def test_a_run_that_was_not_measured_says_so_beside_one_that_was() -> None:
    drawn = draw([Picture("m/x", RUNS, POINTS, GAIN), Picture("m/y", RUNS)], "svg")
    said = words(drawn)
    assert said.count("how likely the finish was") == 2
    assert said.count("not measured") == 2, "neither its finish nor its gain"
    assert said.count("95 % interval") == 1


def test_the_same_records_give_the_same_file_and_none_gives_an_empty_one() -> None:
    one, two = (draw([Picture("m/x", RUNS, POINTS)], "svg") for _ in range(2))
    assert one == two
    assert draw([], "png").startswith(b"\x89PNG")
