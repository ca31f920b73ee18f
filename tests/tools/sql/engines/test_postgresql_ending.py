"""A statement on PostgreSQL ends in time, leaves nothing behind, and disturbs no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from core.errors import ToolError
from tests.support.needs import needs
from tests.support.postgres import Cluster
from tests.tools.sql.engines.statements import rows, rows_unjudged
from tools.sql.engine import EngineLimits
from tools.sql.engines.postgresql import TERMINATE_S, PostgresEngine

pytestmark = [pytest.mark.real, needs("postgresql")]


@pytest.fixture(scope="module")
def engine(pg_visits: str) -> Iterator[PostgresEngine]:
    opened = PostgresEngine(pg_visits, EngineLimits())
    yield opened
    opened.close()


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
