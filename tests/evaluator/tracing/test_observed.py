"""Results become numbers in rows and columns, whatever form their text has."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from evaluator.tracing.observed import numbers_in, observed
from tests.evaluator.records import STEADY
from tests.evaluator.tracing.records import rows


def every(text: str) -> set[float]:
    seen = observed(text, 1)
    return {*seen.singles, *(n for t in seen.tables for r in t for n in r if n is not None)}


def test_the_rows_of_a_query_keep_their_columns() -> None:
    seen = observed(rows(["a", "b", "c"], ["x", 1, 2.5], ["y", 3, None]), 4)
    assert seen.turn == 4
    assert seen.tables == (((None, 1.0, 2.5), (None, 3.0, None)),)
    assert 2.0 in seen.singles, "how many rows were shown is a number too"


def test_objects_in_a_list_are_rows() -> None:
    assert observed(json.dumps([{"n": 3, "m": 4}, {"n": 5, "m": 6}]), 1).tables == (
        ((3.0, 4.0), (5.0, 6.0)),
    )


def test_lines_with_equally_many_numbers_are_rows() -> None:
    printed = "origin   n     mean\nA0189  1,204   12.5\nA0243    98    -3.25\ntotal 1,302\n"
    assert observed(printed, 1).tables == (((1204.0, 12.5), (98.0, -3.25)), ((1302.0,),))


def test_the_text_of_a_tuple_list_is_read_row_by_row() -> None:
    assert observed("[('A', 3, 4.5), ('B', 5, 6.5)]", 1).tables == (((3.0, 4.5), (5.0, 6.5)),)


def test_dates_clock_times_and_digits_in_names_are_no_numbers() -> None:
    assert list(numbers_in("2016-07-24 13:05 A0189 T3001 v2 1990-01")) == []
    assert every(rows(["d"], ["2016-07-24"])) == {1.0}, "row_count, and the count of rows"


def test_scales_and_separators_are_read() -> None:
    found = list(numbers_in("$1.2 million, 35k, 1,234,567.5 and \u22123.5%, 2e3"))
    assert found == [1.2e6, 35e3, 1234567.5, -3.5, 2000.0]


def test_true_and_infinity_are_no_numbers() -> None:
    assert every('{"a": true, "b": Infinity, "c": NaN, "d": 7}') == {7.0}


def test_text_in_a_cell_gives_its_numbers_away() -> None:
    assert {600.0, 630.5} <= every(rows(["q"], ["[600.0, 630.5]"]))


@given(st.text(max_size=300))
@STEADY
def test_no_text_breaks_it(text: str) -> None:
    observed(text, 1)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
        ),
        max_leaves=20,
    )
)
@STEADY
def test_no_json_breaks_it(value: object) -> None:
    observed(json.dumps(value), 1)
