"""What may run in DuckDB and what may not (field cases F1 to F4 and F7)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from core.errors import ToolError
from tests.contracts.sql_engine import ask, refusal
from tests.tools.support import make_visits
from tools.sql.engine import EngineLimits
from tools.sql.engines.duckdb_engine import DuckDbEngine
from tools.sql.reach import OUT_OF_REACH, TABLE_FUNCTIONS
from tools.sql.tokens import Tokens


@pytest.fixture(scope="module")
def engine(visits: Path) -> Iterator[DuckDbEngine]:
    """As it is where no mount namespace hides the host: what would show it is refused by name."""
    with closing(DuckDbEngine(str(visits), EngineLimits())) as engine:
        yield engine


@pytest.fixture(scope="module")
def confined(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDbEngine]:
    """As it is in a mount namespace of its own."""
    file = make_visits(tmp_path_factory.mktemp("confined") / "visits.duckdb")
    with closing(DuckDbEngine(str(file), EngineLimits(home="/data"))) as engine:
        yield engine


def rows(engine: DuckDbEngine, sql: str) -> list[list[Any]]:
    return [list(row) for row in ask(engine, sql).rows]


HONEST = [
    "SELECT created_at, last_updated FROM visits",
    "SELECT REPLACE(note,'a','b') FROM visits",
    "SELECT id FROM visits WHERE note LIKE '%dropped out%'",
    "SELECT id FROM visits WHERE note='delete; update'",
    "VALUES (1)",
    "WITH m AS (SELECT 1 AS a) SELECT * FROM m",
    "SELECT 1;",
    "SELECT 1; ",
    "SELECT 1;;",
    "-- a comment first\nSELECT 1 -- and last",
    "SELECT 1; -- x",
    "/* DROP TABLE visits; */ SELECT 1",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY dose) FROM visits",
    "FROM visits LIMIT 1",
    "FROM visits SELECT id WHERE dose > 1",
    "TABLE visits",
    "SUMMARIZE visits",
    "SUMMARIZE SELECT dose FROM visits",
    "DESCRIBE visits",
    "DESCRIBE SELECT dose FROM visits",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "SHOW visits",
    "SHOW main.Visits",
    "SELECT histogram(dose) FROM visits",
    "PIVOT visits ON patient USING histogram(dose)",
    "PIVOT visits ON patient USING sum(dose)",
    "SELECT * FROM (PIVOT visits ON patient USING sum(dose))",
    "WITH p AS (PIVOT visits ON note USING count(*)) SELECT * FROM p",
    "PIVOT visits ON patient IN (1, 2) USING sum(dose)",
    "PIVOT visits ON patient USING sum(dose) GROUP BY note ORDER BY note LIMIT 2;",
    "PIVOT visits ON note = 'x' USING sum(dose) -- so",
    "(PIVOT visits ON note) UNION ALL (PIVOT visits ON note)",
    'WITH c AS (FROM visits) PIVOT c ON "note" USING sum(dose), count(*)',
    "SUMMARIZE PIVOT visits ON note",
    "SELECT (SELECT count(*) FROM (PIVOT visits ON note)), 'getenv(', \"glob\" FROM (SELECT 1 AS glob)",
    "PIVOT (SHOW TABLES) ON name USING count(*)",
    "PIVOT (FROM (SHOW visits)) ON column_name USING count(*)",
    "UNPIVOT visits ON dose INTO NAME n VALUE v",
    "EXPLAIN SELECT 1",
    "EXPLAIN (SELECT 1)",
    "EXPLAIN (FORMAT json) SELECT count(*) FROM visits",
    "EXPLAIN ANALYZE SELECT count(*) FROM visits",
    "EXPLAIN (ANALYZE, FORMAT json) SELECT count(*) FROM visits",
    "/* überlegt */ EXPLAIN /* é */ ANALYZE SELECT 1",
    "EXPLAIN PIVOT visits ON patient USING sum(dose)",
    "EXPLAIN ANALYZE PIVOT visits ON patient USING sum(dose)",
    "EXPLAIN (FORMAT json) PIVOT visits ON patient USING sum(dose)",
    "EXPLAIN ANALYSE SELECT 1",
    "EXPLAIN ANALYZE (FORMAT json) SELECT 1",
    "EXPLAIN (FORMAT json) (SELECT 1)",
    "EXPLAIN (SELECT 1) UNION (SELECT 2)",
    "EXPLAIN ANALYZE VALUES (1)",
    "EXPLAIN ANALYZE TABLE visits",
    "EXPLAIN ANALYZE SUMMARIZE visits",
    "EXPLAIN WITH x AS (SELECT 1) FROM x;",
    "/* a /* nested */ comment */ SELECT 1 /* -- */",
    "\u00a0SELECT\u2003id FROM visits",
    "SELECT " + " + ".join(["id"] * 300) + " FROM visits",
    "EXPLAIN ANALYZE FROM visits",
    "SELECT * FROM range(3) r(i) JOIN visits ON i = id",
    "SELECT unnest([1, 2]), list_transform([1], lambda x: x + 1)",
    "SELECT id, row_number() OVER (PARTITION BY patient ORDER BY dose) FROM visits QUALIFY 1 = 1",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT * FROM c",
    "SELECT * FROM duckdb_columns()",
    "SELECT table_name FROM duckdb_tables",
    "SELECT * FROM information_schema.columns",
    "SELECT * FROM pragma_table_info('visits')",
    "SELECT COLUMNS('d.*') FROM visits",
    "SELECT 'read_csv' AS getenv, 'ATTACH' AS copy",
    'SELECT "created_at" AS "drop table visits" FROM visits',
    "SELECT * EXCLUDE (note) FROM visits USING SAMPLE 5",
    "SELECT regexp_extract(note, '\\w+') FROM visits WHERE note ~ 'o' AND note NOT ILIKE 'z%'",
    "SELECT repeat('ab', 3), summary FROM (SELECT 1 AS summary)",
]


@pytest.mark.parametrize("query", HONEST)
def test_an_honest_read_runs(engine: DuckDbEngine, query: str) -> None:
    assert ask(engine, query).columns


WRITES = [
    "WITH x AS (SELECT 1) DELETE FROM visits -- limit",
    "DELETE FROM visits",
    "UPDATE visits SET dose = 0",
    "INSERT INTO visits SELECT * FROM visits",
    "INSERT INTO visits PIVOT visits ON patient USING sum(dose)",
    "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x",
    "WITH x AS (UPDATE visits SET dose = 0 RETURNING *) SELECT * FROM x",
    "WITH x AS (INSERT INTO visits SELECT * FROM visits RETURNING *) SELECT * FROM x",
    "MERGE INTO visits USING visits v ON v.id = visits.id WHEN MATCHED THEN DELETE",
    "TRUNCATE visits",
    "DROP TABLE visits",
    "ALTER TABLE visits ADD COLUMN x INT",
    "CREATE TABLE t AS SELECT 1",
    "CREATE TEMP TABLE visits AS SELECT 1 AS id",
    "CREATE TEMP VIEW visits AS SELECT 1 AS id",
    "CREATE OR REPLACE TEMP MACRO avg(x) AS 1",
    "CREATE TEMP TABLE x AS PIVOT visits ON patient USING sum(dose)",
    "COPY (PIVOT visits ON note) TO '/tmp/ddr-never-written.csv'",
    "UPDATE visits SET dose = (SELECT count(*) FROM (PIVOT visits ON note))",
    "DELETE FROM visits WHERE id IN (SELECT count(*) FROM (PIVOT visits ON note))",
    "MERGE INTO visits USING (PIVOT visits ON note) p ON true WHEN MATCHED THEN DELETE",
    "WITH x AS (SELECT 1) INSERT INTO visits PIVOT visits ON note",
    "WITH x AS (DELETE FROM visits RETURNING *) PIVOT x ON note",
    "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM (PIVOT visits ON patient)",
    "SET VARIABLE a = (SELECT count(*) FROM (PIVOT visits ON note))",
    "PREPARE p AS PIVOT visits ON note",
    "CALL range((SELECT count(*) FROM (PIVOT visits ON note)))",
    "PRAGMA table_info((PIVOT visits ON note))",
    "ALTER TABLE visits ADD COLUMN x INT DEFAULT (SELECT 1 FROM (PIVOT visits ON note))",
    "EXPLAIN ANALYZE DELETE FROM visits",
    "EXPLAIN DELETE FROM visits",
    "EXPLAIN (ANALYZE) DELETE FROM visits",
    "EXPLAIN ANALYSE DELETE FROM visits",
    "EXPLAIN ANALYZE (FORMAT json) DELETE FROM visits",
    "EXPLAIN (FORMAT json, ANALYZE) INSERT INTO visits SELECT * FROM visits",
    "EXPLAIN INSERT INTO visits SELECT * FROM visits",
    "EXPLAIN /* /* */ */ INSERT INTO visits SELECT * FROM visits",
    "EXPLAIN CREATE TEMP TABLE x AS SELECT 1",
    "EXPLAIN ANALYZE CREATE TEMP TABLE x AS PIVOT visits ON patient USING sum(dose)",
    "EXPLAIN INSERT INTO visits PIVOT visits ON patient USING sum(dose)",
    "EXPLAIN SET threads = 1",
    "EXPLAIN CALL pragma_version()",
    "EXPLAIN PREPARE p AS SELECT 1",
    "COMMENT ON TABLE visits IS 'x'",
    "DEALLOCATE p",
    "FORCE CHECKPOINT",
    "EXPLAIN ANALYZE WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x",
    "SET threads = 1",
    "SET enable_external_access = true",
    "SET search_path = 'temp'",
    "SET VARIABLE x = 1",
    "RESET threads",
    "USE memory",
    "PREPARE p AS SELECT 1",
    "EXECUTE p",
    "BEGIN",
    "COMMIT",
    "CHECKPOINT",
    "VACUUM",
    "ANALYZE",
    "CALL pragma_version()",
    "PRAGMA table_info('visits')",
    "PRAGMA database_list",
]


@pytest.mark.parametrize("query", WRITES)
def test_what_is_not_a_read_is_refused_with_a_hint(engine: DuckDbEngine, query: str) -> None:
    told = refusal(engine, query)
    assert told.kind == "refused"
    assert any(word in str(told) for word in ("SELECT", "DESCRIBE", "WITH"))
    assert rows(engine, "SELECT count(*), sum(dose) FROM visits") == [[150, 5662.5]]


REACHES = [
    ("SELECT * FROM pg_read_file('/etc/passwd')", "pg_read_file"),
    ("SELECT pg_read_file('/etc/passwd')", "pg_read_file"),
    ("SELECT content FROM read_text('/etc/passwd')", "read_text"),
    ("SELECT read_text('/etc/passwd')", "read_text"),
    ("SELECT id FROM visits ORDER BY read_text('/etc/passwd')", "read_text"),
    ("SELECT (SELECT content FROM read_text('../qa.json'))", "read_text"),
    ("WITH x AS (FROM read_blob('/etc/passwd')) SELECT * FROM x", "read_blob"),
    ("SELECT list_transform([1], lambda x: getenv('HOME'))", "getenv"),
    ("SELECT 'HOME'.getenv()", "getenv"),
    ("SELECT * FROM \"read_csv\"('/etc/passwd')", "read_csv"),
    ("DESCRIBE SELECT * FROM read_csv('/etc/passwd')", "read_csv"),
    ("SUMMARIZE SELECT * FROM read_json('/etc/passwd')", "read_json"),
    ("EXPLAIN ANALYZE SELECT * FROM glob('/*')", "glob"),
    ("PIVOT (SELECT * FROM read_csv('/x')) ON a", "read_csv"),
    ("PIVOT (SELECT getenv('x') AS a, id FROM visits) ON a", "getenv"),
    ("SELECT * FROM parquet_scan('/x.parquet')", "parquet_scan"),
    ("SELECT * FROM sniff_csv('/etc/passwd')", "sniff_csv"),
    ("SELECT * FROM duckdb_settings()", "duckdb_settings"),
    ("SELECT * FROM system.main.duckdb_settings()", "duckdb_settings"),
    ("SELECT path FROM duckdb_databases()", "duckdb_databases"),
    ("SELECT path FROM duckdb_databases", "duckdb_databases"),
    ("SELECT path FROM Duckdb_Databases", "duckdb_databases"),
    ("FROM pragma_database_list", "pragma_database_list"),
    ("FROM pg_catalog.pg_settings", "pg_settings"),
    ("FROM duckdb_extensions()", "duckdb_extensions"),
    ("FROM duckdb_secrets()", "duckdb_secrets"),
    ("FROM duckdb_temporary_files()", "duckdb_temporary_files"),
    ("FROM duckdb_logs", "duckdb_logs"),
    ("SELECT current_setting('secret_directory')", "current_setting"),
    ("SELECT main.current_setting('secret_directory')", "current_setting"),
    ("SHOW secret_directory", "SHOW secret_directory"),
    ('FROM (SHOW "Secret_Directory")', "SHOW Secret_Directory"),
    ("WITH x AS (SHOW temp_directory) SELECT * FROM x", "SHOW temp_directory"),
    ("EXPLAIN ANALYZE SHOW threads", "SHOW threads"),
    ("PIVOT (SHOW threads) ON threads USING count(*)", "SHOW threads"),
    ("PIVOT\u00a0(SELECT\u00a0getenv\u2003('x')\u00a0AS a) ON\u00a0a", "getenv"),
    ("PIVOT (SELECT \"getenv\" ('x') AS a) ON a", "getenv"),
    ("SELECT json_serialize_plan('SHOW threads', optimize := true)", "json_serialize_plan"),
    ("FROM histogram(duckdb_databases, path)", "histogram"),
    ("FROM histogram_values(duckdb_databases, path)", "histogram_values"),
    ("PIVOT (FROM histogram('duckdb_' || 'databases', path)) ON bin", "histogram"),
    ("PIVOT (FROM main.\"histogram\"('visits', dose)) ON bin", "histogram"),
    ("SELECT * FROM query('FROM duckdb_settings()')", "query"),
    ("SELECT * FROM query_table(['duckdb_settings'])", "query_table"),
    ("SELECT * FROM pandas_scan(1::POINTER, 1::POINTER, 1::POINTER)", "pandas_scan"),
    ("SELECT * FROM json_execute_serialized_sql('{}')", "json_execute_serialized_sql"),
    ("SELECT * FROM enable_logging()", "enable_logging"),
    ("SELECT * FROM '/etc/passwd'", "file /etc/passwd"),
    ("SELECT * FROM 'x.csv'", "file x.csv"),
    ("FROM '../checklists/flights.json'", "file ../checklists/flights.json"),
    ("ATTACH '/tmp/other.duckdb' AS z", "ATTACH"),
    ("COPY (SELECT 1) TO '/tmp/ddr-never-written.csv'", "COPY"),
    ("EXPORT DATABASE '/tmp/ddr-never-written'", "EXPORT"),
    ("LOAD json", "LOAD"),
    ("INSTALL httpfs", "LOAD"),
    ("PRAGMA database_list", "PRAGMA database_list"),
    ("CALL duckdb_settings()", "CALL duckdb_settings"),
]


@pytest.mark.parametrize(("query", "seen_as"), REACHES)
def test_a_look_past_the_data_is_refused_and_recorded(
    engine: DuckDbEngine, query: str, seen_as: str
) -> None:
    told = refusal(engine, query)
    assert told.kind == "refused"
    assert told.violations == (f"sql: {seen_as}",)
    assert "root:" not in str(told)
    assert not Path("/tmp/ddr-never-written.csv").exists()


@pytest.mark.parametrize(
    "query",
    [
        "SHOW extension_directory",  # a setting that duckdb_settings() does not list
        "SHOW vizits",
        "UPDATE EXTENSIONS",
    ],
)
def test_what_names_no_table_is_refused_without_blame(engine: DuckDbEngine, query: str) -> None:
    told = refusal(engine, query)
    assert (told.kind, told.violations) == ("refused", ())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT " + "(" * 20_000,
        "SELECT " + "- " * 20_000 + ")",
        "SELECT " + "f(a[{'(': " * 2_000,
        "EXPLAIN " + "(" * 20_000,
    ],
)
def test_a_query_nested_too_deep_never_reaches_the_parser(engine: DuckDbEngine, query: str) -> None:
    # Unbounded, the first of them would take a hundred gigabytes and minutes.
    told = refusal(engine, query)
    assert told.kind == "sql"
    assert "nested too deep" in str(told)


@pytest.mark.parametrize(
    "level",
    [
        "PIVOT (SELECT 1 a) ON (",
        "Pivot_Wider/* */(SELECT 1 a) ON (",
        "WITH a AS (",
        "wIth/* */a AS (SELECT 1), b AS (",
        "(EXPLAIN WITH RECURSIVE a AS MATERIALIZED (",
        "SELECT list_transform([1], lambda x: ",
        "SELECT list_filter([1], x -> ",
        "WITH\u00a0a\u2003AS\u00a0(",
    ],
)
def test_what_doubles_the_parsers_work_never_reaches_it_often(
    engine: DuckDbEngine, level: str
) -> None:
    # Unbounded, forty of them take more memory than there is.
    told = refusal(engine, level * 40)
    assert told.kind == "sql"
    assert "nested too deep" in str(told)


def test_a_lambda_inside_a_lambda_runs(engine: DuckDbEngine) -> None:
    inner = "list_transform(x, lambda y: list_sum(list_transform([y, 2], lambda z: z + 1)))"
    assert rows(engine, f"SELECT list_transform([[1], [3]], lambda x: {inner})") == [[[[5], [7]]]]


def test_brackets_that_nest_nothing_are_not_counted(engine: DuckDbEngine) -> None:
    many = ", ".join(["(1)"] * 500)
    assert rows(engine, f"SELECT 1 WHERE 1 IN ({many})") == [[1]]
    assert (
        rows(
            engine,
            "SELECT length($$" + "(" * 500 + "$$), '" + "[" * 500 + "' /* " + "(" * 500 + "*/",
        )[0][0]
        == 500
    )
    assert rows(engine, "SELECT " + "(" * 150 + "1" + ")" * 150) == [[1]]
    zones = ", ".join(["CAST((now()) AS TIMESTAMP WITH TIME ZONE)"] * 20)
    assert len(rows(engine, f"SELECT {zones}")[0]) == 20
    assert rows(engine, "WITH a AS (WITH b AS (WITH c AS (SELECT 1) FROM c) FROM b) FROM a") == [
        [1]
    ]


def test_what_the_parser_takes_for_white_space_is_white_space_to_the_gate() -> None:
    connection = duckdb.connect()
    spaces = []
    for code in range(0x80, 0x10000):
        if unicodedata.category(chr(code)) not in {"Cc", "Cf", "Zl", "Zp", "Zs"}:
            continue
        try:
            parsed = connection.extract_statements(f"SELECT{chr(code)}1")
        except duckdb.Error:
            continue
        if parsed[0].type is duckdb.StatementType.SELECT:
            spaces.append(chr(code))
    assert {"\u00a0", "\u2003", "\u200b", "\u3000", "\ufeff"} <= set(spaces)
    for space in spaces:
        assert Tokens(f"SELECT{space}1").words == ["select", "1"], hex(ord(space))


def test_a_plain_write_is_no_attempt_to_look_elsewhere(engine: DuckDbEngine) -> None:
    assert refusal(engine, "DELETE FROM visits").violations == ()


def test_the_text_of_a_refusal_names_what_was_refused(engine: DuckDbEngine) -> None:
    assert "read_text is out of reach" in str(refusal(engine, "FROM read_text('/etc/passwd')"))
    assert "DESCRIBE" in str(refusal(engine, "PRAGMA table_info('visits')"))
    assert "duckdb_columns()" in str(refusal(engine, "CALL pragma_version()"))


@pytest.mark.parametrize(
    "query",
    [
        "COMMIT; DELETE FROM visits; SELECT 1",
        "SELECT 1; DROP TABLE visits",
        "SELECT 1; SELECT 2",
        "EXPLAIN SELECT 1; SELECT 2",
    ],
)
def test_more_than_one_statement_is_refused_before_any_runs(
    engine: DuckDbEngine, query: str
) -> None:
    assert "one statement per call" in str(refusal(engine, query))
    assert rows(engine, "SELECT count(*) FROM visits") == [[150]]


def test_an_empty_query_says_what_to_send(engine: DuckDbEngine) -> None:
    told = refusal(engine, "-- nothing but a comment")
    assert told.kind == "sql"
    assert "send one SELECT" in str(told)


def test_a_python_variable_of_the_server_is_no_table(engine: DuckDbEngine) -> None:
    secret = {"answer": [41]}
    told = refusal(engine, "SELECT * FROM secret")
    assert secret["answer"] == [41]
    assert told.kind == "sql"
    assert "41" not in str(told)


def test_a_table_whose_name_looks_like_a_file_can_be_read(tmp_path: Path) -> None:
    odd = make_visits(tmp_path / "odd.duckdb", 'CREATE TABLE "a/b.csv" AS SELECT 7 AS x')
    with closing(DuckDbEngine(str(odd), EngineLimits())) as engine:
        assert rows(engine, 'SELECT x FROM "a/b.csv"') == [[7]]


def test_nothing_that_a_call_leaves_behind_reaches_the_next(engine: DuckDbEngine) -> None:
    # A dynamic PIVOT makes a TEMP type on the way; it must end with its cursor.
    for _ in range(3):
        assert rows(engine, "PIVOT visits ON patient USING sum(dose)")
    assert rows(engine, "SELECT count(*) FROM duckdb_types() WHERE NOT internal") == [[0]]


def test_every_function_of_the_engine_that_may_stand_in_from_is_listed_or_refused(
    engine: DuckDbEngine,
) -> None:
    callable_in_from = {
        name
        for (name,) in ask(
            engine,
            "SELECT DISTINCT lower(function_name) FROM duckdb_functions()"
            " WHERE internal AND function_type IN ('table', 'table_macro')",
        ).rows
    }
    assert len(callable_in_from) > 80
    for name in callable_in_from - TABLE_FUNCTIONS:
        told = refusal(engine, f"FROM {name}('x')")
        assert (told.kind, told.violations) == ("refused", (f"sql: {name}",))


def test_no_view_and_no_function_of_the_engine_shows_where_the_database_lies(
    engine: DuckDbEngine, visits: Path
) -> None:
    views = ask(engine, "SELECT schema_name, view_name FROM duckdb_views() WHERE internal").rows
    assert len(views) > 40
    asked = [f'FROM "{schema}"."{view}"' for schema, view in views]
    asked += [f'FROM "{view}"' for _, view in views]
    functions = ask(
        engine,
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE len(parameters) = 0"
        " OR function_type LIKE 'table%' OR function_name LIKE 'duckdb%'",
    ).rows
    asked += [f'FROM "{name}"()' for (name,) in functions]
    asked += [f'SELECT "{name}"()' for (name,) in functions if name != "sleep"]
    for query in asked:
        try:
            shown = str(ask(engine, query, most=100_000))
        except ToolError as exc:
            shown = f"{exc} {exc.violations}"
        assert visits.parent.name not in shown, query


@pytest.mark.parametrize("name", sorted(OUT_OF_REACH))
def test_a_function_inside_a_pivot_is_seen_under_its_own_name(
    engine: DuckDbEngine, name: str
) -> None:
    # A dynamic PIVOT shows no parse tree.
    told = refusal(engine, f"PIVOT (SELECT {name}('x') AS a, id FROM visits) ON a")
    assert told.violations == (f"sql: {name}",)


def test_a_table_function_inside_a_pivot_is_seen_under_its_own_name(engine: DuckDbEngine) -> None:
    names = ask(
        engine,
        "SELECT DISTINCT lower(function_name) FROM duckdb_functions()"
        " WHERE internal AND function_type IN ('table', 'table_macro')",
    ).rows
    for (name,) in names:
        if name not in TABLE_FUNCTIONS:
            told = refusal(engine, f"PIVOT (FROM {name}('x', y)) ON a")
            assert told.violations == (f"sql: {name}",), name


def test_a_confined_engine_may_be_asked_about_itself(confined: DuckDbEngine) -> None:
    assert ask(confined, "SELECT value FROM duckdb_settings() WHERE name = 'threads'").rows
    assert ask(confined, "SHOW temp_directory").rows == [("/data/tmp",)]
    for query in (
        "FROM enable_logging()",
        "FROM read_text('/etc/passwd')",
        "SELECT getenv('HOME')",
    ):
        assert refusal(confined, query).kind == "refused"
