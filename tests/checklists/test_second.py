"""SQLite comes to what DuckDB came to, or it is said why the two are not compared."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from checklists.evidence import value_of
from checklists.proof import Outcome
from checklists.second import engine
from checklists.second.engine import compared
from core.checklist import ChecklistItem
from tests.checklists.small import item, small

SAME = [
    "SELECT avg(price) FROM sales WHERE shop = 'north'",
    "SELECT count(*) FROM sales WHERE late",
    "SELECT 100 * avg((late)::INT) FROM sales WHERE shop = 'west'",
    "SELECT count(DISTINCT good) FROM sales",
    "SELECT median(price) FROM sales WHERE shop = 'south'",
    "SELECT quantile_cont(price, 0.9) FROM sales",
    "SELECT quantile_disc(price, 0.25) FROM sales",
    "SELECT stddev_samp(price) FROM sales",
    "SELECT stddev(price) + stddev_pop(price) + variance(price) + var_pop(price) FROM sales",
    "SELECT corr(price, good) FROM sales",
    "SELECT regr_slope(price, good) + regr_r2(price, good) FROM sales",
    "SELECT covar_pop(price, good) + covar_samp(price, good) FROM sales",
    "SELECT mode(shop ORDER BY shop) FROM sales",
    "SELECT arg_max(shop, price) FROM sales WHERE day = DATE '2020-10-02'",
    "SELECT any_value(town) FROM shops WHERE shop = 'west'",
    "SELECT avg(price) FILTER (WHERE month(day) = 12) - avg(price) FROM sales",
    "SELECT count_if(price > 30) FROM sales",
    "SELECT sum(weight) FROM sales JOIN goods USING (good) WHERE maker = 'Ax'",
    "SELECT count(*) FROM sales LEFT JOIN goods USING (good) WHERE maker IS NULL",
    "SELECT strftime(day, '%Y-%m') AS m FROM sales GROUP BY m ORDER BY count(*) DESC, m LIMIT 1",
    "SELECT dayname(day) AS d FROM sales GROUP BY d ORDER BY avg(price), d LIMIT 1",
    "SELECT avg(isodow(day) + dayofweek(day) + quarter(day) + year(day) + day(day)) FROM sales",
    "SELECT avg(extract(doy FROM day) + date_part('week', day)) FROM sales",
    "SELECT max(day) - min(day) FROM sales",
    "SELECT min(day) + CAST((max(day) - min(day) + 1) // 2 AS INTEGER) FROM sales",
    "SELECT date_diff('month', min(day), max(day)) + datediff('week', min(day), max(day)) FROM sales",
    "SELECT count(*) FROM sales WHERE day >= '2020-06-01' AND day < DATE '2020-07-01'",
    "SELECT max(n) FROM (SELECT 100.0 * count(*) / sum(count(*)) OVER () AS n FROM sales GROUP BY shop)",
    "SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY shop ORDER BY day, good) AS n "
    "FROM sales) WHERE n = 1",
    "SELECT 7 // 2 + 7 / 2 + round(2.5) + round(1.25, 1) + floor(-1.5) + ceil(1.2) + sqrt(16) + pow(2, 3)",
    "SELECT ln(10) + exp(1) + abs(-2) + coalesce(NULL, 3) + nullif(4, 5)",
    "SELECT count(*) FROM goods WHERE weight BETWEEN 5 AND 10 AND maker IN ('Ax', 'Bz')",
    "SELECT count(*) FROM goods WHERE maker LIKE 'a%'",
    "SELECT sum(CAST(weight AS DOUBLE)) + sum(CAST(weight * 1.1 AS INTEGER)) FROM goods",
    "SELECT CAST(good AS VARCHAR) || '-' || maker FROM goods WHERE good = 3",
    "WITH late AS (SELECT * FROM sales WHERE late) SELECT avg(price) FROM late WHERE shop = 'west'",
]
NOT_COMPARED = {
    "SELECT mode(shop) FROM sales": "mode() without ORDER BY",
    "SELECT list_sum([1.0])": "the function",
    "SELECT count(*) FROM range(3)": "",
    "SELECT count(*) FROM sales WHERE day + INTERVAL 1 DAY > day": "intervals",
    "SELECT max(n) FROM (SELECT median(price) OVER (PARTITION BY shop) AS n FROM sales)": "window",
    "SELECT CAST(price AS VARCHAR) FROM sales LIMIT 1": "a double as text",
}


def second(*items: ChecklistItem, connection: duckdb.DuckDBPyConnection | None = None) -> Outcome:
    connection = connection or small()
    values = {
        each.id: value_of(connection, each.evidence_sql)
        for each in items
        if each.evidence_sql is not None
    }
    return compared(items, connection, values, lambda _text, _share: None)


def asking(*statements: str) -> list[ChecklistItem]:
    return [item(id=sql, evidence_sql=sql) for sql in statements]


def test_the_two_engines_agree_on_what_both_can_say() -> None:
    found = second(*asking(*SAME))
    assert found.failed == {} and found.unknown == {}


def test_what_sqlite_has_no_words_for_is_not_compared_and_said() -> None:
    found = second(*asking(*NOT_COMPARED))
    assert found.failed == {}
    assert set(found.unknown) == set(NOT_COMPARED)
    for sql, told in NOT_COMPARED.items():
        assert told in found.unknown[sql]


def test_moments_are_compared_with_moments() -> None:
    connection = small()
    connection.execute(
        "CREATE TABLE calls AS SELECT TIMESTAMP '2020-01-01 00:30:00' + to_hours(n::INTEGER) AS moment "
        "FROM range(200) AS r(n)"
    )
    statements = [
        "SELECT count(*) FROM calls WHERE moment >= '2020-01-03' AND moment < TIMESTAMP '2020-01-04 12:00:00'",
        "SELECT avg(hour(moment) + minute(moment)) FROM calls",
        "SELECT count(DISTINCT moment::DATE) FROM calls",
        "SELECT max(moment) FROM calls",
        "SELECT date_diff('hour', min(moment), max(moment)) + date_diff('minute', min(moment), max(moment)) FROM calls",
    ]
    found = second(*asking(*statements), connection=connection)
    assert found.failed == {} and found.unknown == {}


def test_another_value_is_a_failure_with_both() -> None:
    fact = item()
    found = compared([fact], small(), {fact.id: 12.0}, lambda _text, _share: None)
    assert "the evidence gives 12.0, SQLite 4" in found.failed[fact.id]


def test_a_table_that_is_too_large_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_ROWS", 100)
    large, few = asking("SELECT avg(price) FROM sales", "SELECT avg(weight) FROM goods")
    found = second(large, few)
    assert found.unknown == {large.id: "sales has 600 rows, and 100 are copied at most"}
    assert found.failed == {}


def test_a_statement_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SECONDS", 0.05)
    (fact,) = asking("SELECT count(*) FROM sales a, sales b, sales c WHERE a.price > b.price")
    found = compared([fact], small(), {fact.id: 1.0}, lambda _text, _share: None)
    assert "interrupted" in found.unknown[fact.id]


def test_an_entity_with_an_apostrophe_is_asked_for_by_its_name() -> None:
    connection = small()
    connection.execute("INSERT INTO sales VALUES (DATE '2020-01-01', 'O''Neil', 1, 5.0, false)")
    fact = item(
        entity_id="O'Neil", evidence_sql="SELECT avg(price) FROM sales WHERE shop = 'O''Neil'"
    )
    assert second(fact, connection=connection) == Outcome()


def test_an_item_without_a_value_is_not_compared() -> None:
    fact = item()
    found = compared([fact], small(), {}, lambda _text, _share: None)
    assert found.unknown == {fact.id: "there is no value to compare"}


def test_names_with_quotes_are_names() -> None:
    connection = small()
    connection.execute('CREATE TABLE "a""b" AS SELECT 3 AS "x""y" UNION ALL SELECT 4')
    assert second(*asking('SELECT sum("x""y") FROM "a""b"'), connection=connection) == Outcome()


def test_a_statement_reaches_no_other_file_and_fills_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fact = item()
    for hostile in (f"ATTACH '{tmp_path / 'made'}' AS other", "SELECT length(zeroblob(500000000))"):
        monkeypatch.setattr(engine, "rewritten", lambda _sql, _types, said=hostile: said)
        found = compared([fact], small(), {fact.id: 1.0}, lambda _text, _share: None)
        assert "SQLite does not take it: too" in found.unknown[fact.id].replace(
            "string or blob ", ""
        )
    assert list(tmp_path.iterdir()) == []
