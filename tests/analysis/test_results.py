"""What a tool answered is shown as a table where it is one, cut honestly, hidden where it must be."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.results import ResultView, cells, fair_cap, view
from core.trajectory import ToolResult


def _view(body: object, *, budget: int = 10_000, shown: bool = True) -> ResultView:
    text = body if isinstance(body, str) else json.dumps(body)
    result = ToolResult(call_id="c", name="execute_query", text=text, duration_s=0)
    return view(result, budget=budget, shown=shown)


def test_columns_and_rows_become_a_table_and_the_rest_named_facts() -> None:
    made = _view({"columns": ["id", "n"], "rows": [["A1", 3], [None, 4.25]], "row_count": 2})
    (table,) = made.tables
    assert table.columns == ("id", "n")
    assert table.rows == (("A1", "3"), (None, "4.25"))
    assert table.numeric == (False, True)
    assert made.facts == (("row_count", "2"),)
    assert made.size == "2 rows"


def test_the_types_of_columns_go_with_them() -> None:
    made = _view({"columns": ["n"], "types": ["BIGINT"], "rows": [[1]]})
    assert made.tables[0].types == ("BIGINT",)
    assert made.facts == ()
    odd = _view({"columns": ["n"], "types": ["BIGINT", "x"], "rows": [[1]]})
    assert odd.tables[0].types == ()


@pytest.mark.parametrize(
    ("rows", "columns", "upright"), [(1, 8, True), (1, 7, False), (2, 8, False)]
)
def test_a_single_long_row_stands_upright(rows: int, columns: int, upright: bool) -> None:
    body = {"columns": [f"c{n}" for n in range(columns)], "rows": [[1] * columns] * rows}
    assert _view(body).tables[0].upright is upright


def test_columns_that_are_described_by_objects_give_their_names() -> None:
    (table,) = _view({"columns": [{"name": "n", "type": "INTEGER"}], "rows": [[1]]}).tables
    assert table.columns == ("n",)


def test_lists_of_objects_become_a_table_each() -> None:
    body = {
        "table": "t",
        "columns": [{"name": "a"}, {"name": "b", "comment": "x"}],
        "keys": [{"k": 1}],
    }
    made = _view(body)
    columns, keys = made.tables
    assert (columns.title, columns.columns) == ("columns", ("name", "comment"))
    assert columns.rows == (("a", None), ("b", "x"))
    assert keys.title == "keys"
    assert made.facts == (("table", "t"),)
    assert made.size == "2 tables"


def test_a_bare_list_of_objects_is_a_table() -> None:
    (table,) = _view([{"a": 1}, {"a": 2}]).tables
    assert table.rows == (("1",), ("2",))


@pytest.mark.parametrize(
    "body",
    [
        {"columns": ["a", "b"], "rows": [[1]]},
        {"columns": [], "rows": []},
        {"columns": "a", "rows": 3},
        {"rows": [1, {"a": 2}]},
        {"columns": ["a"], "rows": {"0": [1]}},
    ],
)
def test_an_odd_shape_is_shown_as_facts_and_never_fails(body: dict[str, Any]) -> None:
    made = _view(body)
    assert made.tables == ()
    assert all(isinstance(value, str) for _, value in made.facts)


def test_zero_is_a_fact_and_empty_and_false_values_are_not() -> None:
    body = {"row_count": 0, "truncated": False, "note": "", "more": None, "list": [], "cut": True}
    assert _view(body).facts == (("row_count", "0"), ("cut", "true"))


@pytest.mark.parametrize("text", ["plain words", "[1, 2", "3.5", "null", "{}", "[" * 100_000])
def test_anything_else_stays_the_text_that_the_agent_saw(text: str) -> None:
    made = _view(text, budget=200_000)
    assert made.text == text
    assert (made.tables, made.facts, made.cut) == ((), (), 0)


def test_a_text_beyond_the_budget_is_cut_and_says_by_how_much() -> None:
    made = _view("x" * 1000, budget=300)
    assert (made.text, made.cut) == ("x" * 300, 700)
    assert made.size == "1,000 characters"


def test_rows_beyond_the_budget_are_counted_and_one_always_stays() -> None:
    rows = [["abcdef", n] for n in range(100)]
    (table,) = _view({"columns": ["a", "n"], "rows": rows}, budget=250).tables
    assert 5 < len(table.rows) < 15
    assert len(table.rows) + table.more == 100
    (table,) = _view({"columns": ["a", "n"], "rows": rows}, budget=0).tables
    assert (len(table.rows), table.more) == (1, 99)


def test_a_long_cell_ends_in_an_ellipsis() -> None:
    (table,) = _view({"columns": ["a"], "rows": [["y" * 900]]}).tables
    cell = table.rows[0][0] or ""
    assert len(cell) == 160
    assert cell.endswith("y…")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (12.53456789, "12.5346"),
        (-0.1, "-0.1"),
        (0.00001234, "1.234e-05"),
        (336776.0, "336776.0"),
        (1234567.891, "1234567.9"),
        (336776, "336776"),
        (True, "true"),
        ({"a": 1}, '{"a": 1}'),
    ],
)
def test_numbers_keep_the_digits_that_a_reader_compares(value: object, shown: str) -> None:
    (table,) = _view({"columns": ["a"], "rows": [[value]]}).tables
    assert table.rows == ((shown,),)


def test_under_a_restricted_licence_names_and_counts_stay_and_no_value_does() -> None:
    body = {"columns": ["name", "n"], "rows": [["Eve Secret", 93]], "note": "Eve Secret"}
    made = _view(body, shown=False)
    assert "Eve" not in repr(made)
    assert "93" not in repr(made)
    assert made.tables[0].columns == ("name", "n")
    assert made.tables[0].more == 1


@pytest.mark.parametrize("text", ["Could not convert 'Eve Secret'", '{"value": "Eve Secret"}'])
def test_under_a_restricted_licence_error_and_output_texts_are_hidden_too(text: str) -> None:
    made = _view(text, shown=False)
    assert "Eve" not in repr(made)
    assert made.hidden
    assert made.size == "values hidden"


def test_short_texts_leave_their_room_to_long_ones() -> None:
    assert fair_cap([10, 10, 1000, 1000], 520) == 250
    assert fair_cap([10, 20, 30], 100) == 30
    assert fair_cap([], 100) == 0


@given(st.lists(st.integers(0, 500), max_size=20), st.integers(0, 3000))
def test_however_long_the_texts_are_the_capped_ones_fit(lengths: list[int], total: int) -> None:
    cap = fair_cap(lengths, total)
    assert sum(min(length, cap) for length in lengths) <= total
    if sum(lengths) > total:  # and no room is given away, but for a rounding of one each
        assert sum(min(length, cap + 1) for length in lengths) > total
    else:
        assert all(length <= cap for length in lengths)


def test_every_value_is_named_by_the_place_where_it_is_shown() -> None:
    text = json.dumps(
        {
            "row_count": 2,
            "columns": ["a", "b"],
            "rows": [[1, 2], [3, 4]],
            "more": [{"x": 5}, {"x": 6, "y": 7}],
        }
    )
    found = list(cells(text))
    shown = _view(text)
    for each in found:
        if each.table is not None and each.value is not None:
            assert shown.tables[each.table].rows[each.row][each.column] == str(each.value)
    assert [(c.value, c.name) for c in found if c.table is None] == [(2, "row_count")]
    assert [c.value for c in found if c.table == 1] == [5, None, 6, 7]
    assert [c.value for c in cells("plain")] == ["plain"]
