"""PostgreSQL keeps what every engine behind the SQL hand must keep."""

from __future__ import annotations

from typing import ClassVar

import pytest

from tests.contracts.sql_engine import SqlEngineContract, Stand
from tests.support.needs import needs
from tests.support.postgres import PASSWORD, VISITS, Cluster
from tools.sql.engines.postgresql import PostgresEngine

CONTENT = """
    SELECT md5(string_agg(line, '|' ORDER BY line)) FROM (
        SELECT v::text AS line FROM visits v
        UNION ALL SELECT o::text FROM "odd "" one" o
        UNION ALL SELECT relname || relkind::text FROM pg_class
            WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT oid::text FROM pg_largeobject_metadata) l
"""


@pytest.mark.real
@needs("postgresql")
class TestPostgresEngine(SqlEngineContract):
    """The contract, on a server of our own."""

    MORE_READS: ClassVar = (
        "TABLE visits",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY dose) FROM visits",
        "SELECT DISTINCT ON (patient) patient, dose FROM visits ORDER BY patient, dose DESC",
        "SELECT count(*) FILTER (WHERE note ~* 'DROPPED') FROM visits",
        "SELECT (ARRAY[1, 2, 3])[2], '{\"a\": 1}'::jsonb -> 'a', $$it's$$, E'\\''",
        "SELECT x FROM visits, LATERAL (SELECT dose * 2 AS x) AS l LIMIT 1",
        "EXPLAIN (ANALYZE, COSTS off) SELECT count(*) FROM visits",
        "SELECT column_name FROM information_schema.columns WHERE table_name = 'visits'",
        "SELECT relname FROM pg_class WHERE relname = 'visits'",
    )
    MORE_WRITES: ClassVar = (
        "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x",
        "SELECT * INTO t FROM visits",
        "SELECT * FROM visits FOR UPDATE",
        "COPY visits TO '/tmp/ddr-never-there'",
        "DO $$ BEGIN DELETE FROM visits; END $$",
        "SET TRANSACTION READ WRITE",
        "LISTEN a",
        "PREPARE p AS SELECT 1",
        "EXPLAIN ANALYZE DELETE FROM visits",
    )
    REACHES: ClassVar = (
        *SqlEngineContract.REACHES,
        "SELECT pg_sleep(0)",
        "SELECT set_config('a.b', 'c', false)",
        "SELECT pg_terminate_backend(0)",
        "SELECT lo_create(0)",
        "SELECT pg_ls_dir('.')",
    )
    SHOWS: ClassVar = (
        "SHOW data_directory",
        "SELECT current_setting('data_directory')",
        "SELECT * FROM pg_settings",
        "SELECT inet_server_addr()::text || inet_server_port()",
        "SELECT * FROM pg_stat_activity",
        "SELECT * FROM pg_hba_file_rules",
        "SELECT version(), current_user, current_database()",
        "SELECT * FROM information_schema.tables",
    )
    VALUES: ClassVar = (
        "SELECT 12345678901234567890.12::numeric(22, 2), 9007199254740993::bigint, 'nan'::float8,"
        " date '2024-01-01', '\\x00ff'::bytea, NULL"
    )
    MANY: ClassVar = "SELECT repeat('x', 1000) FROM generate_series(1, 3000000)"
    ENDLESS: ClassVar = "SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b WHERE a + b = 7"

    @pytest.fixture(scope="class")
    @classmethod
    def stand(cls, postgres: Cluster) -> Stand:
        url = postgres.make(
            "contract",
            VISITS,
            "ALTER TABLE visits ADD PRIMARY KEY (id)",
            'CREATE TABLE "odd "" one" AS SELECT 7 AS "select"',
        )

        def checksum() -> str:
            with postgres.admin("contract") as connection:
                row = connection.execute(CONTENT.encode()).fetchone()
            assert row is not None
            return str(row[0])

        return Stand(
            factory=PostgresEngine,
            location=url,
            checksum=checksum,
            hidden=(str(postgres.folder), str(postgres.port), PASSWORD, "127.0.0.1"),
        )
