"""A chart's data for the script, its words for a screen reader, its table for everybody."""

from __future__ import annotations

import json

from core.evaluation import Curve, CurvePoint
from server.dashboard.charts import ROWS, Chart, Series, of_curves


def curve(name: str, *points: tuple[float, float], band: float | None = None) -> Curve:
    return Curve(
        competitor=name,
        axis="turn",
        points=tuple(
            CurvePoint(
                x=x,
                value=value,
                low=None if band is None else value - band,
                high=None if band is None else value + band,
                n=4,
            )
            for x, value in points
        ),
    )


def test_curves_stand_on_the_union_of_their_places_and_hold_their_last_value() -> None:
    made = of_curves(
        "c",
        "Accuracy",
        [curve("a", (2, 0.25), (5, 0.5)), curve("b", (3, 0.1), band=0.05)],
        x_label="turn",
    )
    assert made.xs == (2, 3, 5)
    a, b = made.series
    assert a.values == (0.25, 0.25, 0.5)
    assert (a.low, a.high) == ((), ())
    assert b.values == (0.0, 0.1, 0.1)
    assert b.low == (None, 0.05, 0.05)


def test_the_chart_is_said_in_a_sentence_and_unknown_is_no_number() -> None:
    made = Chart(
        "c", "Cost", "turn", (1, 2), (Series("a", (0.5, None)), Series("b", (None, None))), "usd"
    )
    assert made.said == "Cost. At the end: a $0.50, b –."
    assert made.rows == [["1", "$0.50", "–"], ["2", "–", "–"]]


def test_a_long_chart_has_a_short_table_that_ends_where_the_chart_ends() -> None:
    xs = tuple(float(x) for x in range(1, 1001))
    made = Chart("c", "Accuracy", "turn", xs, (Series("a", tuple(x / 1000 for x in xs)),))
    assert len(made.rows) <= ROWS + 1
    assert made.rows[0] == ["1", "0.1%"]
    assert made.rows[-1] == ["1000", "100.0%"]


def test_no_name_ends_the_element_that_holds_the_data() -> None:
    hostile = "</script><script>alert(1)</script>&amp;"
    made = of_curves("c", "Accuracy", [curve(hostile, (1, 0.5))], x_label="turn")
    assert "<" not in made.json
    assert "&" not in made.json
    assert json.loads(made.json)["series"][0]["name"] == hostile


def test_a_chart_of_nothing_is_said_to_be_one() -> None:
    made = of_curves("c", "Accuracy", [], x_label="turn")
    assert made.said == "Accuracy. At the end: nothing."
    assert made.rows == []
