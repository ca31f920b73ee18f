"""The table in the paper's shape, its LaTeX and its figures."""

from __future__ import annotations

import re

import pytest

from analysis.drawing import FORMS
from analysis.facets import facets
from analysis.leaderboard import Entry, cells, entry, escaped, heads, keys, latex, ordered, table2
from analysis.leaderboard_drawing import Bar, Panel, draw, draw_facets
from core.evaluation import LEVELS, Level, Score
from evaluator.published import SCENARIOS
from evaluator.published import table2 as printed
from tests.analysis.test_facets import row, scored

TWO = ("flights", "filings")


def score(level: Level, averaging: str, value: float | None) -> Score:
    return Score.model_validate(
        {
            "competitor": "m",
            "level": level,
            "averaging": averaging,
            "headline": value,
            "strict": 0.9,
            "scored_only": 0.9,
            "coverage": 0.5,
            "items": 2,
            "supported": 1,
            "contradicted": 0,
            "insufficient": 0,
            "unscored": 1,
            "entities": 1,
        }
    )


def test_the_columns_stand_in_the_papers_order() -> None:
    assert heads(keys(TWO)) == [
        "S I_m flights",
        "S I_m filings",
        "S I_t flights",
        "S I_t filings",
        "I I_m flights",
        "I I_m filings",
        "I I_t flights",
        "I I_t filings",
    ]
    assert heads(keys(["flights"])) == ["S I_m", "S I_t", "I I_m", "I I_t"]


def test_the_published_table_comes_out_as_it_is_printed() -> None:
    scenarios = list(SCENARIOS)
    made = [
        Entry(each.model, {key: each.accuracy(*key) for key in keys(scenarios)}, each.overall)
        for each in printed()
    ]
    told = table2(made, scenarios)
    assert told.rows[0][0] == "Claude 4.5 Sonnet"
    # S_m and I_t of MIMIC, and Overall, as Table 2 has them.
    at = dict(zip(told.columns, told.rows[0], strict=True))
    assert (at["S_I_m_patients"], at["I_I_t_patients"], at["overall"]) == (36.07, 32.95, 47.73)
    # The mean of the twelve is the printed Overall, to what rounding leaves open.
    for line in told.rows:
        figures = [cell for cell in line[1:-1] if isinstance(cell, float)]
        assert len(figures) == 12
        assert isinstance(line[-1], float)
        assert sum(figures) / 12 == pytest.approx(line[-1], abs=0.0051)
    overalls = [line[-1] for line in told.rows]
    assert overalls == sorted(overalls, reverse=True)  # type: ignore[type-var]


def test_what_is_half_judged_is_a_dash_and_no_figure() -> None:
    made = entry(
        "m", {"flights": [score("message", "item", None), score("trajectory", "item", 0.25)]}, None
    )
    assert cells(made, keys(["flights"])) == ["-", "-", "-", "25.00", "-"]
    assert table2([made], ["flights"]).rows[0] == ("m", None, None, None, 25.0, None)


def test_what_does_not_clear_chance_bears_a_dagger() -> None:
    key = keys(["wearables"])[0]
    made = Entry("m", {key: 0.4}, 0.4, frozenset({key}))
    assert cells(made, [key]) == ["40.00\N{DAGGER}", "40.00"]
    assert r"40.00}$^\dagger$" in latex([made], ["wearables"])


def test_the_best_overall_comes_first_and_an_unknown_one_last() -> None:
    made = [Entry("b", {}, None), Entry("z", {}, 0.1), Entry("a", {}, 0.3), Entry("c", {}, 0.1)]
    assert [each.competitor for each in ordered(made)] == ["a", "c", "z", "b"]


def test_latex_has_as_many_cells_in_each_line_as_columns() -> None:
    entries = [
        Entry("one & two", dict.fromkeys(keys(TWO), 0.5), 0.5),
        Entry("three", {}, None),
    ]
    others = [Entry("four", dict.fromkeys(keys(TWO), 0.25), 0.25)]
    text = latex(entries, TWO, others=others, source="others' figures")
    begun = re.search(r"\\begin\{tabular\}\{(\w+)\}", text)
    assert begun is not None and len(begun[1]) == 10
    lines = [line for line in text.splitlines() if line.endswith(r"\\")]
    for line in lines:
        spans = [int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line)]
        assert len(re.findall(r"(?<!\\)&", line)) + 1 + sum(spans) == 10, line
    assert text.index("three") < text.index("others' figures") < text.index("four")
    assert r"\textbf{50.00}" in text and r"\textbf{25.00}" not in text


def test_no_name_is_obeyed_by_latex() -> None:
    hostile = '\\input{/etc/passwd} $x$ %gone\n\\\\ a_b^c~d #1 & <"> \x1b[2J'
    told = escaped(hostile)
    assert "\n" not in told and "\x1b" not in told
    bare = re.sub(r"\\textbackslash\{\}|\\text[a-z]+\{\}|\\[{}$&#%_]|\{[\[*]\}", "", told)
    assert not set(bare) & set("\\{}$&#%_~^")


LINES: dict[Level, Bar] = {"message": Bar(0.3, 0.2, 0.4), "trajectory": Bar(0.5)}


@pytest.mark.parametrize("form", FORMS)
def test_the_figure_names_each_row_and_baseline(form: str) -> None:
    panels = [
        Panel("flights", [("one", LINES), ("$two$", {})], {"generic text": 0.02}),
        Panel("filings", [("one", LINES)], {}),
    ]
    made = draw(panels, form)  # type: ignore[arg-type]
    assert made == draw(panels, form)  # type: ignore[arg-type]
    if form == "svg":
        for name in ("one", "$two$", "generic text", "turn by turn", "final report", "filings"):
            assert name in made.decode(), name


def test_nothing_to_rank_makes_a_figure_that_says_so() -> None:
    assert b"nothing to rank yet" in draw([], "svg")


def test_models_are_named_at_their_marks_by_size_and_by_group() -> None:
    models = [
        scored("x/small", row(0, 0, 0, 1), total_b=1.0),
        scored("x/large", row(1, 0, 0, 1), total_b=100.0),
        scored("x/secret", row(1, 1, 1, 1)),
    ]
    means: dict[Level, dict[str, float]] = {
        level: {"x/small": 0.25, "x/large": 0.5, "x/secret": 1.0} for level in LEVELS
    }
    for attribute in ("total_b", "family"):
        found = {level: facets(models, attribute) for level in LEVELS}
        text = draw_facets(found, means, "svg").decode()
        assert "small" in text and "large" in text
        assert ("secret" in text) == (attribute == "family")
        assert draw_facets(found, {level: {} for level in LEVELS}, "png")[:4] == b"\x89PNG"
