"""Curves as tables and as a figure: every number once, names that are data, runs without a curve."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from analysis.curve_drawing import Budget, Mark, draw_curves
from analysis.curve_tables import tables
from analysis.curves import Curves, read_off
from analysis.growth import Growth
from bench.curves import Plan, planted
from tests.analysis.grown import entity, grown, run

EVIL = "m <script>&$x$"


def curves(made: Growth, run_id: str = "r1") -> Curves:
    return read_off(made, run_id, over=(1.0, 40.0), refits=50)


def named(name: str, seed: int = 1) -> Growth:
    made = planted(Plan(20, "turn", 0.6, 0.3, 10.0, 0.1), seed)
    return Growth(name, made.axis, made.entities)


def test_each_table_holds_what_was_read_off() -> None:
    found = curves(named("one"))
    by_name = {each.name: each for each in tables([found])}
    assert set(by_name) == {"points", "budgets", "fits", "areas", "marginal", "coverage"}
    points = by_name["points"]
    assert len(points.rows) == 40
    assert points.columns[:4] == ("competitor", "run", "axis", "source")
    assert points.rows[-1][:6] == (
        "one",
        "r1",
        "turn",
        "measured",
        40.0,
        found.curve.points[-1].value,
    )
    assert not isinstance(found.fit, str)
    fits = {(row[4], row[5]): row[6:] for row in by_name["fits"].rows}
    own = found.fit.midpoint
    assert fits["logistic", "midpoint"] == (own.value, own.low, own.high)
    assert ("gompertz", "squared_error_beyond_logistic") in fits
    assert by_name["areas"].rows[0][4:7] == (1.0, 40.0, found.area.value if found.area else None)
    new = [row[6] for row in by_name["marginal"].rows]
    assert sum(int(n or 0) for n in new) == sum(len(each.places) for each in found.growth.entities)
    assert by_name["coverage"].rows == (("one", "r1", "turn", "measured", 20, 20, 0.0, 0, None),)


def test_what_is_left_out_has_a_line_for_each_reason() -> None:
    made = Growth("m", "cost_usd", (), left_out={"its agent asks no model": 3, "no price": 2})
    found = read_off(made, "r1", over=None)
    rows = {each.name: each for each in tables([found])}["coverage"].rows
    assert [row[-2:] for row in rows] == [(3, "its agent asks no model"), (2, "no price")]


def test_the_same_curves_are_the_same_file_and_names_are_text() -> None:
    both = [curves(named(EVIL)), curves(named("two", seed=2), "r2")]
    drawn = draw_curves(both, "turn", "svg", marks=[Mark("two", 5, 0.3), Mark(EVIL, 9, 0.4, True)])
    assert drawn == draw_curves(
        both, "turn", "svg", marks=[Mark("two", 5, 0.3), Mark(EVIL, 9, 0.4, True)]
    )
    root = ElementTree.fromstring(drawn)
    words = " ".join(each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "m <script>&" in words and "two" in words
    assert "post-hoc threshold" in words
    assert "real runs held to a limit" in words
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))


@pytest.mark.parametrize("axis", ["cost_usd", "billed_tokens", "seconds"])
def test_what_is_spent_by_orders_of_magnitude_is_drawn_on_a_log_scale(axis: str) -> None:
    made = grown(
        entity("a", 2, run(0.01, 3.0, end=9.0, first=0.01)),
        entity("b", 2, run(0.5, end=2.0, first=0.02)),
        axis=axis,  # type: ignore[arg-type]
    )
    found = read_off(made, "r", over=(0.01, 9.0), refits=0)
    words = draw_curves([found], axis, "svg").decode()  # type: ignore[arg-type]
    assert "10" in words and "<svg" in words
    assert draw_curves([found], axis, "png").startswith(b"\x89PNG")  # type: ignore[arg-type]


def test_a_runs_own_limit_is_a_line_that_says_whether_the_agent_was_told() -> None:
    both = [curves(named("one")), curves(named("two", seed=2), "r2")]
    limits = [Budget("one", 40, is_announced=True), Budget("two", 40, is_announced=False)]
    root = ElementTree.fromstring(draw_curves(both, "turn", "svg", budgets=limits))
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "budget, announced" in words and "limit, not announced" in words
    assert b"budget" not in draw_curves(both, "turn", "svg", budgets=[Budget("none", 4, True)])


def test_nothing_to_draw_is_said_in_the_figure() -> None:
    empty = read_off(Growth("m", "turn", ()), "r", over=None)
    assert b"nothing to draw" in draw_curves([empty], "turn", "svg")
