"""Fitting a result into one reply, and saying what was left out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.limits import ToolLimits
from tools.rendering import Fetched, fit, head_and_tail, render_rows
from tools.values import compact

LIMITS = ToolLimits()


def fetched(rows: list[tuple[Any, ...]], *, more: bool = False, columns: int = 1) -> Fetched:
    return Fetched(
        columns=tuple(f"c{i}" for i in range(columns)),
        types=("VARCHAR",) * columns,
        rows=tuple(rows),
        more=more,
        limit=20,
    )


def test_the_fields_that_say_what_is_missing_are_always_there() -> None:
    for result in (fetched([]), fetched([("a",)]), fetched([("a",)], more=True)):
        data = render_rows(result, LIMITS)
        assert list(data)[:4] == ["row_count", "truncated", "truncation_reason", "note"]


def test_a_whole_result_says_nothing_more() -> None:
    assert render_rows(fetched([("a",), ("b",)]), LIMITS) == {
        "row_count": 2,
        "truncated": False,
        "truncation_reason": None,
        "note": None,
        "columns": ["c0"],
        "types": ["VARCHAR"],
        "rows": [["a"], ["b"]],
    }


def test_rows_that_do_not_fit_are_left_out_from_the_end() -> None:
    data = render_rows(fetched([(f"{i}" + "x" * 800,) for i in range(20)]), LIMITS)
    kept = data["row_count"]
    assert 7 <= kept <= 9
    assert [row[0][: len(str(i))] for i, row in enumerate(data["rows"])] == [
        str(i) for i in range(kept)
    ]
    assert data["truncation_reason"] == "bytes"
    assert f"Only {kept} of 20 fetched rows" in data["note"]


def test_bytes_outrank_rows_and_rows_outrank_cells() -> None:
    wide = [("x" * 900,)] * 20
    assert render_rows(fetched(wide, more=True), LIMITS)["truncation_reason"] == "bytes"
    long = [("x" * 1500,)]
    data = render_rows(fetched(long, more=True), LIMITS)
    assert data["truncation_reason"] == "rows"
    assert "clipped" in data["note"]
    assert render_rows(fetched(long), LIMITS)["truncation_reason"] == "cells"


def test_a_single_row_too_wide_for_a_reply_keeps_its_first_columns() -> None:
    data = render_rows(fetched([("y" * 900,) * 30], columns=30), LIMITS)
    assert data["row_count"] == 1
    assert data["columns"] == [f"c{i}" for i in range(len(data["rows"][0]))]
    assert 5 <= len(data["columns"]) <= 8


def test_a_remark_comes_first_in_the_note() -> None:
    data = render_rows(fetched([("a",)], more=True), LIMITS, "limit 999 was lowered to 200.")
    assert data["note"].startswith("limit 999 was lowered to 200. There are more rows")


def test_an_offset_is_repeated() -> None:
    result = Fetched(("a",), ("INTEGER",), ((1,),), more=False, limit=20, offset=40)
    assert render_rows(result, LIMITS)["offset"] == 40


CELLS = st.one_of(
    st.text(max_size=3000),
    st.integers(),
    st.floats(),
    st.none(),
    st.binary(max_size=2000),
    st.lists(st.text(max_size=400), max_size=10),
)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 6).flatmap(
        lambda width: st.lists(st.tuples(*[CELLS] * width), max_size=12)
    ),
    chars=st.sampled_from([2500, 8000]),
    names=st.text(min_size=1, max_size=300),
    more=st.booleans(),
)
def test_whatever_is_rendered_fits(
    rows: list[tuple[Any, ...]], chars: int, names: str, more: bool
) -> None:
    width = len(rows[0]) if rows else 3
    limits = ToolLimits(reply_chars=chars, cell_chars=200)
    result = Fetched(
        columns=tuple(f"{names}{i}" for i in range(width)),
        types=("VARCHAR",) * width,
        rows=tuple(rows),
        more=more,
        limit=20,
    )
    data = render_rows(result, limits)
    assert len(compact(data)) <= chars
    assert data["row_count"] == len(data["rows"])
    assert {len(row) for row in data["rows"]} <= {len(data["columns"])}
    assert data["truncated"] == (data["truncation_reason"] is not None)
    if more or data["row_count"] < len(rows):
        assert data["truncated"]


@pytest.mark.parametrize("most", [100, 1000])
def test_a_text_cut_in_the_middle_keeps_both_ends(most: int) -> None:
    text = "first line\n" + "." * 5000 + "\nlast line"
    shown, cut = head_and_tail(text, most)
    assert cut
    assert shown.startswith("first line")
    assert len(shown) <= most
    assert f"clipped, {len(text)} characters in full" in shown
    if most == 1000:
        assert shown.endswith("last line")


def test_a_short_text_is_left_alone() -> None:
    assert head_and_tail("abc", 3) == ("abc", False)


@pytest.mark.parametrize(
    "text",
    ["x" * 9000, "\x01" * 9000, "\x01" * 3000 + "x" * 9000, "x" * 9000 + "\x01" * 3000, "ab"],
)
@pytest.mark.parametrize("room", [60, 1000, 5000])
def test_a_text_is_fitted_by_the_size_of_its_json(text: str, room: int) -> None:
    shown, cut = fit(text, room)
    assert len(compact(shown)) <= max(room, 60)
    assert cut == (len(compact(text)) > room)
