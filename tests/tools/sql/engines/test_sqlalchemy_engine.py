"""Any SQLAlchemy URL behind the SQL hand: SQLite by its URL keeps the contract; the unsafe is refused."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from core.errors import DatabaseError, ToolError
from tests.contracts.sql_engine import SqlEngineContract, Stand, ask, refusal
from tools.sql.engine import Engine, EngineLimits
from tools.sql.engines.sqlalchemy_engine import SqlAlchemyEngine, open_url
from tools.sql.engines.text import MOST_SAID
from tools.sql.engines.tree import judge

SQLITE_VISITS = """
    CREATE TABLE visits (
        id INTEGER PRIMARY KEY, patient INTEGER, created_at TIMESTAMP, last_updated TIMESTAMP,
        dose DOUBLE, note TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
    INSERT INTO visits SELECT i, 1 + i % 10, datetime('2024-01-01', i || ' hours'),
        '2024-02-01 00:00:00', i * 0.5,
        CASE i % 3 WHEN 0 THEN 'dropped out' WHEN 1 THEN 'delete; update' ELSE 'a note' END FROM n;
    CREATE TABLE "odd "" one" ("select" INTEGER);
    INSERT INTO "odd "" one" VALUES (7);
"""


def make(path: Path, *more: str) -> str:
    """A SQLite file with the visits; its URL."""
    connection = sqlite3.connect(path)
    connection.executescript(SQLITE_VISITS)
    for statement in more:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return f"sqlite+pysqlite:///{path}"


class TestSqlAlchemyEngineOnSqlite(SqlEngineContract):
    """The contract, through nothing but SQLAlchemy."""

    WRITES: ClassVar = (
        *(sql for sql in SqlEngineContract.WRITES if sql != "VACUUM"),
        "PRAGMA query_only = OFF",
        "REPLACE INTO visits (id) VALUES (1)",
        "VACUUM INTO '/tmp/ddr-never-there'",
    )
    SHOWS: ClassVar = (
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_list",
        "SELECT file FROM pragma_database_list()",
    )
    VALUES: ClassVar = (
        "SELECT '12345678901234567890.12', 9007199254740993, 'NaN', '2024-01-01', x'00ff', NULL"
    )
    MANY: ClassVar = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000)"
        " SELECT printf('%.1000c', 'x') FROM n"
    )
    ENDLESS: ClassVar = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    )

    @pytest.fixture(scope="class")
    @classmethod
    def stand(cls, tmp_path_factory: pytest.TempPathFactory) -> Stand:
        path = tmp_path_factory.mktemp("sqlite") / "visits.sqlite"
        return Stand(
            factory=open_url,
            location=make(path),
            checksum=lambda: hashlib.sha256(path.read_bytes()).hexdigest(),
            hidden=(str(path), str(path.parent)),
        )

    def test_factory_engine_and_cursor_have_their_parts(self, stand: Stand, engine: Engine) -> None:
        assert isinstance(engine, Engine)
        assert engine.dialect == "sqlite", "the language is the database's, not SQLAlchemy's"
        assert stand.factory.dialect == "sqlalchemy"
        assert stand.factory.is_file is False


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[SqlAlchemyEngine]:
    location = make(
        tmp_path / "more.sqlite",
        "CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
        "CREATE TABLE stays (patient INTEGER REFERENCES patients, days REAL)",
        "CREATE VIEW long_stays AS SELECT * FROM stays WHERE days > 2",
    )
    opened = open_url(location, EngineLimits())
    yield opened
    opened.close()


def test_the_inspector_tells_tables_views_and_keys(engine: SqlAlchemyEngine) -> None:
    schema = engine.schema()
    assert [(t.name, t.is_view, t.row_count) for t in schema.tables] == [
        ("long_stays", True, 0),
        ('odd " one', False, 1),
        ("patients", False, 0),
        ("stays", False, 0),
        ("visits", False, 150),
    ]
    patients, stays = schema.table("patients"), schema.table("stays")
    assert patients is not None and stays is not None
    assert [(k.kind, k.columns) for k in patients.keys] == [
        ("primary key", ("id",)),
        ("unique", ("name",)),
    ]
    assert [k.references for k in stays.keys] == ["patients"]
    assert [(c.name, c.nullable) for c in patients.columns] == [("id", True), ("name", False)]


def test_a_percent_sign_and_a_colon_are_nothing_special(engine: SqlAlchemyEngine) -> None:
    answer = ask(engine, "SELECT '100%s :a %(b)s ?' WHERE 'a' LIKE '%a'")
    assert answer.rows == [("100%s :a %(b)s ?",)]


def test_a_long_name_is_not_repeated_in_full(engine: SqlAlchemyEngine) -> None:
    told = refusal(engine, f'SELECT * FROM "{"x" * 15_000}"')
    assert told.kind == "sql"
    assert len(str(told)) < MOST_SAID + 500


def test_a_frame_has_the_types_that_its_values_have(engine: SqlAlchemyEngine) -> None:
    cursor = engine.cursor()
    cursor.execute("SELECT id, dose, note FROM visits")
    frame = cursor.fetch_frame(10)
    cursor.close()
    assert [str(kind) for kind in frame.dtypes][:2] == ["int64", "float64"]


def test_nothing_that_a_statement_leaves_meets_the_next(engine: SqlAlchemyEngine) -> None:
    cursor = engine.cursor()
    cursor.execute("PRAGMA query_only = OFF")
    cursor.close()
    cursor = engine.cursor()
    cursor.execute("PRAGMA query_only")
    assert cursor.fetch(1) == [(1,)]
    cursor.close()


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mssql+pyodbc://reader:secret@host/db", r"no way is known to open mssql.*role_only_reads"),
        ("oracle+oracledb://reader:secret@host/db", "no way is known to open oracle"),
        ("postgresql+psycopg2://reader:secret@host/db", 'dialect = "postgresql"'),
        ("duckdb:///a.duckdb", 'dialect = "duckdb"'),
        ("firebird://reader:secret@host/db", "nothing here can read the SQL of firebird"),
        ("://secret", "cannot be read"),
        ("sqlite+pysqlite:////there/is/no/such/folder/a.sqlite", "unable to open"),
        ("mysql+there_is_no_such_driver://reader:secret@host/db", "install its driver"),
        (
            "oracle+there_is_no_such_driver://reader:secret@host/db?ddr_role=only-reads",
            "install its driver",
        ),
    ],
)
def test_an_url_that_cannot_be_made_safe_or_opened_is_refused_in_words(url: str, says: str) -> None:
    with pytest.raises(DatabaseError, match=says) as caught:
        open_url(url, EngineLimits())
    assert "secret" not in str(caught.value)


def test_a_database_that_went_away_is_told_without_its_place(
    engine: SqlAlchemyEngine, tmp_path: Path
) -> None:
    (tmp_path / "more.sqlite").unlink()
    tmp_path.rename(tmp_path.with_name("moved"))
    cursor = engine.cursor()
    with pytest.raises(DatabaseError) as caught:
        cursor.execute("SELECT 1")
    cursor.close()
    told = engine.explain(caught.value, ())
    assert told is not None
    assert (told.kind, str(tmp_path) in str(told)) == ("internal", False)
    assert "does not answer just now" in str(told)
    assert engine.explain(ValueError("ours"), ()) is None


# The tree

TAME = [
    ("mysql", "SELECT `id`, COUNT(*) FROM visits GROUP BY 1 LIMIT 5"),
    ("tsql", "SELECT TOP 5 [id] FROM visits"),
    ("oracle", "SELECT id FROM visits FETCH FIRST 5 ROWS ONLY"),
    ("snowflake", "SELECT id FROM visits QUALIFY row_number() OVER (ORDER BY id) = 1"),
    ("sqlite", "EXPLAIN QUERY PLAN SELECT 1"),
]


@pytest.mark.parametrize(("dialect", "sql"), TAME)
def test_each_language_is_read_as_its_own(dialect: str, sql: str) -> None:
    judge(sql, dialect)


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("mysql", "SELECT LOAD_FILE('/etc/passwd')"),
        ("mysql", "SELECT * FROM (SELECT SLEEP(9)) t"),
        ("mysql", "SELECT BENCHMARK(1, 1)"),
        ("mysql", "SELECT GET_LOCK('a', 1)"),
        ("mysql", "SELECT @@datadir"),
        ("mysql", "SELECT 1 /*! , SLEEP(9) */"),
        ("mysql", "SELECT 1 INTO OUTFILE '/tmp/x'"),
        ("mysql", "SELECT * FROM mysql.user"),
        ("mysql", "SELECT * FROM information_schema.processlist"),
        ("mysql", "SELECT * FROM performance_schema.threads"),
        ("mysql", "SELECT * FROM visits FOR UPDATE"),
        ("mysql", "KILL 1"),
        ("tsql", "EXEC xp_cmdshell 'dir'"),
        ("tsql", "SELECT * FROM OPENROWSET('a', 'b', 'c')"),
        ("tsql", "SELECT * INTO t FROM visits"),
        ("tsql", "WAITFOR DELAY '00:00:09'"),
        ("oracle", "SELECT UTL_HTTP.REQUEST('http://a') FROM dual"),
        ("oracle", "SELECT * FROM v$session"),
        ("clickhouse", "SELECT * FROM url('http://a', CSV)"),
        ("clickhouse", "SELECT * FROM file('/etc/passwd')"),
        ("clickhouse", "SELECT * FROM system.processes"),
        ("sqlite", "SELECT readfile('/etc/passwd')"),
        ("sqlite", "EXPLAIN DELETE FROM visits"),
        ("sqlite", "EXPLAIN QUERY PLAN DELETE FROM visits"),
        ("sqlite", "ATTACH 'a' AS b"),
        ("sqlite", "WITH x AS (SELECT 1) DELETE FROM visits"),
        ("sqlite", "SELECT 1 UNION SELEKT"),
        ("sqlite", "SELECT " + "1 + " * 10_000 + "1"),
    ],
)
def test_what_reaches_past_the_data_or_cannot_be_judged_is_refused(dialect: str, sql: str) -> None:
    with pytest.raises(ToolError) as caught:
        judge(sql, dialect)
    assert caught.value.kind in {"refused", "sql"}


def test_a_look_elsewhere_is_recorded() -> None:
    with pytest.raises(ToolError) as caught:
        judge("SELECT LOAD_FILE('/etc/passwd') FROM mysql.user", "mysql")
    assert set(caught.value.violations) == {"sql: load_file", "sql: user"}
