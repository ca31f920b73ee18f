"""DuckDB keeps the contract of an engine, and tells of itself only where that shows nothing."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from core.errors import DatabaseError, ToolError
from tests.contracts.sql_engine import SqlEngineContract, Stand, ask, refusal
from tests.tools.support import make_visits
from tools.sql.engine import EngineLimits
from tools.sql.engines.duckdb_engine import DuckDbEngine
from tools.sql.engines.text import MOST_SAID

ODD = 'CREATE TABLE "odd "" one" AS SELECT 7 AS "select"'
KEY = "ALTER TABLE visits ADD PRIMARY KEY (id)"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The visits and their odd neighbour, in a folder whose name must not be seen."""
    return make_visits(tmp_path_factory.mktemp("hidden-folder") / "visits.duckdb", KEY, ODD)


@pytest.fixture(scope="module")
def confined(file: Path) -> Iterator[DuckDbEngine]:
    """An engine as a worker in a mount namespace opens it; here it lies where it lies."""
    engine = DuckDbEngine(str(file), EngineLimits(home="/data"))
    yield engine
    engine.close()


class TestDuckDbEngine(SqlEngineContract):
    MORE_READS = (
        "FROM visits LIMIT 1",
        "SUMMARIZE visits",
        "DESCRIBE visits",
        "SHOW TABLES",
        "PIVOT visits ON patient USING sum(dose)",
        "EXPLAIN ANALYZE SELECT count(*) FROM visits",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY dose) FROM visits",
    )
    MORE_WRITES = (
        "WITH x AS (DELETE FROM visits RETURNING *) SELECT * FROM x",
        "EXPLAIN ANALYZE DELETE FROM visits",
        "CREATE TEMP TABLE x AS PIVOT visits ON patient USING sum(dose)",
        "INSERT INTO visits PIVOT visits ON patient USING sum(dose)",
        "SET threads = 4",
        "SET enable_external_access = true",
        "PRAGMA threads = 4",
        "CALL enable_logging()",
        "PREPARE p AS SELECT 1",
        "COPY visits TO '/tmp/ddr-never-written.csv'",
        "EXPORT DATABASE '/tmp/ddr-never-written'",
        "INSTALL httpfs",
        "LOAD json",
    )
    REACHES = (
        *SqlEngineContract.REACHES,
        "SELECT content FROM read_text('/etc/passwd')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM glob('/*')",
    )
    SHOWS = (
        "SELECT * FROM duckdb_databases()",
        "SELECT * FROM duckdb_settings()",
        "SELECT * FROM duckdb_extensions()",
        "SELECT * FROM duckdb_secrets()",
        "SELECT current_setting('temp_directory')",
        "SHOW DATABASES",
        "SHOW temp_directory",
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_size()",
        "SELECT * FROM information_schema.schemata",
    )
    VALUES = (
        "SELECT 12345678901234567890.12::DECIMAL(22,2) d, 9007199254740993::BIGINT b,"
        " 'nan'::DOUBLE x, DATE '2024-01-01' t, '\\x00\\xff'::BLOB y, NULL z"
    )
    MANY = "SELECT repeat('x', 1000), range FROM range(3000000)"
    ENDLESS = (
        "SELECT count(*) FROM range(100000000) a, range(100000000) b WHERE a.range + b.range = 7"
    )

    @pytest.fixture(scope="class")
    @classmethod
    def stand(cls, file: Path) -> Stand:
        return Stand(
            factory=DuckDbEngine,
            location=str(file),
            checksum=lambda: hashlib.sha256(file.read_bytes()).hexdigest(),
            hidden=(str(file.parent), "hidden-folder"),
        )


def test_a_confined_engine_tells_of_itself(confined: DuckDbEngine) -> None:
    assert len(ask(confined, "FROM duckdb_settings()").rows) > 50
    assert ask(confined, "SELECT current_setting('home_directory')").rows == [("/data",)]
    assert ask(confined, "SHOW threads").rows == [(1,)]


