"""get_database_info and describe_table: all that there is, in one reply's size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.support import COLUMNS, Hand, make_visits


def test_the_database_lists_its_tables_without_their_columns(hand: Hand) -> None:
    seen = hand.call("get_database_info")
    assert seen.data == {
        "dialect": "duckdb",
        "table_count": 1,
        "offset": 0,
        "truncated": False,
        "truncation_reason": None,
        "note": None,
        "tables": [
            {
                "name": "visits",
                "comment": "One row per visit.",
                "column_count": 6,
            }
        ],
    }
    assert seen.accessed_fields == ()


def test_a_table_is_described_with_types_and_comments(hand: Hand) -> None:
    data = hand.call("describe_table", table_name="visits").data
    assert data is not None
    assert data["table"] == "visits"
    assert data["row_count"] == 150
    assert [column["name"] for column in data["columns"]] == list(COLUMNS)
    assert data["columns"][4] == {
        "name": "dose",
        "type": "DOUBLE",
        "nullable": True,
        "comment": "In mg.",
    }
    assert data["columns"][0]["comment"] is None


def test_views_odd_names_and_keys_are_shown(tmp_path: Path) -> None:
    file = make_visits(
        tmp_path / "v.duckdb",
        "CREATE VIEW recent AS SELECT id, dose FROM visits WHERE id > 100",
        "CREATE TABLE visit_comments (visit_id BIGINT PRIMARY KEY, body VARCHAR NOT NULL)",
        "CREATE SCHEMA lab",
        "CREATE TABLE lab.results AS SELECT 1 AS value",
    )
    with Hand(file) as hand:
        data = hand.call("get_database_info").data
        assert data is not None
        names = [table["name"] for table in data["tables"]]
        # A table whose name ends in _comments holds data like any other.
        assert sorted(names) == ["lab.results", "recent", "visit_comments", "visits"]
        kinds = {
            name: (hand.call("describe_table", table_name=name).data or {})["kind"]
            for name in names
        }
        assert kinds == {
            "visits": "table",
            "visit_comments": "table",
            "recent": "view",
            "lab.results": "table",
        }
        described = hand.call("describe_table", table_name="visit_comments").data
        assert described is not None
        assert described["keys"][0]["columns"] == ["visit_id"]
        assert described["columns"][1]["nullable"] is False
        assert not hand.call("describe_table", table_name="LAB.results").is_error


@pytest.mark.parametrize(
    "name", ["visit", "visits; DROP TABLE visits", "../x", "duckdb_settings()"]
)
def test_a_table_that_is_not_there_is_an_argument_at_fault(hand: Hand, name: str) -> None:
    seen = hand.call("describe_table", table_name=name)
    assert seen.error_kind == "arguments"
    assert "tables: visits" in seen.text


def test_a_table_of_four_hundred_columns_is_paged(tmp_path: Path) -> None:
    columns = ", ".join(f"{i} AS measurement_number_{i}" for i in range(400))
    file = make_visits(tmp_path / "v.duckdb", f"CREATE TABLE wide AS SELECT {columns}")
    with Hand(file) as hand:
        names: list[str] = []
        while True:
            seen = hand.call("describe_table", table_name="wide", offset=len(names))
            assert seen.data is not None
            assert len(seen.text) <= 8000
            assert seen.data["offset"] == len(names)
            names += [column["name"] for column in seen.data["columns"]]
            if not seen.truncated:
                break
            assert f"offset {len(names)}" in seen.data["note"]
        assert names == [f"measurement_number_{i}" for i in range(400)]


def test_an_offset_past_the_last_column_is_an_empty_page(hand: Hand) -> None:
    data = hand.call("describe_table", table_name="visits", offset=99).data
    assert data is not None
    assert data["columns"] == []
    assert data["truncated"] is False


def test_hundreds_of_tables_are_paged(tmp_path: Path) -> None:
    more = [f"CREATE TABLE a_table_with_a_long_name_{i} AS SELECT {i} AS x" for i in range(150)]
    with Hand(make_visits(tmp_path / "v.duckdb", *more)) as hand:
        names: list[str] = []
        while True:
            seen = hand.call("get_database_info", offset=len(names))
            assert seen.data is not None
            assert len(seen.text) <= 8000
            names += [table["name"] for table in seen.data["tables"]]
            if not seen.truncated:
                break
            left = 151 - len(names)
            assert seen.data["note"] == f"{left} more tables: call again with offset {len(names)}."
        assert len(set(names)) == len(names) == 151
        longer = hand.call("get_database_info", reply_chars=32_000)
        assert not longer.truncated
        assert 8000 < len(longer.text) <= 32_000


def test_a_long_comment_is_clipped(tmp_path: Path) -> None:
    comment = f"COMMENT ON TABLE visits IS '{'c' * 3000}'"
    with Hand(make_visits(tmp_path / "v.duckdb", comment)) as hand:
        data = hand.call("get_database_info").data
        assert data is not None
        assert data["tables"][0]["comment"].endswith("3000 characters in full]")
