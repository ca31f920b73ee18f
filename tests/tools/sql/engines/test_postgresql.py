"""PostgreSQL behind the SQL hand, on a real server: it only reads, it ends in time, it leaves nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import psycopg
import pytest

from core.errors import DatabaseError, ToolError
from tests.support.needs import needs
from tests.support.postgres import Cluster
from tests.tools.sql.engines.statements import rows, rows_unjudged
from tests.tools.sql.pg.test_gate import HIDDEN, READING, WRITING
from tools.sql.engine import Engine, EngineFactory, EngineLimits
from tools.sql.engines.postgresql import PostgresEngine
from tools.sql.engines.text import MOST_SAID
from tools.values import as_json

pytestmark = [pytest.mark.real, needs("postgresql")]


@pytest.fixture(scope="module")
def engine(pg_visits: str) -> Iterator[PostgresEngine]:
    opened = PostgresEngine(pg_visits, EngineLimits())
    yield opened
    opened.close()


def failure(engine: PostgresEngine, sql: str) -> ToolError:
    """How the engine words the server's refusal, the gate left out."""
    try:
        rows_unjudged(engine, sql)
    except psycopg.Error as exc:
        said = engine.explain(exc, ())
        assert said is not None, repr(exc)
        return said
    raise AssertionError(f"it ran: {sql}")


def content(postgres: Cluster) -> str:
    with postgres.admin("visits") as connection:
        row = connection.execute(
            "SELECT count(*) || md5(string_agg(v::text, '|' ORDER BY id)) FROM visits v"
        ).fetchone()
    assert row is not None
    return str(row[0])


def test_it_is_an_engine_and_its_own_factory(engine: PostgresEngine) -> None:
    factory: EngineFactory = PostgresEngine
    assert isinstance(engine, Engine)
    assert (factory.dialect, factory.is_file) == ("postgres", False)


# Reading


@pytest.mark.parametrize(
    "sql",
    [
        sql
        for sql in READING
        if "owners_" not in sql and "pg_score" not in sql and "NEXTVAL" not in sql
    ],
)
def test_what_reads_runs(engine: PostgresEngine, sql: str) -> None:
    rows(engine, sql)


def test_rows_are_fetched_in_parts_and_then_no_more(engine: PostgresEngine) -> None:
    cursor = engine.cursor()
    cursor.execute("SELECT id FROM visits -- all rows")
    assert [len(cursor.fetch(n)) for n in (20, 100, 100, 5)] == [20, 100, 30, 0]
    cursor.close()


def test_a_plan_loses_no_row_when_it_is_fetched_in_parts(engine: PostgresEngine) -> None:
    sql = "EXPLAIN SELECT * FROM visits a JOIN visits b USING (id)"
    cursor = engine.cursor()
    cursor.execute(sql)
    parts = [row for _ in range(20) for row in cursor.fetch(1)]
    cursor.close()
    assert parts == rows(engine, sql)
    assert len(parts) > 2


def test_the_schema_tells_tables_views_comments_keys_and_counts(postgres: Cluster) -> None:
    url = postgres.make(
        "told",
        "CREATE TABLE patients (id int PRIMARY KEY, name varchar(20) NOT NULL, UNIQUE (name, id))",
        "CREATE TABLE stays (patient int REFERENCES patients, days numeric(4, 1)) PARTITION BY LIST (patient)",
        "CREATE TABLE stays_1 PARTITION OF stays FOR VALUES IN (1)",
        "INSERT INTO patients VALUES (1, 'Ash')",
        "INSERT INTO stays VALUES (1, 2.5), (1, 3)",
        "COMMENT ON TABLE patients IS 'One row per patient.'",
        "COMMENT ON COLUMN stays.days IS 'In days.'",
        "CREATE VIEW long_stays AS SELECT * FROM stays WHERE days > 2.7",
        "CREATE SCHEMA lab",
        "CREATE TABLE lab.values_comments (a int)",
        "GRANT USAGE ON SCHEMA lab TO reader",
        "GRANT SELECT ON lab.values_comments TO reader",
        "CREATE SCHEMA hidden",
        "CREATE TABLE hidden.answers (a int)",
    )
    opened = PostgresEngine(url, EngineLimits())
    schema = opened.schema()
    opened.close()
    assert [(t.name, t.row_count, t.is_view) for t in schema.tables] == [
        ("lab.values_comments", 0, False),
        ("long_stays", 1, True),
        ("patients", 1, False),
        ("stays", 2, False),
    ]
    patients, stays = schema.table("patients"), schema.table("stays")
    assert patients is not None and stays is not None
    assert patients.comment == "One row per patient."
    assert [(c.name, c.type, c.nullable) for c in patients.columns] == [
        ("id", "integer", False),
        ("name", "character varying(20)", False),
    ]
    assert [(k.kind, k.columns, k.references) for k in patients.keys] == [
        ("primary key", ("id",), None),
        ("unique", ("name", "id"), None),
    ]
    assert [(k.kind, k.columns, k.references) for k in stays.keys] == [
        ("foreign key", ("patient",), "patients")
    ]
    assert [c.comment for c in stays.columns] == [None, "In days."]


