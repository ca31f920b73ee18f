"""Whole results on their way into a Python kernel."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.errors import ToolError
from core.protocols import QueryColumns
from databases.connection import open_readonly
from tests.tools.support import ALL_FIELDS
from tools.deadline import Deadline
from tools.limits import ToolLimits
from tools.sql.frames import query_columns
from tools.sql.session import SqlSession


@pytest.fixture(scope="module")
def session(visits: Path) -> Iterator[SqlSession]:
    session = SqlSession(open_readonly(visits), ToolLimits())
    yield session
    session.close()


def ask(session: SqlSession, sql: str, **limits: Any) -> tuple[QueryColumns, pd.DataFrame]:
    columns = query_columns(session, sql, ToolLimits(**limits), Deadline(30))
    return columns, pd.DataFrame(pickle.loads(columns.payload))


def test_a_result_becomes_a_frame_with_its_types(session: SqlSession) -> None:
    columns, frame = ask(session, "SELECT * FROM visits ORDER BY id")
    assert columns.row_count == len(frame) == 150
    assert not columns.truncated
    assert columns.accessed_fields == ALL_FIELDS
    assert frame["id"].tolist() == list(range(1, 151))
    assert str(frame["dose"].dtype) == "float64"
    assert frame["created_at"].iloc[0] == pd.Timestamp("2024-01-01 01:00:00")
    assert frame["note"].tolist()[:3] == ["delete; update", "a note", "dropped out"]


def test_the_same_values_as_the_engines_own_frame(session: SqlSession, visits: Path) -> None:
    sql = """
        SELECT range AS i, IF(range % 7 = 0, NULL, range) AS n, range / 3 AS f,
               IF(range % 5 = 0, NULL, 'word ' || range % 11) AS s, DATE '2024-01-01' AS d,
               range % 2 = 0 AS b, 'x' || range AS u
        FROM range(70000)
    """
    _, frame = ask(session, sql)
    connection = open_readonly(visits)
    whole = connection.execute(sql).df()
    connection.close()
    assert list(frame.columns) == list(whole.columns)
    frame["s"] = frame["s"].astype(whole["s"].dtype)  # packed as a Categorical
    pd.testing.assert_frame_equal(frame, whole)


def test_nested_values_arrive(session: SqlSession) -> None:
    _, frame = ask(session, "SELECT [id, 7] AS l, {'a': note} AS s FROM visits WHERE id = 1")
    assert list(frame["l"][0]) == [1, 7]
    assert frame["s"][0] == {"a": "delete; update"}


def test_text_that_repeats_is_packed_small(session: SqlSession) -> None:
    repeated, _ = ask(session, "SELECT 'the same long word' AS s FROM range(20000)")
    distinct, _ = ask(session, "SELECT 'a different word ' || range AS s FROM range(20000)")
    assert len(repeated.payload) * 5 < len(distinct.payload)


def test_an_empty_result_keeps_its_columns(session: SqlSession) -> None:
    columns, frame = ask(session, "SELECT id, note FROM visits WHERE id < 0")
    assert columns.row_count == 0
    assert list(frame.columns) == ["id", "note"]


def test_duplicate_names_are_told_apart(session: SqlSession) -> None:
    _, frame = ask(session, "SELECT 1 AS a, 2 AS a")
    assert frame.iloc[0].tolist() == [1, 2]


def test_rows_beyond_the_cap_are_left_out_and_said(session: SqlSession) -> None:
    columns, frame = ask(session, "SELECT * FROM range(5000)", frame_rows=3000)
    assert columns.truncated
    assert len(frame) == columns.row_count == 3000
    whole, _ = ask(session, "SELECT * FROM range(3000)", frame_rows=3000)
    assert not whole.truncated


def test_bytes_beyond_the_cap_are_left_out_and_said(session: SqlSession) -> None:
    columns, frame = ask(
        session, "SELECT repeat('x', 1000) || range AS s FROM range(3000000)", frame_bytes=1 << 20
    )
    assert columns.truncated
    assert 0 < len(frame) < 1200
    assert len(columns.payload) < 2 << 20


def test_the_gate_is_the_same(session: SqlSession) -> None:
    with pytest.raises(ToolError) as caught:
        ask(session, "SELECT * FROM read_text('/etc/passwd')")
    assert caught.value.kind == "refused"
    assert caught.value.violations == ("sql: read_text",)


def test_time_is_bounded_the_same_way(session: SqlSession) -> None:
    endless = (
        "SELECT a.range FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7"
    )
    with pytest.raises(ToolError) as caught:
        query_columns(session, endless, ToolLimits(), Deadline(0.2))
    assert caught.value.kind == "timeout"
