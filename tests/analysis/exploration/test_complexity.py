"""What stands in a query, counted by hand."""

from __future__ import annotations

import json

import pytest

from analysis.exploration.complexity import LONGEST, complexity, statements
from core.trajectory import ToolCall


@pytest.mark.parametrize(
    ("sql", "joins", "subqueries", "ctes", "aggregates", "windows"),
    [
        ("SELECT a FROM t", 0, 0, 0, 0, 0),
        ("SELECT count(*), avg(a) FROM t JOIN u USING (k) LEFT JOIN v ON v.k = u.k", 2, 0, 0, 2, 0),
        ("SELECT * FROM t, u WHERE t.k = u.k", 1, 0, 0, 0, 0),
        (
            "WITH x AS (SELECT max(a) AS m FROM t), y AS (SELECT 1) SELECT * FROM x, y",
            1,
            0,
            2,
            1,
            0,
        ),
        (
            "SELECT a FROM t WHERE k IN (SELECT k FROM u) AND EXISTS (SELECT 1 FROM v)",
            0,
            2,
            0,
            0,
            0,
        ),
        ("SELECT s FROM (SELECT sum(a) AS s FROM t) q", 0, 1, 0, 1, 0),
        ("SELECT a FROM t UNION ALL SELECT b FROM u", 0, 0, 0, 0, 0),
        ("SELECT * FROM (SELECT a FROM t UNION SELECT b FROM u) q", 0, 1, 0, 0, 0),
        (
            "SELECT row_number() OVER (ORDER BY a), sum(a) OVER (PARTITION BY b) FROM t",
            0,
            0,
            0,
            0,
            2,
        ),
        ("SELECT sum(count(*)) OVER () FROM t GROUP BY b", 0, 0, 0, 1, 1),
        ("SELECT avg(a) FILTER (WHERE b > 1), median(a) FROM t", 0, 0, 0, 2, 0),
    ],
)
def test_the_parts_of_a_query_are_counted(
    sql: str, joins: int, subqueries: int, ctes: int, aggregates: int, windows: int
) -> None:
    found = complexity(sql, "duckdb")
    assert found is not None
    told = (found.joins, found.subqueries, found.ctes, found.aggregates, found.windows)
    assert told == (joins, subqueries, ctes, aggregates, windows)


def test_the_whole_tree_is_its_size() -> None:
    """Select, Column, Identifier, From, Table, Identifier; a WHERE a > 1 adds Where, GT, Column,
    Identifier, Literal."""
    plain = complexity("SELECT a FROM t", "duckdb")
    longer = complexity("SELECT a FROM t WHERE a > 1", "duckdb")
    assert plain is not None and longer is not None
    assert (plain.nodes, longer.nodes) == (6, 11)


@pytest.mark.parametrize(
    "sql", ["SELEC a FRM", "SELECT (", "", "SELECT " + "(" * 4000, "SELECT 1 --" + "x" * LONGEST]
)
def test_what_cannot_be_parsed_has_none(sql: str) -> None:
    assert complexity(sql, "duckdb") is None


@pytest.mark.parametrize(
    "sql", ["SHOW TABLES", "DESCRIBE t", "SUMMARIZE t", "FROM t", "PIVOT t ON a"]
)
def test_what_the_engine_knows_beside_select_is_parsed(sql: str) -> None:
    assert complexity(sql, "duckdb") is not None


def _call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(call_id="c", name=name, arguments=json.dumps(arguments))


def test_a_query_is_its_own_text_and_a_broken_one_is_marked() -> None:
    (found,) = statements(_call("execute_query", query="SELECT a FROM t"), "duckdb")
    assert found.complexity is not None
    (broken,) = statements(_call("execute_query", query="SELEC a"), "duckdb")
    assert broken.complexity is None


def test_python_shows_the_texts_that_stand_in_it() -> None:
    code = (
        "a = query('SELECT a FROM t')\n"
        'b = ddr.query("SELECT b FROM u").mean()\n'
        "for k in ks:\n    query(f'SELECT {k} FROM t')\n"
        "query(text); other('SELECT 1')\n"
    )
    found = statements(_call("execute_code", code=code), "duckdb")
    assert [each.sql for each in found] == ["SELECT a FROM t", "SELECT b FROM u"]


@pytest.mark.parametrize(
    "call",
    [
        ToolCall(call_id="c", name="execute_query", arguments="{broken"),
        ToolCall(call_id="c", name="execute_query", arguments='["SELECT 1"]'),
        _call("execute_query", query=3),
        _call("execute_query", query="  "),
        _call("execute_code", code="def ("),
        _call("execute_code", code="x = '\x00'"),
        _call("describe_table", query="SELECT 1", code="query('SELECT 1')"),
    ],
)
def test_what_holds_no_query_has_no_statement(call: ToolCall) -> None:
    assert statements(call, "duckdb") == []