def test_values_arrive_as_they_are(engine: PostgresEngine) -> None:
    sql = """SELECT 12345678901234567890.12::numeric(22, 2) d, 9007199254740993::bigint b, 'nan'::float8 x,
        date '2024-01-01' t, '\\x00ff'::bytea y, NULL z, '-infinity'::timestamp i, date '0044-03-15 BC' e,
        interval '1 month 2 days' m, '{"a": 1.10000000000000000001}'::jsonb j, '{1,NULL,3}'::int[] l,
        'a'::text d, 'NaN'::numeric n, timestamptz '2024-01-01 12:00+02' w, time '24:00' k, '[1,3)'::int4range r,
        inet '10.0.0.1/8' h, true f, ROW(1, 'a') c"""
    cursor = engine.cursor()
    cursor.execute(sql)
    (row,) = cursor.fetch(2)
    columns, types = cursor.columns, cursor.types
    cursor.close()
    assert row[:2] == (Decimal("12345678901234567890.12"), 9007199254740993)
    assert row[3:6] == (date(2024, 1, 1), b"\x00\xff", None)
    assert row[6:12] == (
        "-infinity", "0044-03-15 BC", "P1M2D", '{"a": 1.10000000000000000001}', [1, None, 3], "a",
    )  # fmt: skip
    assert row[13:] == (
        datetime(2024, 1, 1, 10, tzinfo=UTC), "24:00:00", "[1,3)", "10.0.0.1/8", True, "(1,a)",
    )  # fmt: skip
    assert columns.count("d") == 2, "two columns of one name are both kept"
    assert types[:4] == ("numeric", "bigint", "double precision", "date")
    assert types[10] == "integer[]"
    text = json.dumps([as_json(value) for value in row], allow_nan=False)
    assert '"12345678901234567890.12", 9007199254740993, "NaN"' in text


def test_types_of_the_databases_own_have_their_names(postgres: Cluster) -> None:
    url = postgres.make(
        "typed", "CREATE TYPE mood AS ENUM ('low', 'high')", "CREATE TABLE t (m mood)"
    )
    opened = PostgresEngine(url, EngineLimits())
    cursor = opened.cursor()
    cursor.execute("SELECT 'low'::mood, ARRAY['low'::mood], ROW(1, 2)")
    assert cursor.types == ("mood", "mood[]", "record")
    assert cursor.fetch(1) == [("low", "{low}", "(1,2)")]
    cursor.close()
    opened.close()


def test_a_frame_keeps_integers_times_and_both_columns_of_one_name(engine: PostgresEngine) -> None:
    cursor = engine.cursor()
    cursor.execute(
        "SELECT id, nullif(id, 2)::bigint AS gap, dose, created_at, note, id > 2 AS big,"
        " 1.5 AS id, created_at::timestamptz AS zoned, timestamp 'infinity' AS never"
        " FROM visits ORDER BY 1"
    )
    first, second = cursor.fetch_frame(100), cursor.fetch_frame(100)
    assert (len(first), len(second), len(cursor.fetch_frame(100))) == (100, 50, 0)
    cursor.close()
    assert list(first.columns) == [
        "id", "gap", "dose", "created_at", "note", "big", "id", "zoned", "never",
    ]  # fmt: skip
    kinds = [str(kind) for kind in first.dtypes]
    assert kinds[:3] == ["int64", "Int64", "float64"]
    assert kinds[3].startswith("datetime64[") and kinds[7].endswith("UTC]")
    assert kinds[5:7] == ["bool", "float64"]
    assert first.iloc[0, 8] == "infinity"
    assert first.iloc[1, 1] is not first.iloc[0, 1]


def test_a_frame_of_long_rows_comes_in_small_parts(engine: PostgresEngine) -> None:
    cursor = engine.cursor()
    cursor.execute("SELECT repeat('x', 1000000) FROM generate_series(1, 2000)")
    parts = [len(cursor.fetch_frame(65_536)) for _ in range(3)]
    cursor.close()
    assert all(0 < part <= 100 for part in parts)


def test_a_frame_of_short_rows_comes_whole(engine: PostgresEngine) -> None:
    cursor = engine.cursor()
    cursor.execute("SELECT i FROM generate_series(1, 70000) AS t(i)")
    assert [len(cursor.fetch_frame(65_536)) for _ in range(3)] == [65_536, 4_464, 0]
    cursor.close()


# Writing, and looking elsewhere


@pytest.mark.parametrize("sql", WRITING)
def test_a_write_is_refused_behind_the_gate_too(
    engine: PostgresEngine, postgres: Cluster, sql: str
) -> None:
    before = content(postgres)
    with pytest.raises(ToolError):
        engine.admit(sql)
    with pytest.raises(Exception, match=r".+"):
        rows_unjudged(engine, sql)
    assert content(postgres) == before


@pytest.mark.parametrize(
    "sql",
    ["COMMIT; DELETE FROM visits; SELECT 1", "SELECT 1; DROP TABLE visits", "SELECT 1; COMMIT"],
)
def test_several_statements_never_run_even_behind_the_gate(
    engine: PostgresEngine, postgres: Cluster, sql: str
) -> None:
    before = content(postgres)
    assert failure(engine, sql).kind == "sql"
    assert content(postgres) == before


