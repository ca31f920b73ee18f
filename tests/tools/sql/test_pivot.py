"""What a dynamic PIVOT mentions, as another parser than the engine's sees it."""

from __future__ import annotations

import pytest

from tools.sql.pivot import pivot_names


@pytest.mark.parametrize(
    "sql",
    [
        "PIVOT visits ON patient USING sum(dose)",
        "SELECT * FROM (PIVOT visits ON patient USING sum(dose))",
        "WITH p AS (PIVOT visits ON patient USING sum(dose)) SELECT * FROM p",
    ],
)
def test_a_reading_pivot_shows_its_functions_and_tables(sql: str) -> None:
    found = pivot_names(sql)
    assert found is not None
    functions, tables, in_from = found
    assert "SUM" in functions
    assert in_from == ()
    assert "visits" in tables


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TEMP TABLE x AS PIVOT visits ON patient USING sum(dose)",
        "INSERT INTO visits PIVOT visits ON patient USING sum(dose)",
        "WITH x AS (SELECT 1) INSERT INTO visits PIVOT visits ON patient",
        "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM (PIVOT visits ON patient)",
        "SELECT 1",
        "PIVOT visits ON patient; PIVOT visits ON patient",
        "PIVOT ((",
    ],
)
def test_anything_else_around_a_pivot_is_not_one(sql: str) -> None:
    assert pivot_names(sql) is None


def test_functions_inside_a_pivot_are_seen() -> None:
    found = pivot_names("PIVOT (SELECT getenv('x') a, id FROM read_text('y')) ON a")
    assert found is not None
    assert {"getenv", "read_text"} <= set(found[0])


def test_a_function_in_from_and_a_setting_inside_a_pivot_are_told_apart() -> None:
    found = pivot_names("PIVOT (SELECT histogram(id) a FROM histogram(t, x)) ON a")
    assert found is not None
    assert found[2] == ("histogram",)
    assert pivot_names("PIVOT (SHOW threads) ON threads") is None