def test_a_failure_names_a_file_as_the_statement_did(confined: DuckDbEngine) -> None:
    told = confined.explain(duckdb.PermissionException('Cannot access file "/x/y.csv" - no'), ())
    assert told is not None
    assert (told.kind, told.violations) == ("refused", ("sql: file /x/y.csv",))
    assert "/x/y.csv" in str(told)


def test_a_look_of_the_engine_into_its_own_folder_is_no_attempt(confined: DuckDbEngine) -> None:
    told = refusal(confined, "SELECT * FROM duckdb_extensions()")
    assert (told.kind, told.violations) == ("refused", ())
    assert "/data" not in str(told)
    other = duckdb.PermissionException('Cannot access file "/data/extensions.csv" - no')
    assert (seen := confined.explain(other, ())) is not None
    assert seen.violations == ("sql: file /data/extensions.csv",)


def test_an_error_of_megabytes_is_cut_before_anyone_looks_at_it(confined: DuckDbEngine) -> None:
    began = time.monotonic()
    for filling in ("'x'", "chr(10)", "'Table with name '", "'Did you mean '"):
        told = refusal(confined, f"SELECT error(repeat({filling}, 400000) || 'x')")
        assert told.kind == "sql"
        assert len(str(told)) < MOST_SAID + 500
    assert time.monotonic() - began < 20


def test_too_little_memory_is_a_limit(tmp_path: Path) -> None:
    small = make_visits(tmp_path / "small.duckdb")
    engine = DuckDbEngine(str(small), EngineLimits(memory_mb=16, spill_mb=1))
    try:
        told = refusal(engine, "SELECT list(repeat('x', 1000) || range) FROM range(1000000)")
        assert told.kind == "limit"
        assert "filter or aggregate earlier" in str(told)
    finally:
        engine.close()


def test_what_is_no_failure_of_duckdb_is_left_to_others(confined: DuckDbEngine) -> None:
    assert confined.explain(ZeroDivisionError(), ()) is None


def test_what_a_statement_leaves_behind_ends_with_its_cursor(confined: DuckDbEngine) -> None:
    with closing(confined.cursor()) as cursor:  # past the gate and the cursor's own look
        cursor._connection.execute("CREATE TEMP TABLE visits AS SELECT 1 AS id")
    assert ask(confined, "SELECT count(*) FROM visits").rows == [(150,)]


def test_a_file_that_is_none_is_told_to_the_person_who_serves(tmp_path: Path) -> None:
    (tmp_path / "no.duckdb").write_text("no database", encoding="ascii")
    with pytest.raises(DatabaseError, match=r"no\.duckdb is not a readable DuckDB database"):
        DuckDbEngine(str(tmp_path / "no.duckdb"), EngineLimits())


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("SELECT visits.nope FROM visits", "columns of visits"),
        ("SELECT nope FROM visits v", "columns of visits"),
        ("SELECT v.patiant FROM visits v", "columns of visits: patient"),
        ("SELECT id FROM visits GROUP BY dosee", "columns of visits: dose"),
        ("SELECT id FROM visits ORDER BY creatd_at", "columns of visits: created_at"),
        ("SELECT * FROM main.vizits", "tables: visits"),
        ('SELECT * FROM "odd one"', 'tables: odd " one'),
        ("SELECT id FROM visits JOIN patients USING (patient)", "tables:"),
        ("SELECT * EXCLUDE (nots) FROM visits", "columns of visits: note"),
        ("DESCRIBE vizits", "tables: visits"),
        ("SUMMARIZE vizits", "tables: visits"),
        (
            'SELECT id FROM visits JOIN "odd "" one" o ON o.selekt = visits.id',
            'columns of odd " one',
        ),
    ],
)
def test_an_error_names_what_is_near(confined: DuckDbEngine, asked: str, found: str) -> None:
    with pytest.raises(ToolError) as caught:
        ask(confined, asked)
    assert caught.value.kind == "sql"
    assert found in str(caught.value)
