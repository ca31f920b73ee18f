"""Whole results on their way into a Python kernel."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from databases.connection import open_readonly
from tools.limits import ToolLimits
from tools.sql.engine import EngineLimits
from tools.sql.engines.duckdb_engine import DuckDbEngine
from tools.sql.frames import pack_frame, read_frame


@pytest.fixture(scope="module")
def engine(visits: Path) -> Iterator[DuckDbEngine]:
    engine = DuckDbEngine(str(visits), EngineLimits())
    yield engine
    engine.close()


def ask(engine: DuckDbEngine, sql: str, **limits: Any) -> tuple[pd.DataFrame, bool, bytes]:
    """The frame as the kernel unpacks it, whether it was cut, and what was sent."""
    with closing(engine.cursor()) as cursor:
        cursor.execute(sql)
        frame, cut = read_frame(cursor, ToolLimits(**limits))
    payload = pack_frame(frame)
    return pd.DataFrame(pickle.loads(payload)), cut, payload


def test_a_result_becomes_a_frame_with_its_types(engine: DuckDbEngine) -> None:
    frame, cut, _ = ask(engine, "SELECT * FROM visits ORDER BY id")
    assert len(frame) == 150
    assert not cut
    assert frame["id"].tolist() == list(range(1, 151))
    assert str(frame["dose"].dtype) == "float64"
    assert frame["created_at"].iloc[0] == pd.Timestamp("2024-01-01 01:00:00")
    assert frame["note"].tolist()[:3] == ["delete; update", "a note", "dropped out"]


def test_the_same_values_as_the_engines_own_frame(engine: DuckDbEngine, visits: Path) -> None:
    sql = """
        SELECT range AS i, IF(range % 7 = 0, NULL, range) AS n, range / 3 AS f,
               IF(range % 5 = 0, NULL, 'word ' || range % 11) AS s, DATE '2024-01-01' AS d,
               range % 2 = 0 AS b, 'x' || range AS u
        FROM range(70000)
    """
    frame, _, _ = ask(engine, sql)
    connection = open_readonly(visits)
    whole = connection.execute(sql).df()
    connection.close()
    assert list(frame.columns) == list(whole.columns)
    frame["s"] = frame["s"].astype(whole["s"].dtype)  # packed as a Categorical
    pd.testing.assert_frame_equal(frame, whole)


def test_nested_values_arrive(engine: DuckDbEngine) -> None:
    frame, _, _ = ask(engine, "SELECT [id, 7] AS l, {'a': note} AS s FROM visits WHERE id = 1")
    assert list(frame["l"][0]) == [1, 7]
    assert frame["s"][0] == {"a": "delete; update"}


def test_text_that_repeats_is_packed_small(engine: DuckDbEngine) -> None:
    *_, repeated = ask(engine, "SELECT 'the same long word' AS s FROM range(20000)")
    *_, distinct = ask(engine, "SELECT 'a different word ' || range AS s FROM range(20000)")
    assert len(repeated) * 5 < len(distinct)


def test_an_empty_result_keeps_its_columns(engine: DuckDbEngine) -> None:
    frame, _, _ = ask(engine, "SELECT id, note FROM visits WHERE id < 0")
    assert frame.empty
    assert list(frame.columns) == ["id", "note"]


def test_duplicate_names_are_told_apart(engine: DuckDbEngine) -> None:
    frame, _, _ = ask(engine, "SELECT 1 AS a, 2 AS a")
    assert frame.iloc[0].tolist() == [1, 2]


def test_rows_beyond_the_cap_are_left_out_and_said(engine: DuckDbEngine) -> None:
    frame, cut, _ = ask(engine, "SELECT * FROM range(5000)", frame_rows=3000)
    assert cut
    assert len(frame) == 3000
    _, cut, _ = ask(engine, "SELECT * FROM range(3000)", frame_rows=3000)
    assert not cut


def test_bytes_beyond_the_cap_are_left_out_and_said(engine: DuckDbEngine) -> None:
    frame, cut, payload = ask(
        engine, "SELECT repeat('x', 1000) || range AS s FROM range(3000000)", frame_bytes=1 << 20
    )
    assert cut
    assert 0 < len(frame) < 1200
    assert len(payload) < 2 << 20


def test_two_columns_of_one_name_are_both_kept_where_an_engine_gives_them() -> None:
    frame = pd.DataFrame([[1, "x", 2.0]], columns=["a", "a", "a_1"])
    kept = pickle.loads(pack_frame(frame))
    assert list(kept) == ["a", "a_1", "a_1_1"]
    assert [list(values) for values in kept.values()] == [[1], ["x"], [2.0]]


def test_thousands_of_columns_of_one_name_are_numbered_in_little_time() -> None:
    count = 20_000
    frame = pd.DataFrame([[0] * count], columns=["a", "a_3", *["a"] * (count - 2)])
    began = time.monotonic()
    kept = list(pickle.loads(pack_frame(frame)))
    assert time.monotonic() - began < 10
    assert kept[:6] == ["a", "a_3", "a_1", "a_2", "a_4", "a_5"]
    assert len(kept) == count
