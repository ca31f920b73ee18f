"""Evidence gives one row with one value, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.evidence import Value, value_of
from core.errors import ChecklistError
from tests.checklists.small import small


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("SELECT 7", 7.0),
        ("SELECT 12.25::DECIMAL(8, 2)", 12.25),
        ("SELECT true", 1.0),
        ("SELECT 'Ax'", "Ax"),
        ("SELECT repeat('x', 10_000)", "x" * 10_000),
        ("SELECT DATE '2020-03-01'", "2020-03-01"),
        ("SELECT TIMESTAMP '2020-03-01 12:30:00'", "2020-03-01T12:30:00"),
        ("SELECT NULL", None),
        ("SELECT avg(price) FROM sales WHERE shop = 'nowhere'", None),
        ("FROM shops SELECT count(*)", 3.0),
    ],
)
def test_a_value_comes_back_as_a_number_or_a_text(sql: str, value: Value) -> None:
    assert value_of(small(), sql) == value


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT shop FROM shops", "gives more than one row, not one"),
        ("SELECT shop FROM shops WHERE false", "gives no row, not one"),
        ("SELECT 1, 2", "gives 2 columns, not one"),
        ("SELECT repeat('x', 10_001)", "gives a text of 10,001 characters; 10,000 are the most"),
        ("SELECT [1, 2]", "gives a list, not a number or a text"),
        ("SELECT avg(cost) FROM sales", "the evidence fails: .*cost"),
        ("SELECT", "the evidence fails: "),
        ("SELECT 1; SELECT 2", "is not one SELECT"),
        ("DELETE FROM sales", "is not one SELECT"),
        ("PRAGMA table_info('sales')", "is not one SELECT"),
        ("COPY sales TO 'gone.csv'", "is not one SELECT"),
        ("CREATE TABLE gone AS SELECT 1", "is not one SELECT"),
        ("EXPLAIN ANALYZE DELETE FROM sales", "is not one SELECT"),
    ],
)
def test_what_is_not_one_value_is_refused_with_the_reason(sql: str, told: str) -> None:
    with pytest.raises(ChecklistError, match=told):
        value_of(small(), sql)


def test_a_refused_statement_has_not_been_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    connection = small()
    for sql in ("DELETE FROM sales", "COPY sales TO 'x.csv'", "SELECT 1; DELETE FROM sales"):
        with pytest.raises(ChecklistError):
            value_of(connection, sql)
    assert value_of(connection, "SELECT count(*) FROM sales") == 600
    assert list(tmp_path.iterdir()) == []
