"""The figures hold their texts, escape them, and tell in grey what they tell in colour."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import pytest

from analysis.drawing import sheet
from analysis.exploration import heat_figure
from analysis.exploration.explored import Exploration, Group, explore
from analysis.exploration.fields import Fields, available
from analysis.exploration.figures import NAMES, Name, draw
from analysis.exploration.heat import SchemaHeat, heat_of
from analysis.exploration.heat_figure import BLOCK_IN, GAP_IN, draw_heat, placed
from tests.analysis.exploration.making import fields, reading, schema, sql

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = 'x"><script>alert(1)</script> $\\frac{1}{0}$ & \x1b[31m'


def words(svg: bytes) -> list[str]:
    root = ElementTree.fromstring(svg)
    assert not [each for each in root.iter() if each.tag.endswith("script")]
    return ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]


def explored(groups: int = 1, made: Fields | None = None, name: str = "model") -> Exploration:
    """So many models, of each four trajectories: one hollow, one not followed, one that read nothing."""
    here = made or fields(t="a b c", u="d e")
    first, second, *_ = here.by_name
    found = []
    for k in range(groups):
        ids = [f"{k}.{n}" for n in range(4)]
        found.append(
            Group(
                f"{name} {k}" if groups > 1 else name,
                [
                    reading(
                        [sql(first)], [sql(first, second)], [sql(first)], name=ids[0], entity="1"
                    ),
                    reading([sql(first, second)], name=ids[1], entity="2"),
                    reading([sql(second, "?")], name=ids[2], entity="3"),
                    reading([sql()], name=ids[3], entity="4"),
                ],
                {ids[0]: 0.25, ids[2]: 1.0},
            )
        )
    return explore(found, here, dialect="duckdb", clusters={})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("groups", [1, 3])
def test_each_figure_is_drawn_for_one_model_and_for_many(name: Name, groups: int) -> None:
    found = explored(groups)
    assert draw(found, name, "png").startswith(b"\x89PNG")
    svg = draw(found, name, "svg")
    assert svg == draw(found, name, "svg")
    said = " | ".join(words(svg))
    if name != "heat" and groups > 1:
        assert all(f"model {k}" in said for k in range(groups))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_explored_is_still_a_figure(name: Name) -> None:
    found = explore([Group("A", [])], fields(t="a"), dialect="duckdb", clusters={})
    assert words(draw(found, name, "svg"))


@pytest.mark.parametrize("name", NAMES)
def test_hostile_names_are_text_and_no_formula(name: Name) -> None:
    table = schema(t="a b").tables[0]
    columns = (table.columns[0].model_copy(update={"name": HOSTILE}), table.columns[1])
    made = available(
        schema().model_copy(
            update={"tables": (table.model_copy(update={"name": HOSTILE, "columns": columns}),)}
        )
    )
    svg = draw(explored(made=made, name=HOSTILE), name, "svg")
    assert b"<script" not in svg
    assert b"\x1b" not in svg
    assert draw(explored(2, made=made, name=HOSTILE), name, "png").startswith(b"\x89PNG")


def test_points_say_what_they_are_out_of_and_that_there_are_hollow_and_framed_ones() -> None:
    said = " ".join(words(draw(explored(), "points", "svg")))
    assert "5 fields" in said
    assert "hollow: no accuracy" in said
    assert "framed: not all that it read is known" in said


def test_turns_say_where_tokens_were_not_reported() -> None:
    said = words(draw(explored(), "turns", "svg"))
    assert said.count("not reported") == 3
    assert "Fields read so far" in said


def wide_heat(tables: int, columns: int, name: str = "column") -> SchemaHeat:
    names = {f"table{k}": " ".join(f"{name}{c}" for c in range(columns)) for k in range(tables)}
    here = fields(**names)
    read = {str(t): dict.fromkeys(list(here.by_name)[:: t + 1], 1) for t in range(10)}
    return heat_of(here, read, dict.fromkeys(read))


def test_a_cell_tells_how_many_read_it_in_figures_too() -> None:
    said = words(draw_heat(heat_of(fields(t="a b"), {"x": {"t.a": 1}, "y": {}}, {}), "svg"))
    assert said.count("1/2") == 2  # the column's, and the table's own
    assert "0/2" in said
    assert any("of 2 trajectories" in word for word in said)


def test_blocks_never_overlap_and_stand_in_columns_of_like_height() -> None:
    heat = wide_heat(9, 7)
    blocks, across, rows = placed(heat.tables)
    assert len(blocks) == 9
    for column in range(across):
        tops = sorted(b.top for b in blocks if b.across == column)
        assert all(later - top >= 8.3 for top, later in pairwise(tops))
    assert rows < 9 * 10


def test_a_long_table_and_a_wide_schema_say_what_is_not_drawn() -> None:
    said = words(draw_heat(wide_heat(1, 75), "svg"))
    assert any(word.startswith("and 15 more, 15 of them read") for word in said)
    many = words(draw_heat(wide_heat(heat_figure.MOST_TABLES + 3, 1), "svg"))
    assert any("3 more tables are not drawn" in word for word in many)


@pytest.mark.parametrize("name", ["W" * 60, "scheduled_departure_hhmm_local_time", "\u6771" * 40])
def test_a_name_and_its_count_fit_beside_one_another_in_a_cell(name: str) -> None:
    here = fields(t=name)
    read = {str(k): {f"t.{name}": 1} for k in range(1000)}
    (cell,) = heat_of(here, read, {}).tables[0].columns
    across = BLOCK_IN + GAP_IN
    with sheet(width=across, height=1) as (figure, (ax,)):
        ax.set_axis_off()
        ax.set_position((0, 0, 1, 1))
        ax.set_xlim(0, across)
        ax.set_ylim(2, 0)
        heat_figure._cell(ax, cell, 0.0, 0.5)
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
    left, right = boxes
    assert left.x1 < right.x0


def test_heat_is_ordered_in_grey_as_in_colour() -> None:
    shades = [mpl.colormaps[heat_figure.MAP](0.12 + 0.78 * k / 20) for k in range(21)]
    grey = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b, _ in shades]
    assert all(darker < lighter for lighter, darker in pairwise(grey))
    assert grey[0] - grey[-1] > 0.5
