"""PostgreSQL behind the SQL hand, on a real server: it only reads, it ends in time, it leaves nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from core.errors import DatabaseError, ToolError
from databases.target import RoleError
from tests.support.needs import needs
from tests.support.postgres import PASSWORD, READER, VISITS, Cluster
from tests.tools.sql.pg.test_gate import HIDDEN, READING, WRITING
from tools.sql.engine import Engine, EngineFactory, EngineLimits
from tools.sql.engines.postgresql import TERMINATE_S, PostgresEngine
from tools.values import as_json

pytestmark = [pytest.mark.real, needs("postgresql")]


@pytest.fixture(scope="module")
def engine(pg_visits: str) -> Iterator[PostgresEngine]:
    opened = PostgresEngine(pg_visits, EngineLimits())
    yield opened
    opened.close()


def rows(engine: PostgresEngine, sql: str, count: int = 1000) -> list[tuple[Any, ...]]:
    """What an admitted statement gives."""
    engine.admit(sql)
    return rows_unjudged(engine, sql, count)


def rows_unjudged(engine: PostgresEngine, sql: str, count: int = 1000) -> list[tuple[Any, ...]]:
    """What the server says where the gate was got around: the walls behind it."""
    cursor = engine.cursor()
    try:
        cursor.execute(sql)
        return list(cursor.fetch(count))
    finally:
        cursor.close()


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


def test_what_is_not_the_servers_failure_is_not_explained(engine: PostgresEngine) -> None:
    assert engine.explain(ValueError("ours"), ()) is None


def test_a_server_that_is_away_is_told_without_its_address(engine: PostgresEngine) -> None:
    told = engine.explain(DatabaseError("PostgreSQL at 10.0.0.1:5432/db: refused"), ())
    assert told is not None
    assert told.kind == "internal"
    assert "10.0.0.1" not in str(told)


# The deadline

SLOW = [
    "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 1000000) b WHERE a + b = 7",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c",
    "SELECT sum(length(repeat('x', 10000000 + i % 2))) FROM generate_series(1, 100000) t(i)",
    "SELECT count(*) FROM generate_series(1, 1000000) a WHERE repeat('ab', 3000) ~ ('(a|b)*c' || a)",
    "SELECT pg_sleep(60)",
]


def interrupted(
    engine: PostgresEngine, sql: str, after_s: float = 0.3
) -> tuple[float, ToolError | None]:
    """How long a statement took that is asked to stop, and what is said of it."""
    cursor = engine.cursor()
    over = threading.Event()

    def ask() -> None:
        time.sleep(after_s)
        while not over.wait(0.05):
            cursor.interrupt()

    watcher = threading.Thread(target=ask)
    started = time.monotonic()
    watcher.start()
    try:
        cursor.execute(sql)
        cursor.fetch(1)
    except psycopg.Error as exc:
        return time.monotonic() - started, engine.explain(exc, ())
    finally:
        over.set()
        watcher.join()
        cursor.close()
    return time.monotonic() - started, None


@pytest.mark.parametrize("sql", SLOW)
def test_a_statement_ends_soon_after_it_is_asked_to(engine: PostgresEngine, sql: str) -> None:
    took, error = interrupted(engine, sql)
    assert error is not None
    assert error.kind == "cancelled"
    assert took < 5
    assert rows(engine, "SELECT 1") == [(1,)]


def test_a_statement_that_does_not_listen_loses_its_connection(
    engine: PostgresEngine, postgres: Cluster
) -> None:
    """A function that swallows cancellations; whoever asks on gets its connection ended."""
    with postgres.admin("visits") as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION deaf() RETURNS int LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..100"
            " LOOP BEGIN PERFORM pg_sleep(0.5); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP;"
            " RETURN 1; END $$"
        )
    took, error = interrupted(engine, "SELECT deaf()")
    assert error is not None
    assert error.kind == "cancelled"
    assert TERMINATE_S < took < TERMINATE_S + 10
    assert rows(engine, "SELECT 1") == [(1,)]


def test_an_interrupt_that_comes_too_late_or_too_early_harms_nobody(engine: PostgresEngine) -> None:
    cursor = engine.cursor()
    cursor.interrupt()
    cursor.execute("SELECT 1")
    assert cursor.fetch(1) == [(1,)]
    cursor.close()
    cursor.interrupt()
    for _ in range(20):
        assert rows(engine, "SELECT 1") == [(1,)]


def test_the_server_ends_a_statement_whose_client_was_killed(
    postgres: Cluster, pg_visits: str, tmp_path: Path
) -> None:
    script = tmp_path / "client.py"
    script.write_text(
        "import sys\n"
        "from tools.sql.engine import EngineLimits\n"
        "from tools.sql.engines.postgresql import PostgresEngine\n"
        "cursor = PostgresEngine(sys.stdin.readline().strip(), EngineLimits()).cursor()\n"
        "print('ready', flush=True)\n"
        "cursor.execute('SELECT pg_sleep(100), 4711')\n"
        "cursor.fetch(1)\n",
        encoding="utf-8",
    )
    root = Path(__file__).parents[4]
    client = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert client.stdin is not None and client.stdout is not None
    client.stdin.write(f"{pg_visits}\n".encode())
    client.stdin.flush()
    assert client.stdout.readline() == b"ready\n"
    with postgres.admin() as connection:

        def running() -> int:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%4711%' AND state = 'active'"
                " AND pid <> pg_backend_pid()"
                " OR (query LIKE 'FETCH%' AND state = 'active' AND wait_event = 'PgSleep')"
            ).fetchone()
            assert row is not None
            return int(row[0])

        until(lambda: running() == 1)
        client.send_signal(signal.SIGKILL)
        client.wait()
        until(lambda: running() == 0)
    client.stdin.close()
    client.stdout.close()


def until(holds: Callable[[], bool], bound_s: float = 20) -> None:
    last = time.monotonic() + bound_s
    while not holds():
        assert time.monotonic() < last, "it did not come about"
        time.sleep(0.05)


# Nothing survives a statement


def test_nothing_that_a_statement_leaves_meets_the_next(
    engine: PostgresEngine, pg_visits: str
) -> None:
    """Through the doors behind the gate: what if a function that it does not know set or locked things?"""
    lone = PostgresEngine(pg_visits, EngineLimits())
    pid = rows_unjudged(lone, "SELECT pg_backend_pid()")
    for sql in (
        "SELECT set_config('search_path', 'pg_catalog', false), set_config('statement_timeout', '0', false)",
        "SELECT set_config('default_transaction_read_only', 'off', false)",
        "SELECT set_config('standard_conforming_strings', 'off', false)",
        "SELECT pg_advisory_lock(4711)",
        "SELECT set_config('ddr.mine', 'here', false)",
    ):
        rows_unjudged(lone, sql)
    assert rows_unjudged(lone, "SELECT pg_backend_pid()") == pid, "it is the same connection"
    assert rows_unjudged(
        lone,
        "SELECT current_setting('search_path'), current_setting('statement_timeout'),"
        " current_setting('default_transaction_read_only'), current_setting('transaction_read_only'),"
        " current_setting('standard_conforming_strings')",
    ) == [('"$user", public', "2min", "on", "on", "on")]
    assert rows_unjudged(lone, "SELECT nullif(current_setting('ddr.mine', true), '')") == [(None,)]
    assert rows_unjudged(engine, "SELECT pg_try_advisory_lock(4711)") == [(True,)]
    lone.close()


def test_a_connection_is_wiped_before_it_is_used_again(pg_visits: str) -> None:
    """What no statement of an agent can do, done on the connection itself."""
    lone = PostgresEngine(pg_visits, EngineLimits())
    connection = lone.take()
    pid = connection.info.backend_pid
    for statement in (
        b"LISTEN a",
        b"PREPARE p AS SELECT 1",
        b"SET search_path = pg_catalog",
        b"DECLARE c CURSOR FOR SELECT 1",
        b"SELECT pg_advisory_lock(4712)",
    ):
        connection.execute(statement)
    lone.give_back(connection, sound=True)
    again = lone.take()
    assert again.info.backend_pid == pid
    left = again.execute(
        "SELECT (SELECT count(*) FROM pg_listening_channels()), current_setting('search_path'),"
        " (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors),"
        " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712)"
    ).fetchone()
    assert left == (0, '"$user", public', 0, 0, 0)
    again.close()
    lone.close()


def test_a_large_object_that_was_made_is_gone(engine: PostgresEngine, postgres: Cluster) -> None:
    """Before version 16 a read-only transaction lets a role make them; it is rolled back."""
    try:
        rows_unjudged(engine, "SELECT lo_create(0)")
    except psycopg.Error as exc:  # later versions refuse it
        assert "read-only" in str(exc)
    with postgres.admin("visits") as connection:
        assert connection.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone() == (0,)


def test_a_connection_that_the_server_closed_is_replaced(
    engine: PostgresEngine, postgres: Cluster
) -> None:
    rows(engine, "SELECT 1")
    with postgres.admin() as connection:
        ended = connection.execute(
            "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
            " WHERE datname = 'visits' AND usename = 'reader'"
        ).fetchone()
    assert ended is not None and ended[0] >= 2
    assert rows(engine, "SELECT 1") == [(1,)]
    took, error = interrupted(engine, SLOW[0])
    assert error is not None and took < 5


def test_statements_run_side_by_side_each_on_its_own_connection(engine: PostgresEngine) -> None:
    cursors = [engine.cursor() for _ in range(3)]
    for place, cursor in enumerate(cursors):
        cursor.execute(f"SELECT {place}, id FROM visits ORDER BY id")
    taken = [[cursor.fetch(10) for cursor in cursors] for _ in range(3)]
    for place, cursor in enumerate(cursors):
        ids = [row for turn in taken for row in turn[place]]
        assert ids == [(place, n) for n in range(1, 31)]
        cursor.close()


# The role


@pytest.mark.parametrize(
    ("make", "says", "remedy"),
    [
        ("ALTER ROLE {r} CREATEDB", "role {r} is CREATEDB", 'ALTER ROLE "{r}" NOCREATEDB;'),
        ("ALTER ROLE {r} CREATEROLE", "is CREATEROLE", 'ALTER ROLE "{r}" NOCREATEROLE;'),
        ("ALTER ROLE {r} SUPERUSER", "is SUPERUSER", 'ALTER ROLE "{r}" NOSUPERUSER;'),
        ("ALTER ROLE {r} REPLICATION", "is REPLICATION", 'ALTER ROLE "{r}" NOREPLICATION;'),
        ("ALTER ROLE {r} BYPASSRLS", "is BYPASSRLS", 'ALTER ROLE "{r}" NOBYPASSRLS;'),
        ("GRANT pg_read_server_files TO {r}", "pg_read_server_files", 'REVOKE pg_read_server_files FROM "{r}";'),
        ("GRANT pg_write_all_data TO {r}", "pg_write_all_data", 'REVOKE pg_write_all_data FROM "{r}";'),
        ("GRANT pg_execute_server_program TO {r}", "server_program", 'REVOKE pg_execute_server_program FROM "{r}";'),
        ("GRANT pg_signal_backend TO {r}", "signal", 'REVOKE pg_signal_backend FROM "{r}";'),
        ("GRANT pg_monitor TO {r}", "member of pg_monitor", 'REVOKE pg_monitor FROM "{r}";'),
        ("GRANT INSERT ON visits TO {r}", "INSERT on visits", 'REVOKE INSERT ON visits FROM PUBLIC, "{r}";'),
        ("GRANT UPDATE (note) ON visits TO {r}", "UPDATE on visits", "REVOKE UPDATE ON visits"),
        ("GRANT TRUNCATE ON visits TO PUBLIC", "TRUNCATE on visits", "REVOKE TRUNCATE ON visits"),
        ("GRANT USAGE ON SEQUENCE numbers TO {r}", "USAGE on numbers", "REVOKE USAGE ON SEQUENCE numbers"),
        ("GRANT CREATE ON SCHEMA public TO {r}", "CREATE on schema public", "REVOKE CREATE ON SCHEMA public"),
        ("GRANT TEMPORARY ON DATABASE roles TO PUBLIC", "TEMPORARY on database", "REVOKE TEMPORARY ON DATABASE roles"),
        ("ALTER TABLE visits OWNER TO {r}", "owns table visits", "ALTER TABLE visits OWNER TO another_role;"),
        ("CREATE SCHEMA his AUTHORIZATION {r}", "owns schema his", "ALTER SCHEMA his OWNER TO"),
        ("GRANT EXECUTE ON FUNCTION pg_read_file(text) TO {r}", "pg_read_file", "REVOKE EXECUTE ON FUNCTION"),
        ("CREATE ROLE {r}_more NOINHERIT IN ROLE pg_write_all_data; GRANT {r}_more TO {r}", "pg_write", "REVOKE"),
        ("REVOKE SELECT ON ALL TABLES IN SCHEMA public FROM {r}", "can read no table", "GRANT SELECT ON ALL TABLES"),
    ],
)  # fmt: skip
def test_a_role_that_can_do_more_than_read_is_refused_with_what_to_run(
    role: Callable[[str], Cluster],
    request: pytest.FixtureRequest,
    make: str,
    says: str,
    remedy: str,
) -> None:
    name = f"r{abs(hash(request.node.name)) % 10**8}"
    cluster = role(name)
    with cluster.admin("roles") as connection:
        connection.autocommit = False
        connection.execute(make.format(r=name).encode())
        connection.commit()
        try:
            with pytest.raises(RoleError) as caught:
                PostgresEngine(cluster.url("roles", name), EngineLimits())
        finally:
            _undo(cluster, name)
    assert says.format(r=name) in str(caught.value)
    assert remedy.format(r=name) in caught.value.remedy
    assert PASSWORD not in str(caught.value)


@pytest.fixture
def role(postgres: Cluster) -> Callable[[str], Cluster]:
    """Makes a role that can only read the database `roles`."""

    def make(name: str) -> Cluster:
        with postgres.admin() as connection:
            there = connection.execute("SELECT FROM pg_database WHERE datname = 'roles'").fetchone()
        if there is None:
            postgres.make("roles", VISITS, "CREATE SEQUENCE numbers")
        postgres.run(
            f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'",
            f"GRANT SELECT ON visits TO {name}",
            f"GRANT USAGE ON SCHEMA public TO {name}",
            database="roles",
        )
        PostgresEngine(postgres.url("roles", name), EngineLimits()).close()
        return postgres

    return make


def _undo(cluster: Cluster, name: str) -> None:
    cluster.run(
        f"REASSIGN OWNED BY {name} TO owner",
        f"DROP OWNED BY {name}",
        f"DROP ROLE IF EXISTS {name}_more",
        f"DROP ROLE {name}",
        "REVOKE TRUNCATE ON visits FROM PUBLIC",
        "REVOKE TEMPORARY ON DATABASE roles FROM PUBLIC",
        database="roles",
    )


def test_a_fresh_database_gives_every_role_more_than_reading(postgres: Cluster) -> None:
    postgres.run("CREATE DATABASE fresh")
    with pytest.raises(RoleError, match="TEMPORARY on database fresh"):
        PostgresEngine(postgres.url("fresh"), EngineLimits())


# Connecting


def test_a_wrong_password_is_told_without_the_password(postgres: Cluster) -> None:
    with pytest.raises(DatabaseError, match="password authentication failed") as caught:
        PostgresEngine(postgres.url("visits", password="not:the@right/one"), EngineLimits())
    assert "right" not in str(caught.value)
    assert caught.value.__cause__ is None, "the driver's own error may quote the URL"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://reader@host/db", "begins with postgresql"),
        (f"postgresql+psycopg://{READER}:secret@127.0.0.1:notaport/db", "invalid integer"),
        (f"postgresql+psycopg://{READER}:secret@127.0.0.1:1/db", "127.0.0.1:1/db"),
    ],
)
def test_an_url_that_leads_nowhere_is_told_in_words(url: str, says: str) -> None:
    with pytest.raises(DatabaseError, match=says) as caught:
        PostgresEngine(url, EngineLimits())
    assert "secret" not in str(caught.value)


def test_without_the_driver_the_error_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, pg_visits: str
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(DatabaseError, match=r"pip install 'ddr\[postgres\]'"):
        PostgresEngine(pg_visits, EngineLimits())


def test_the_servers_socket_is_a_way_in_too(postgres: Cluster) -> None:
    postgres.run(f"GRANT SELECT ON visits TO {READER}", database="visits")
    url = f"postgresql+psycopg://{READER}@/visits?host={postgres.folder}&port={postgres.port}"
    opened = PostgresEngine(url, EngineLimits())
    assert rows(opened, "SELECT count(*) FROM visits") == [(150,)]
    opened.close()
