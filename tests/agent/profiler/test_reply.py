"""Whatever a tool sends, the profiler reads it or says why not; it never raises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.profiler import quoting
from agent.profiler.reply import number, read, text, whole
from core.protocols import Observation

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


def test_rows_are_read_by_the_names_of_their_columns() -> None:
    data = {"columns": ["a", "b"], "rows": [[1, "x"], [2, "y"]], "truncated": False}
    reply = read(Observation(text="", data=data))
    assert reply.rows == ({"a": 1, "b": "x"}, {"a": 2, "b": "y"})
    assert reply.one == {"a": 1, "b": "x"}
    assert reply.error is None
    assert not reply.truncated


def test_without_structured_data_the_text_is_read() -> None:
    reply = read(Observation(text='{"columns":["a"],"rows":[[1]],"truncated":true}'))
    assert reply.rows == ({"a": 1},)
    assert reply.truncated


def test_an_error_has_its_text_and_no_rows() -> None:
    data = {"columns": ["a"], "rows": [[1]]}
    reply = read(Observation(text="no such column", data=data, is_error=True, error_kind="sql"))
    assert reply.error == "no such column"
    assert reply.rows == ()
    assert reply.one == {}


def test_an_error_without_a_text_is_named_by_its_kind() -> None:
    assert read(Observation(text="", is_error=True, error_kind="timeout")).error == "timeout"
    assert read(Observation(text="", is_error=True)).error == "the tool failed"


@pytest.mark.parametrize("sent", ["", "three", "[1, 2]", "12", "null"])
def test_what_is_no_object_is_an_error(sent: str) -> None:
    assert read(Observation(text=sent)).error is not None


@given(st.dictionaries(st.sampled_from(["columns", "rows", "truncated", "tables"]), JSON))
def test_an_object_of_any_shape_is_read(data: dict[str, object]) -> None:
    reply = read(Observation(text="", data=data))
    assert reply.error is None
    assert all(isinstance(row, dict) for row in reply.rows)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (1, 1.0),
        ("2.5", 2.5),
        (True, 1.0),
        (None, None),
        ("NaN", None),
        ("Infinity", None),
        (float("nan"), None),
        (float("-inf"), None),
        ("x", None),
        ([1], None),
        (10**400, None),
    ],
)
def test_a_number_is_finite_or_none(value: object, found: float | None) -> None:
    assert number(value) == found


def test_a_count_that_is_not_there_is_zero() -> None:
    assert whole(None) == 0
    assert whole("12") == 12
    assert whole(3.0) == 3


def test_a_value_becomes_one_short_line() -> None:
    assert text(None) is None
    assert text("a\n  b\tc") == "a b c"
    assert text(3) == "3"
    assert text("x" * 61) == "x" * 57 + "..."
    assert text("x" * 60) == "x" * 60


@pytest.mark.parametrize(
    ("raw", "sql"),
    [("plain", '"plain"'), ('a"b', '"a""b"'), ("select", '"select"'), ("", '""')],
)
def test_a_name_is_quoted(raw: str, sql: str) -> None:
    assert quoting.name(raw) == sql


@pytest.mark.parametrize(
    ("raw", "sql"), [("plain", "'plain'"), ("it's", "'it''s'"), ("'; DROP", "'''; DROP'")]
)
def test_a_text_is_quoted(raw: str, sql: str) -> None:
    assert quoting.literal(raw) == sql


@pytest.mark.parametrize(
    ("value", "sql"), [(15.0, "15"), (-3.0, "-3"), (0.1, "0.1"), (1e20, "1e+20")]
)
def test_a_number_is_written_for_sql(value: float, sql: str) -> None:
    assert quoting.decimal(value) == sql
