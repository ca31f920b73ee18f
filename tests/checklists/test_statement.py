"""Evidence is one SELECT that reads what the schema has, and nothing else."""

from __future__ import annotations

import pytest

from checklists.statement import faults_of

SCHEMA = {"sales": ("day", "shop", "good", "price"), "goods": ("good", "maker")}


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT avg(price) FROM sales WHERE shop = 'north'",
        "SELECT avg(price) AS value FROM sales AS s JOIN goods USING (good) WHERE maker = 'Ax';",
        "WITH m AS (SELECT shop, avg(price) AS p FROM sales GROUP BY shop) SELECT max(p) FROM m",
        "SELECT count(*) FROM sales, range(3)",
        "SELECT max(n) FROM (SELECT count(*) AS n FROM sales GROUP BY day UNION ALL SELECT 1)",
        "SELECT 'delete from sales; insert' FROM sales LIMIT 1",
        "SELECT count(*) FILTER (WHERE price > 3) / count(*) FROM sales -- not all",
    ],
)
def test_an_honest_reading_statement_has_no_fault(sql: str) -> None:
    assert faults_of(sql, SCHEMA) == []


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("SELECT 1; SELECT 2", "holds 2 statements, not one"),
        ("", "holds 0 statements, not one"),
        ("SELECT avg(price FROM sales", "cannot be read as SQL"),
        ("DELETE FROM sales", "is a DELETE, not a SELECT"),
        ("INSERT INTO sales SELECT * FROM sales", "is an INSERT, not a SELECT"),
        ("COPY sales TO 'x.csv'", "is a COPY, not a SELECT"),
        ("ATTACH 'x.duckdb'", "is an ATTACH, not a SELECT"),
        ("SELECT 1 UNION SELECT 2", "is an UNION, not a SELECT"),
        (
            "WITH gone AS (DELETE FROM sales RETURNING day) SELECT count(*) FROM gone",
            "does not only read: it holds a DELETE",
        ),
        ("SELECT count(*) INTO t FROM sales", "does not only read: it holds an INTO"),
        ("SELECT day, shop FROM sales", "does not select exactly one column"),
        ("SELECT * FROM goods", "does not select exactly one column"),
        ("SELECT content FROM read_text('/etc/hostname')", "from the function read_text()"),
        ("SELECT count(*) FROM read_csv('x.csv')", "from the function read_csv()"),
        ("SELECT count(*) FROM 'x.csv'", "reads a file, not a table: x.csv"),
        ("SELECT count(*) FROM other.sales", "names the table other.sales with a schema"),
        ("SELECT random() FROM sales", "hangs on more than the data: rand()"),
        ("SELECT count(*) FROM sales WHERE day < current_date", "current_date()"),
        ("SELECT now()", "hangs on more than the data: now()"),
        ("SELECT count(*) FROM sails", "reads a table that is not there: sails"),
        ("SELECT avg(cost) FROM sales", "reads a column that is not there: Column 'cost'"),
        (
            "SELECT avg(goods.price) FROM sales JOIN goods USING (good)",
            "a column that is not there",
        ),
        ("SELECT (SELECT max(cost) FROM sales)", "reads a column that is not there"),
    ],
)
def test_each_kind_of_bad_statement_is_told_by_its_fault(sql: str, fault: str) -> None:
    assert any(fault in found for found in faults_of(sql, SCHEMA)), faults_of(sql, SCHEMA)


def test_without_a_schema_names_are_not_looked_up() -> None:
    assert faults_of("SELECT avg(cost) FROM sails") == []


def test_table_and_column_names_are_found_in_any_case() -> None:
    assert faults_of("SELECT AVG(Price) FROM Sales WHERE SHOP = 'north'", SCHEMA) == []