@pytest.mark.parametrize(
    "sql",
    [
        "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x",
        "SELECT 1 INTO a",
        "SELECT * FROM visits FOR UPDATE",
        "SELECT * FROM pg_read_file('/etc/passwd')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_ls_dir('/')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT * FROM pg_authid",
    ],
)
def test_the_role_and_the_transaction_refuse_what_the_gate_would(
    engine: PostgresEngine, sql: str
) -> None:
    error = failure(engine, sql)
    assert error.kind == "refused", str(error)
    assert "root:" not in str(error)


@pytest.mark.parametrize(("sql", "name"), HIDDEN)
def test_the_gate_of_a_real_database_refuses_what_is_out_of_reach(
    engine: PostgresEngine, sql: str, name: str
) -> None:
    if name in {"a_later_one", "owners_volatile", "as_owner", "pg_score"}:
        return  # names of the gate's own test
    with pytest.raises(ToolError) as caught:
        engine.admit(sql)
    assert f"sql: {name}" in caught.value.violations


def test_no_volatile_function_of_the_servers_own_is_admitted_but_the_listed(
    engine: PostgresEngine, postgres: Cluster
) -> None:
    from tools.sql.pg.reach import PG_NAMES, VOLATILE

    with postgres.admin("visits") as connection:
        names = connection.execute(
            "SELECT DISTINCT proname FROM pg_proc WHERE provolatile = 'v'"
            " AND pronamespace = 'pg_catalog'::regnamespace AND proname = lower(proname)"
        ).fetchall()
    assert len(names) > 150
    for (name,) in names:
        if name not in VOLATILE | PG_NAMES:
            with pytest.raises(ToolError):
                engine.admit(f"SELECT {name}(1)")


def test_no_view_of_the_server_is_admitted_that_tells_of_more_than_this_database(
    engine: PostgresEngine, postgres: Cluster
) -> None:
    """What is admitted is read to the last row, and shows no path and no other session."""
    other = PostgresEngine(postgres.url("visits"), EngineLimits())
    busy = other.cursor()
    busy.execute("SELECT 'the secret of another session'")
    with postgres.admin("visits") as connection:
        views = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'pg_catalog'::regnamespace"
            " AND relkind IN ('r', 'v')"
        ).fetchall()
    admitted = []
    for (view,) in views:
        try:
            seen = rows(engine, f"SELECT v::text FROM {view} v", 100_000)
        except ToolError:
            continue
        admitted.append(view)
        shown = "\n".join(str(row[0]) for row in seen)
        assert "secret of another" not in shown, view
        assert str(postgres.folder) not in shown, view
        assert "/usr/" not in shown, view
    busy.close()
    other.close()
    assert "pg_class" in admitted
    assert not {"pg_stat_activity", "pg_settings", "pg_config", "pg_locks"} & set(admitted)


def test_another_sessions_query_is_nowhere_to_be_seen(engine: PostgresEngine) -> None:
    for sql in ("SELECT query FROM pg_stat_activity", "SELECT * FROM pg_stat_get_activity(NULL)"):
        with pytest.raises(ToolError, match="out of reach"):
            engine.admit(sql)


def test_no_refusal_and_no_error_shows_the_server(
    engine: PostgresEngine, postgres: Cluster
) -> None:
    for sql in [
        "SELECT nope FROM visits",
        "SELECT 1 / 0",
        "SELECT * FROM pg_read_file('/a')",
        "SELEC",
    ]:
        said = str(failure(engine, sql))
        assert "LINE 1" not in said
        assert str(postgres.port) not in said
        assert "DECLARE" not in said


# Errors help


def test_an_unknown_table_or_column_is_answered_with_the_nearest(engine: PostgresEngine) -> None:
    def said(sql: str) -> str:
        tables = engine.admit(sql).tables
        try:
            rows_unjudged(engine, sql)
        except psycopg.Error as exc:
            error = engine.explain(exc, tables)
            assert error is not None
            assert error.kind == "sql"
            return str(error)
        raise AssertionError(sql)

    assert "tables: visits" in said("SELECT 1 FROM visit")
    assert "columns of visits: dose" in said("SELECT dosis FROM visits")
    assert "columns of visits: patient" in said("SELECT v.patients FROM visits v")
    assert said("SELECT 1 / 0") == "division by zero"


def test_an_error_of_megabytes_is_cut(engine: PostgresEngine) -> None:
    told = failure(engine, "SELECT (repeat('x', 6000000))::int")
    assert told.kind == "sql"
    assert len(str(told)) <= MOST_SAID + 500


def test_what_is_not_the_servers_failure_is_not_explained(engine: PostgresEngine) -> None:
    assert engine.explain(ValueError("ours"), ()) is None


def test_a_server_that_is_away_is_told_without_its_address(engine: PostgresEngine) -> None:
    told = engine.explain(DatabaseError("PostgreSQL at 10.0.0.1:5432/db: refused"), ())
    assert told is not None
    assert told.kind == "internal"
    assert "10.0.0.1" not in str(told)
