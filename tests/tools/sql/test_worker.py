"""Running SQL: rows and bytes are bounded and say so, time is bounded, errors help (F8 to F11)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.support import ALL_FIELDS, Hand, make_visits
from tools.limits import ToolLimits

ENDLESS = "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range * b.range = 7"
"""As field case F11, without its memory: days of work, and open to interruption."""


@pytest.fixture(scope="module")
def quick(visits: Path) -> Iterator[Hand]:
    """A hand with little patience."""
    with Hand(visits, limits=ToolLimits(sql_seconds=1.5)) as hand:
        yield hand


@pytest.mark.parametrize(
    "query", ["SELECT id FROM visits -- all rows", "SELECT id FROM visits; -- x"]
)
def test_the_row_cap_is_not_an_edit_of_the_text(hand: Hand, query: str) -> None:
    seen = hand.sql(query)
    assert seen.data is not None
    assert seen.data["row_count"] == len(seen.data["rows"]) == 20
    assert seen.data["truncated"] is True
    assert seen.data["truncation_reason"] == "rows"
    assert seen.truncated


def test_a_count_over_a_limited_subquery_is_exact(hand: Hand) -> None:
    assert hand.rows("SELECT count(*) FROM (SELECT * FROM visits LIMIT 120)") == [[120]]


def test_a_truncated_reply_hints_at_aggregates_in_its_text(hand: Hand) -> None:
    seen = hand.sql("SELECT id FROM visits")
    assert "not the whole answer" in seen.text
    assert "Aggregate" in seen.text


def test_exactly_as_many_rows_as_the_cap_are_not_truncated(hand: Hand) -> None:
    seen = hand.sql("SELECT id FROM visits LIMIT 20")
    assert seen.data is not None
    assert seen.data["row_count"] == 20
    assert seen.data["truncated"] is False
    assert seen.data["truncation_reason"] is None
    assert seen.data["note"] is None


def test_an_empty_result_is_a_result(hand: Hand) -> None:
    seen = hand.sql("SELECT id, note FROM visits WHERE id < 0")
    assert seen.data is not None
    assert seen.data["rows"] == []
    assert seen.data["columns"] == ["id", "note"]
    assert seen.data["row_count"] == 0
    assert not seen.truncated


def test_up_to_two_hundred_rows_come_on_request(hand: Hand) -> None:
    seen = hand.sql("SELECT id FROM visits", limit=200)
    assert seen.data is not None
    assert seen.data["row_count"] == 150
    assert not seen.truncated


def test_a_larger_limit_is_lowered_and_said(hand: Hand) -> None:
    seen = hand.sql("SELECT * FROM range(1000)", limit=5000)
    assert seen.data is not None
    assert seen.data["row_count"] == 200
    assert "limit 5000 was lowered to 200" in seen.data["note"]


def test_an_offset_pages_through_an_ordered_result(hand: Hand) -> None:
    pages = [
        hand.rows("SELECT id FROM visits ORDER BY id", limit=60, offset=at) for at in (0, 60, 120)
    ]
    assert [row[0] for page in pages for row in page] == list(range(1, 151))
    seen = hand.sql("SELECT id FROM visits ORDER BY id", offset=140)
    assert seen.data is not None
    assert seen.data["offset"] == 140
    assert seen.data["row_count"] == 10
    assert not seen.truncated


def test_an_offset_past_the_end_is_an_empty_page(hand: Hand) -> None:
    assert hand.rows("SELECT id FROM visits", offset=99_999) == []


def test_rows_stop_at_the_byte_cap_and_say_bytes(hand: Hand) -> None:
    seen = hand.sql("SELECT repeat('x', 900) FROM range(3000000)", limit=200)
    assert seen.data is not None
    assert 1 <= seen.data["row_count"] < 9
    assert seen.data["row_count"] == len(seen.data["rows"])
    assert seen.data["truncation_reason"] == "bytes"
    assert len(seen.text) <= 8000


def test_a_cell_of_five_megabytes_is_clipped_and_says_its_length(hand: Hand) -> None:
    seen = hand.sql("SELECT repeat('y', 5000000) AS big, 1 AS small")
    assert seen.data is not None
    big, small = seen.data["rows"][0]
    assert big.startswith("y" * 1000)
    assert big.endswith("[clipped, 5000000 characters in full]")
    assert len(big) < 1100
    assert small == 1
    assert seen.data["truncation_reason"] == "cells"
    assert "substr()" in seen.data["note"]


def test_a_row_of_four_hundred_columns_is_cut_by_columns_and_says_so(hand: Hand) -> None:
    wide = ", ".join(f"{i} AS a_rather_long_column_name_{i}" for i in range(400))
    seen = hand.sql(f"SELECT {wide}")
    assert seen.data is not None
    assert len(seen.text) <= 8000
    shown = len(seen.data["columns"])
    assert 50 < shown < 400
    assert seen.data["rows"] == [list(range(shown))]
    assert len(seen.data["types"]) == shown
    assert seen.data["truncation_reason"] == "bytes"
    assert f"{shown} of 400 columns" in seen.data["note"]


def test_duplicate_column_names_keep_both_values(hand: Hand) -> None:
    seen = hand.sql("SELECT 1 AS a, 2 AS a, id FROM visits WHERE id = 3")
    assert seen.data is not None
    assert seen.data["columns"] == ["a", "a", "id"]
    assert seen.data["rows"] == [[1, 2, 3]]


def test_a_query_without_end_is_stopped_and_the_session_goes_on(quick: Hand) -> None:
    seen = quick.sql(ENDLESS)
    assert seen.error_kind == "timeout"
    assert "1.5 s" in seen.text
    assert seen.duration_s < 5
    assert quick.rows("SELECT 1") == [[1]]


def test_a_pivot_without_end_is_stopped_too(quick: Hand) -> None:
    seen = quick.sql(f"PIVOT ({ENDLESS.replace('count(*)', 'a.range AS x')}) ON x")
    assert seen.error_kind == "timeout"


def test_an_unknown_column_names_the_columns_that_exist(hand: Hand) -> None:
    seen = hand.sql("SELECT dosis FROM visits")
    assert seen.error_kind == "sql"
    assert "columns of visits: dose" in seen.text
    assert "created_at" in seen.text


def test_an_unknown_table_names_the_tables_that_exist(tmp_path: Path) -> None:
    file = make_visits(tmp_path / "v.duckdb", "CREATE TABLE patients AS SELECT 1 AS patient_id")
    with Hand(file) as hand:
        seen = hand.sql("SELECT * FROM visit")
        assert seen.error_kind == "sql"
        assert "tables: visits, patients (nearest first)" in seen.text
        assert "pg_class" not in seen.text, "the engine's own guesses are its catalogue"
        seen = hand.sql("SELECT patient_id FROM visits")
        assert "elsewhere: patients.patient_id" in seen.text


def test_a_syntax_error_points_at_its_place(hand: Hand) -> None:
    seen = hand.sql("SELEC 1")
    assert seen.error_kind == "sql"
    assert "SELEC" in seen.text
    assert seen.is_error


def test_a_fault_in_the_data_is_an_error_of_the_query(hand: Hand) -> None:
    seen = hand.sql("SELECT note::INTEGER FROM visits")
    assert seen.error_kind == "sql"
    assert "Conversion" in seen.text


def test_a_long_error_is_cut(hand: Hand) -> None:
    seen = hand.sql("SELECT " + " + ".join(f"'{'z' * 50}'" for _ in range(300)) + " + nope")
    assert seen.is_error
    assert len(seen.text) <= 8000


def test_a_query_says_which_fields_it_read(hand: Hand) -> None:
    assert hand.sql("SELECT * FROM visits").accessed_fields == ALL_FIELDS
    assert hand.sql("SELECT avg(dose) FROM visits WHERE patient = 3").accessed_fields == (
        "visits.dose",
        "visits.patient",
    )


def test_a_query_that_failed_read_nothing(hand: Hand) -> None:
    assert hand.sql("SELECT dose, nope FROM visits").accessed_fields == ()


def test_a_plan_reads_nothing_and_a_measured_plan_reads(hand: Hand) -> None:
    assert hand.sql("EXPLAIN SELECT dose FROM visits").accessed_fields == ()
    assert hand.sql("EXPLAIN ANALYZE SELECT dose FROM visits").accessed_fields == ("visits.dose",)


def test_a_statement_that_cannot_be_followed_runs_and_is_marked(hand: Hand) -> None:
    seen = hand.sql(f"SELECT max(dose) FROM visits -- {'long ' * 5_000}")
    assert not seen.is_error
    assert seen.accessed_fields == ("?",)
