"""Rows are read no further than they fit, and the reply says what is missing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.limits import ToolLimits
from tools.sql.rows import BLOCK, NOTE_ROOM, Fetched, read_rows, render_rows
from tools.values import as_json, clip, compact

if TYPE_CHECKING:
    import pandas as pd

LIMITS = ToolLimits()


class Rows:
    """A cursor over rows that are at hand, which counts what is asked of it."""

    def __init__(self, rows: Iterable[tuple[Any, ...]], columns: int = 1, name: str = "c") -> None:
        self._rows = iter(rows)
        self.columns = tuple(f"{name}{i}" for i in range(columns))
        self.types = ("VARCHAR",) * columns
        self.fetched = 0

    def execute(self, sql: str) -> None:
        raise AssertionError(sql)

    def fetch(self, count: int) -> Sequence[tuple[Any, ...]]:
        taken = list(itertools.islice(self._rows, count))
        self.fetched += len(taken)
        return taken

    def fetch_frame(self, count: int) -> pd.DataFrame:
        raise AssertionError(count)

    def interrupt(self) -> None:
        return

    def close(self) -> None:
        return


def read(cursor: Rows, *, limit: int = 20, offset: int = 0, limits: ToolLimits = LIMITS) -> Fetched:
    return read_rows(
        cursor,
        limit=limit,
        offset=offset,
        cell_chars=limits.cell_chars,
        most_chars=limits.reply_chars,
    )


def fetched(rows: list[tuple[Any, ...]], *, more: bool = False, columns: int = 1) -> Fetched:
    return replace(read(Rows(rows, columns)), more=more)


def test_one_row_more_than_shown_is_read_to_know_of_it() -> None:
    cursor = Rows((i,) for i in range(1000))
    found = read(cursor, limit=7)
    assert found.rows == tuple([i] for i in range(7))
    assert found.more
    assert cursor.fetched == 8


def test_exactly_so_many_rows_are_not_called_more() -> None:
    assert not read(Rows([(1,), (2,)]), limit=2).more


def test_an_offset_is_skipped_in_blocks_and_past_the_end_nothing_is_left() -> None:
    found = read(Rows((i,) for i in range(5000)), offset=4990)
    assert found.rows == tuple([i] for i in range(4990, 5000))
    assert not found.more
    assert read(Rows((i,) for i in range(10)), offset=99).rows == ()


def test_what_does_not_fit_is_not_even_read() -> None:
    cursor = Rows((("x" * 1_000_000,) for _ in range(200)), columns=1)
    found = read(cursor, limit=200, limits=LIMITS)
    assert found.more
    assert found.clipped
    assert cursor.fetched <= 1 + BLOCK


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
    assert f"Only these {kept} rows fit into 8000 characters" in data["note"]
    assert "reply_chars, at most 32000" in data["note"]
    assert f"go on at offset {kept}" in data["note"]


def test_a_longer_reply_on_request_holds_more_and_stops_offering() -> None:
    rows = [(f"{i}" + "x" * 800,) for i in range(100)]
    found = read(Rows(rows), limit=100, limits=ToolLimits(reply_chars=32_000))
    data = render_rows(found, LIMITS, reply_chars=32_000)
    assert 30 < data["row_count"] < 40
    assert len(compact(data)) <= 32_000
    assert "reply_chars" not in data["note"]


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
    result = Fetched(("a",), ("INTEGER",), ([1],), more=False, offset=40)
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
    found = read(Rows(rows, width, names), limits=limits)
    data = render_rows(replace(found, more=found.more or more), limits)
    assert len(compact(data)) <= chars
    assert data["row_count"] == len(data["rows"])
    assert {len(row) for row in data["rows"]} <= {len(data["columns"])}
    assert data["truncated"] == (data["truncation_reason"] is not None)
    if more or data["row_count"] < len(rows):
        assert data["truncated"]


@settings(max_examples=200, deadline=None)
@given(
    rows=st.integers(1, 6).flatmap(
        lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=12)
    ),
    room=st.integers(1000, 4000),
)
def test_a_reply_holds_as_much_as_the_sum_of_its_parts_allows(
    rows: list[tuple[Any, ...]], room: int
) -> None:
    limits = ToolLimits(cell_chars=200, reply_chars=room + NOTE_ROOM)
    found = read(Rows(rows, len(rows[0])), limits=limits)
    data = render_rows(found, limits)
    columns = zip(found.columns, found.types, found.rows[0], strict=True)
    if sum(len(compact(list(column))) + 2 for column in columns) <= room:
        assert len(data["columns"]) == len(rows[0])
        left = room - len(compact([data["columns"], data["types"]]))
        fitting = list(itertools.accumulate(len(compact(row)) + 1 for row in found.rows))
        assert data["row_count"] == max(1, sum(used <= left for used in fitting))
    else:
        assert len(data["columns"]) < len(rows[0]) or len(rows[0]) == 1


@given(row=st.lists(CELLS, max_size=8).map(tuple))
def test_every_value_of_a_row_is_shown_as_it_is_by_itself(row: tuple[Any, ...]) -> None:
    shown = [clip(as_json(value), LIMITS.cell_chars) for value in row]
    found = read(Rows([row], len(row)))
    assert found.rows == ([value for value, _ in shown],)
    assert found.clipped == any(cut for _, cut in shown)
    assert [type(value) for value in found.rows[0]] == [type(value) for value, _ in shown]


@given(data=st.data(), columns=st.integers(1, 6), count=st.integers(0, 12))
@settings(deadline=None)
def test_what_is_seen_to_fit_at_one_look_is_what_fits_column_by_column_and_row_by_row(
    data: st.DataObject, columns: int, count: int
) -> None:
    row = st.tuples(*[st.none() | st.integers() | st.text(max_size=30)] * columns)
    names = data.draw(st.lists(st.text(max_size=30), min_size=columns, max_size=columns))
    rows = data.draw(st.lists(row, min_size=count, max_size=count))
    result = replace(fetched(rows, columns=columns), columns=tuple(names))
    size = len(compact([result.columns, result.types, result.rows]))
    most = NOTE_ROOM + size + data.draw(st.integers(-20, 60))
    quick = render_rows(result, LIMITS, reply_chars=most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tools.sql.rows.MOST_BESIDE", 1 << 20)
        assert render_rows(result, LIMITS, reply_chars=most) == quick
