"""Charts put each value where its scale says, and say it in words too."""

from __future__ import annotations

import re

import pytest

from analysis.figures import Bar, BarGroup, curve_figure, percent, score_figure, turn_strip
from analysis.svg import element, figure
from core.evaluation import Curve, CurvePoint
from tests.analysis.page import Element, parse


def _curve(*values: float, band: float | None = None) -> Curve:
    points = tuple(
        CurvePoint(
            x=k,
            value=v,
            low=None if band is None else max(v - band, 0),
            high=None if band is None else min(v + band, 1),
            n=1,
        )
        for k, v in enumerate(values, 1)
    )
    return Curve(competitor="profiler", axis="turn", points=points)


def _corners(path: Element) -> list[tuple[float, float]]:
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", path.get("d") or "")]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def test_a_share_is_written_in_per_cent_and_an_unknown_one_as_a_dash() -> None:
    assert [percent(0.4366), percent(1, 0), percent(0), percent(None)] == [
        "43.7%",
        "100%",
        "0.0%",
        "–",
    ]


def test_the_curve_is_a_staircase_whose_heights_are_its_values() -> None:
    page = parse(str(curve_figure(_curve(0, 0.5, 0.5, 1), name="c")))
    corners = _corners(page.one("path", "line"))
    ticks = {t.text: float(t.get("y") or 0) - 4 for t in page.all("text", "tick")}
    bottom, top = ticks["0%"], ticks["100%"]
    heights = [round((bottom - y) / (bottom - top), 2) for _, y in corners]
    assert heights == [0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 1]
    # It rises at its own turn, not before: both ends of a riser have one x.
    assert corners[3][0] == corners[4][0]
    assert [x for x, _ in corners] == sorted(x for x, _ in corners)


def test_the_scale_begins_at_zero_and_ends_above_the_band() -> None:
    page = parse(str(curve_figure(_curve(0.1, 0.21, band=0.05), name="c")))
    marks = [t.text for t in page.all("text", "tick") if t.text.endswith("%")]
    assert marks == ["0%", "10%", "20%", "30%"]
    band = _corners(page.one("path", "band"))
    ys = [float(t.get("y") or 0) - 4 for t in page.all("text", "tick") if t.text.endswith("%")]
    assert all(ys[-1] <= y <= ys[0] for _, y in band)


def test_a_curve_without_a_band_draws_none_and_an_empty_one_nothing() -> None:
    assert parse(str(curve_figure(_curve(0.5), name="c"))).all("path", "band") == []
    assert curve_figure(_curve(), name="c") == ""


def test_the_curve_is_read_out_at_round_turns_and_at_its_end() -> None:
    values = [min(k / 40, 0.75) for k in range(1, 33)]
    page = parse(str(curve_figure(_curve(*values), name="c", stops=[30, 32, 32])))
    said = page.one("desc").text
    assert said == "profiler: 12.5% by turn 5, 25.0% by turn 10, 50.0% by turn 20, 75.0% by turn 32"
    assert [t.text for t in page.all("text", "value")] == ["12%", "25%", "50%", "75.0%"]
    assert "post-hoc threshold" in page.text
    assert (page.one("path", "stop").get("d") or "").count("M") == 2


@pytest.mark.parametrize("width", [880, 360])
@pytest.mark.parametrize("turns", [1, 7, 80, 2000])
def test_every_label_stays_inside_the_drawing(width: int, turns: int) -> None:
    curve = _curve(*[k / turns for k in range(1, turns + 1)], band=0.1)
    page = parse(str(curve_figure(curve, name="c", width=width)))
    for text in page.all("text"):
        x, room = float(text.get("x") or 0), 6.4 * len(text.text)
        start = {"start": 0, "middle": room / 2, "end": room}[text.get("text-anchor") or "start"]
        assert x - start >= 0
        assert x - start + room <= width + 12


def test_bars_are_as_long_as_their_values_and_baselines_look_otherwise() -> None:
    group = BarGroup(
        "Report",
        (Bar("profiler", 0.5, 0.4, 0.6), Bar("generic", 0.0, baseline=True), Bar("x", None)),
    )
    page = parse(str(score_figure([group], name="s")))
    own, generic = page.all("rect")
    ticks = {t.text: float(t.get("x") or 0) for t in page.all("text", "tick") if "%" in t.text}
    scale = ticks["100%"] - ticks["0%"]
    assert float(own.get("width") or 0) == pytest.approx(0.5 * scale, abs=0.1)
    assert float(generic.get("width") or 0) <= 1.5
    assert own.classes == {"bar", "main"}
    assert generic.classes == {"bar", "baseline"}
    assert float(own.get("height") or 0) > float(generic.get("height") or 0)
    whisker = (page.one("path", "whisker").get("d") or "").split("M")[1]
    left, right = float(whisker.split(" ")[0]), float(whisker.split("H")[1])
    assert (left - ticks["0%"]) / scale == pytest.approx(0.4, abs=0.001)
    assert (right - ticks["0%"]) / scale == pytest.approx(0.6, abs=0.001)
    assert "not scored" in page.text
    assert "Report, profiler: 50.0% (40.0% to 60.0%)" in page.one("desc").text


def test_a_long_name_is_shortened_in_the_drawing_and_whole_in_words() -> None:
    name = "a-model-with-a-very-long-name-20260101"
    page = parse(str(score_figure([BarGroup("g", (Bar(name, 0.1),))], name="s", width=360)))
    assert name in page.one("desc").text
    assert page.one("text", "label").text.endswith("…")


def test_a_strip_says_where_items_were_found() -> None:
    page = parse(str(turn_strip({1: "silent", 2: "found", 3: "told", 4: "error", 5: "found"})))
    svg = page.one("svg")
    assert svg.get("aria-label") == "5 turns; items first found at turns 2, 5"
    assert (page.one("path", "found").get("d")) == "M6 18v-16M18 18v-16"
    assert "no item found" in (parse(str(turn_strip({}))).one("svg").get("aria-label") or "")


def test_a_figure_has_a_role_a_title_and_a_description_of_its_own() -> None:
    page = parse(str(figure((10, 20), [], name="f", title="T", said="D")))
    svg = page.one("svg")
    assert svg.get("role") == "img"
    named = [page.by_id(i).text for i in (svg.get("aria-labelledby") or "").split()]
    assert named == ["T", "D"]


def test_markup_in_labels_and_attributes_stays_text() -> None:
    hostile = '"><script>alert(1)</script>'
    html = str(element("text", hostile, class_=hostile))
    assert "<script" not in html
    assert parse(html).one("text").get("class") == hostile
    drawn = str(score_figure([BarGroup(hostile, (Bar(hostile, 0.2),))], name="s"))
    assert "<script" not in drawn
