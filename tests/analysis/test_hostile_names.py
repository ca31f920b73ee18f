"""What competitors, scenarios, tools and models call themselves is data in every figure and table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.etree import ElementTree

import pytest

from analysis.curve_drawing import Mark, draw_curves
from analysis.curves import Curves, read_off
from analysis.drawing import FORMS, Form, fit, fitted
from analysis.facets import facets
from analysis.leaderboard import Entry, escaped, latex
from analysis.leaderboard_drawing import Bar, Panel, draw_facets
from analysis.leaderboard_drawing import draw as draw_board
from analysis.models import ModelFacts, ModelTable, plain
from analysis.spending import costs
from analysis.spending_drawing import draw as draw_costs
from analysis.stopping import stopping
from analysis.stopping_drawing import Picture
from analysis.stopping_drawing import draw as draw_stops
from core.evaluation import Level
from tests.analysis.factory import trajectory, turn
from tests.analysis.grown import entity, grown, run
from tests.analysis.test_facets import row, scored

HOSTILE = {
    "mathematics": "$x$ and $\\foo$",
    "half of mathematics": "costs $5 \\frac{",
    "what a terminal obeys": "a\x00b\x1b[31mred",
    "two lines": "two\nlines\r\nof it",
    "half a surrogate pair": "\ud800x",
    "nothing": "",
    "blanks": " \t ",
    "what a legend hides": "_hidden_",
    "length": "x" * 400,
    "other scripts": "飛行機 مرحبا",
    "markup": "</text><script>alert(1)</script>",
    "right to left": "a\u202eb",
}


def one_curve(name: str) -> Curves:
    made = grown(
        entity("a", 2, run(1, 2, end=5)), entity("b", 2, run(1, end=3)), axis="turn", name=name
    )
    return read_off(made, "r1", over=(1, 5), refits=0)


def of_curves(name: str, form: Form) -> bytes:
    return draw_curves([one_curve(name)], "turn", form, marks=[Mark(name, 2, 0.3)])


def of_stops(name: str, form: Form) -> bytes:
    return draw_stops([Picture(name, stopping([trajectory(turns=4)]))], form)


def of_costs(name: str, form: Form) -> bytes:
    made = turn(1)
    tools = [call.model_copy(update={"name": name}) for call in made.tool_calls]
    answers = [each.model_copy(update={"name": name}) for each in made.tool_results]
    strange = made.model_copy(update={"tool_calls": tuple(tools), "tool_results": tuple(answers)})
    return draw_costs([costs(name, [trajectory(turns=[strange])]), costs("b", [])], form)


def of_board(name: str, form: Form) -> bytes:
    return draw_board([Panel(name, [(name, {"message": Bar(0.3, 0.2, 0.4)})], {name: 0.1})], form)


def of_facets(name: str, form: Form) -> bytes:
    name = name.encode("utf-8", "replace").decode()  # a record holds no half of a pair
    models = [
        scored(name or "?", row(0, 0, 0, 1), attributes={"made by": name}),
        scored("other", row(1, 0, 0, 1), attributes={"made by": "x"}),
    ]
    found = facets(models, "made by")
    means: Mapping[Level, Mapping[str, float]] = {"message": {name or "?": 0.25, "other": 0.5}}
    return draw_facets({"message": found}, means, form)


FIGURES: tuple[Callable[[str, Form], bytes], ...] = (
    of_curves,
    of_stops,
    of_costs,
    of_board,
    of_facets,
)


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_figure_is_well_formed_and_runs_nothing_whatever_a_name_holds(
    figure: Callable[[str, Form], bytes], name: str
) -> None:
    root = ElementTree.fromstring(figure(name, "svg"))
    tags = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert "text" in tags
    assert not tags & {"script", "foreignObject", "image"}
    words = "".join("".join(each.itertext()) for each in root.iter())
    assert not set(words) & {"\x1b", "\x00", "\u202e"}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_figure_of_a_hostile_name_is_a_picture_too(
    figure: Callable[[str, Form], bytes],
) -> None:
    assert figure(HOSTILE["mathematics"], "png").startswith(b"\x89PNG")


@pytest.mark.parametrize("figure", [of_curves, of_stops, of_costs, of_board])
def test_a_dollar_is_printed_and_begins_no_formula(
    figure: Callable[[str, Form], bytes],
) -> None:
    root = ElementTree.fromstring(figure("a $x$ b", "svg"))
    said = ["".join(each.itertext()) for each in root.iter() if each.tag.endswith("}text")]
    assert any("a $x$ b" in each for each in said), said


def test_a_long_name_keeps_both_its_ends_and_its_length() -> None:
    for most in range(2, 40):
        told = fit("abc" + "-" * 100 + "xyz", most)
        assert len(told) == most
        assert told.endswith("xyz"[-min(3, most // 2) :])
        assert "\N{HORIZONTAL ELLIPSIS}" in told
    assert fit("short", 5) == "short"
    assert fit(" \n ", 5) == "(no name)"
    assert fit("a\tb\u200bc", 9) == "a b?c"


def test_a_name_is_cut_to_the_room_that_it_has() -> None:
    wide, narrow = fitted("W" * 60, 2, 10), fitted("i" * 60, 2, 10)
    assert len(wide) < len(narrow) <= 60
    assert fitted("W" * 60, 4, 10).count("W") > wide.count("W")
    assert fitted("W" * 60, 0.0001, 10).count("W") <= 4
    assert fitted("ok", 2, 10) == "ok"


# LaTeX


@pytest.mark.parametrize("name", ["[2pt] model", "*", "*[x]", "[", "a & b \\\\ c", "%", "^~_#$"])
def test_no_line_of_latex_begins_with_what_the_line_before_takes_for_an_option(name: str) -> None:
    text = latex([Entry("one", {}, 0.5), Entry(name, {}, None)], ["s"])
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert len(body) == 2
    for line in body:
        assert line[0] not in "[*"
        assert line.replace(r"\&", "").count("&") == 5
        assert line.endswith(r"\\") and line.count(r"\\") == 1


def test_a_name_in_latex_is_one_line_of_what_can_be_printed() -> None:
    assert escaped("x\x00\x1by\nz") == "xy z"


# Which model is meant


def test_names_in_other_scripts_are_names() -> None:
    assert plain("org/飛行機-7") == "飛行機7"
    table = ModelTable([ModelFacts(name="模型", family="A"), ModelFacts(name="飛行機", family="B")])
    told = [table.of(name) for name in ("模型", "lab/飛行機")]
    assert [each.family if each else None for each in told] == ["A", "B"]
    assert table.of("مرحبا") is None


def test_a_name_of_signs_alone_is_no_other_name_of_signs() -> None:
    table = ModelTable([ModelFacts(name="***", family="A")])
    assert table.of("+++") is None
    assert table.of("") is None and table.of(None) is None
    found = table.of("***")
    assert found is not None and found.family == "A"


def test_every_form_of_a_figure_is_known() -> None:
    assert {of_curves("m", form)[:4] for form in FORMS} == {b"<?xm", b"\x89PNG"}
