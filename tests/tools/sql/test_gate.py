"""What may run in SQL and what may not (field cases F1 to F4 and F7)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tools.support import Hand, make_visits, refused

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
    "UNPIVOT visits ON dose INTO NAME n VALUE v",
    "EXPLAIN SELECT 1",
    "EXPLAIN (SELECT 1)",
    "EXPLAIN (FORMAT json) SELECT count(*) FROM visits",
    "EXPLAIN ANALYZE SELECT count(*) FROM visits",
    "EXPLAIN (ANALYZE, FORMAT json) SELECT count(*) FROM visits",
    "/* überlegt */ EXPLAIN /* é */ ANALYZE SELECT 1",
    "EXPLAIN PIVOT visits ON patient USING sum(dose)",
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
def test_an_honest_read_runs(hand: Hand, query: str) -> None:
    seen = hand.sql(query)
    assert not seen.is_error, seen.text
    assert seen.violations == ()


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
    "EXPLAIN ANALYZE DELETE FROM visits",
    "EXPLAIN DELETE FROM visits",
    "EXPLAIN (ANALYZE) DELETE FROM visits",
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
def test_what_is_not_a_read_is_refused_with_a_hint(hand: Hand, query: str) -> None:
    text = refused(hand.sql(query))
    assert any(word in text for word in ("SELECT", "DESCRIBE", "WITH"))
    assert hand.rows("SELECT count(*), sum(dose) FROM visits") == [[150, 5662.5]]


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
    ("SELECT json_serialize_plan('SHOW threads', optimize := true)", "json_serialize_plan"),
    ("FROM histogram(duckdb_databases, path)", "histogram"),
    ("FROM histogram_values(duckdb_databases, path)", "histogram_values"),
    ("PIVOT (FROM histogram(duckdb_databases, path)) ON bin", "histogram"),
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
def test_a_look_past_the_data_is_refused_and_recorded(hand: Hand, query: str, seen_as: str) -> None:
    seen = hand.sql(query)
    refused(seen)
    assert seen.violations == (f"sql: {seen_as}",)
    assert "root:" not in seen.text
    assert not Path("/tmp/ddr-never-written.csv").exists()


@pytest.mark.parametrize(
    "query",
    [
        "SHOW extension_directory",  # a setting that duckdb_settings() does not list
        "SHOW vizits",
        "PIVOT (SHOW secret_directory) ON secret_directory USING count(*)",
        "UPDATE EXTENSIONS",
    ],
)
def test_what_names_no_table_is_refused_without_blame(hand: Hand, query: str) -> None:
    seen = hand.sql(query)
    refused(seen)
    assert seen.violations == ()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT " + "(" * 20_000,
        "SELECT " + "- " * 20_000 + ")",
        "SELECT " + "f(a[{'(': " * 2_000,
        "EXPLAIN " + "(" * 20_000,
    ],
)
def test_a_query_nested_too_deep_never_reaches_the_parser(hand: Hand, query: str) -> None:
    # Unbounded, the first of them would take a hundred gigabytes and minutes.
    seen = hand.sql(query)
    assert seen.error_kind == "sql"
    assert "nested too deep" in seen.text


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
    ],
)
def test_what_doubles_the_parsers_work_never_reaches_it_often(hand: Hand, level: str) -> None:
    # Unbounded, forty of them take more memory than there is.
    seen = hand.sql(level * 40)
    assert seen.error_kind == "sql"
    assert "nested too deep" in seen.text


def test_a_lambda_inside_a_lambda_runs(hand: Hand) -> None:
    inner = "list_transform(x, lambda y: list_sum(list_transform([y, 2], lambda z: z + 1)))"
    assert hand.rows(f"SELECT list_transform([[1], [3]], lambda x: {inner})") == [[[[5], [7]]]]


def test_brackets_that_nest_nothing_are_not_counted(hand: Hand) -> None:
    many = ", ".join(["(1)"] * 500)
    assert hand.rows(f"SELECT 1 WHERE 1 IN ({many})") == [[1]]
    assert (
        hand.rows(
            "SELECT length($$" + "(" * 500 + "$$), '" + "[" * 500 + "' /* " + "(" * 500 + "*/"
        )[0][0]
        == 500
    )
    assert hand.rows("SELECT " + "(" * 150 + "1" + ")" * 150) == [[1]]
    zones = ", ".join(["CAST((now()) AS TIMESTAMP WITH TIME ZONE)"] * 20)
    assert len(hand.rows(f"SELECT {zones}")[0]) == 20
    assert hand.rows("WITH a AS (WITH b AS (WITH c AS (SELECT 1) FROM c) FROM b) FROM a") == [[1]]


def test_a_plain_write_is_no_attempt_to_look_elsewhere(hand: Hand) -> None:
    assert hand.sql("DELETE FROM visits").violations == ()


def test_the_text_of_a_refusal_names_what_was_refused(hand: Hand) -> None:
    assert "read_text is out of reach" in refused(hand.sql("FROM read_text('/etc/passwd')"))
    assert "DESCRIBE" in refused(hand.sql("PRAGMA table_info('visits')"))
    assert "duckdb_columns()" in refused(hand.sql("CALL pragma_version()"))


@pytest.mark.parametrize(
    "query",
    [
        "COMMIT; DELETE FROM visits; SELECT 1",
        "SELECT 1; DROP TABLE visits",
        "SELECT 1; SELECT 2",
        "EXPLAIN SELECT 1; SELECT 2",
    ],
)
def test_more_than_one_statement_is_refused_before_any_runs(hand: Hand, query: str) -> None:
    assert "one statement per call" in refused(hand.sql(query))
    assert hand.rows("SELECT count(*) FROM visits") == [[150]]


def test_an_empty_query_says_what_to_send(hand: Hand) -> None:
    seen = hand.sql("-- nothing but a comment")
    assert seen.error_kind == "sql"
    assert "send one SELECT" in seen.text


def test_a_python_variable_of_the_server_is_no_table(hand: Hand) -> None:
    secret = {"answer": [41]}
    seen = hand.sql("SELECT * FROM secret")
    assert secret["answer"] == [41]
    assert seen.error_kind == "sql"
    assert "41" not in seen.text


def test_a_table_whose_name_looks_like_a_file_can_be_read(tmp_path: Path) -> None:
    odd = make_visits(tmp_path / "odd.duckdb", 'CREATE TABLE "a/b.csv" AS SELECT 7 AS x')
    with Hand(odd) as hand:
        assert hand.rows('SELECT x FROM "a/b.csv"') == [[7]]


def test_nothing_that_a_call_leaves_behind_reaches_the_next(hand: Hand) -> None:
    # A dynamic PIVOT makes a TEMP type on the way; it must end with its cursor.
    for _ in range(3):
        assert not hand.sql("PIVOT visits ON patient USING sum(dose)").is_error
    assert hand.rows("SELECT count(*) FROM duckdb_types() WHERE NOT internal") == [[0]]


EXPRESSIONS = st.recursive(
    st.sampled_from(["id", "dose", "patient", "1", "length('drop table visits')", "NULL"]),
    lambda inner: st.one_of(
        st.builds("coalesce({}, {})".format, inner, inner),
        st.builds("({})".format, inner),
        st.builds("CASE WHEN {} IS NULL THEN 1 END".format, inner),
        st.builds("max({}) OVER (ORDER BY id)".format, st.sampled_from(["dose", "id"])),
        st.builds("(SELECT count({}) FROM visits)".format, st.sampled_from(["dose", "note"])),
    ),
    max_leaves=4,
)
SOURCES = st.sampled_from(
    [
        "visits",
        "(SELECT * FROM visits)",
        "visits a JOIN visits b USING (id, patient, dose, created_at)",
        "(FROM visits)",
        "(VALUES (1, 2, 3.0, DATE '2024-01-01')) v(id, patient, dose, created_at)",
    ]
)
READS = st.builds(
    "{}SELECT {} AS x FROM {}{}{}".format,
    st.sampled_from(["", "-- drop\n", "WITH delete_me AS (SELECT 1) ", "EXPLAIN ", "SUMMARIZE "]),
    EXPRESSIONS,
    SOURCES,
    st.sampled_from(["", " WHERE id > 3", " ORDER BY id", " LIMIT 2"]),
    st.sampled_from(["", ";", " ; -- update", " /* insert */"]),
)
WRITING = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-- select\n", "EXPLAIN ANALYZE ", "WITH q AS (SELECT 1) "]),
    st.sampled_from(
        [
            "INSERT INTO visits SELECT * FROM visits",
            "UPDATE visits SET id = 1",
            "DELETE FROM visits",
            "MERGE INTO visits USING visits v ON v.id = visits.id WHEN MATCHED THEN DELETE",
        ]
    ),
    st.sampled_from(["", ";", " -- limit", " RETURNING *"]),
)
GRAMMAR = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@GRAMMAR
@given(query=READS)
def test_every_reading_statement_of_a_grammar_runs(hand: Hand, query: str) -> None:
    seen = hand.sql(query)
    assert not seen.is_error, seen.text


@GRAMMAR
@given(query=WRITING)
def test_every_writing_statement_of_a_grammar_is_turned_back(
    hand: Hand, visits: Path, query: str
) -> None:
    before = hashlib.sha256(visits.read_bytes()).digest()
    seen = hand.sql(query)
    assert seen.is_error
    assert seen.error_kind in {"refused", "sql"}
    assert hashlib.sha256(visits.read_bytes()).digest() == before
