"""SQLite keeps the contract of an engine; only reads can be compiled (field cases F3, F7, F11)."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from core.errors import DatabaseError
from databases.schema import Key
from tests.contracts.sql_engine import SqlEngineContract, Stand, ask, refusal, run
from tools.sql.engine import EngineLimits
from tools.sql.engines.sqlite import SqliteEngine
from tools.sql.engines.text import MOST_SAID
from tools.values import as_json

VISITS = """
    CREATE TABLE visits (id INTEGER PRIMARY KEY, patient INTEGER NOT NULL, created_at TEXT,
                         last_updated TEXT, dose REAL, note TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
    INSERT INTO visits SELECT i, 1 + i % 10, datetime('2024-01-01', i || ' hours'), '2024-02-01', i * 0.5,
        CASE i % 3 WHEN 0 THEN 'dropped out' WHEN 1 THEN 'delete; update' ELSE 'a note' END FROM n;
    CREATE TABLE "odd "" one" ("select" INTEGER);
    INSERT INTO "odd "" one" VALUES (7);
    CREATE TABLE mixed (v, w INT);
    INSERT INTO mixed VALUES (1, 1), (2.5, 9223372036854775807), ('three', NULL), (x'00ff', -5), (NULL, 0);
"""
BESIDES = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT UNIQUE, made AS (id * 2), a, b, UNIQUE (a, b));
    CREATE TABLE v (id INTEGER, p INTEGER REFERENCES p (id), PRIMARY KEY (id, p)) WITHOUT ROWID;
    CREATE VIEW large AS SELECT id FROM visits WHERE dose > 70;
    CREATE VIRTUAL TABLE words USING fts5(body);
    INSERT INTO words VALUES ('delete the table'), ('other');
    CREATE VIRTUAL TABLE places USING rtree(id, low, high);
    INSERT INTO places VALUES (1, 0, 5), (2, 3, 9);
    CREATE TABLE dbstat (x);
    INSERT INTO dbstat VALUES (41);
"""


def make(path: Path, *scripts: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for script in scripts:
            connection.executescript(script)
        connection.commit()
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The visits in a folder whose name must not be seen, and needs quoting in a URI."""
    return make(tmp_path_factory.mktemp("hidden folder%?#") / "visits.sqlite", VISITS)


@pytest.fixture(scope="module")
def engine(file: Path) -> Iterator[SqliteEngine]:
    with closing(SqliteEngine(str(file), EngineLimits())) as engine:
        yield engine


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteEngine]:
    """Views, keys, a full-text index, a table with the name of one of SQLite's own."""
    path = make(tmp_path_factory.mktemp("rich") / "rich.sqlite", VISITS, BESIDES)
    with closing(SqliteEngine(str(path), EngineLimits())) as engine:
        yield engine


class TestSqliteEngine(SqlEngineContract):
    MORE_READS = (
        "SELECT * FROM sqlite_master",
        "SELECT sql FROM sqlite_schema WHERE name = 'visits'",
        "PRAGMA table_info(visits)",
        "PRAGMA main.table_list",
        "PRAGMA user_version",
        "SELECT * FROM pragma_table_info('visits')",
        "EXPLAIN QUERY PLAN SELECT * FROM visits",
        "EXPLAIN SELECT * FROM visits",
        "-- so\n/* and so */ EXPLAIN QUERY PLAN SELECT 1",
        "SELECT value FROM json_each('[1, 2]')",
        "SELECT group_concat(note, '; drop table x') FROM visits",
        "SELECT id FROM visits WHERE note GLOB '*drop*' OR note LIKE '%;%'",
        "WITH x AS MATERIALIZED (SELECT id FROM visits) SELECT sum(id) OVER (ORDER BY id) FROM x",
        "SELECT date('2024-01-01', '+1 day'), strftime('%Y', 'now'), printf('%d', 3)",
        "SELECT iif(1, 2, 3), dose ->> '$' FROM visits LIMIT 1",
    )
    MORE_WRITES = (
        "REPLACE INTO visits SELECT * FROM visits",
        "INSERT INTO visits (id) VALUES (1) ON CONFLICT DO UPDATE SET dose = 1",
        "DELETE FROM visits RETURNING id",
        "UPDATE sqlite_master SET sql = ''",
        "CREATE TEMP TABLE visits (id)",
        "CREATE TEMP TRIGGER t AFTER INSERT ON visits BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE w USING fts5(x)",
        "EXPLAIN QUERY PLAN DELETE FROM visits",
        "EXPLAIN WITH x AS (SELECT 1) DELETE FROM visits",
        "REINDEX",
        "SAVEPOINT s",
        "ROLLBACK",
        "PRAGMA query_only = OFF",
        "PRAGMA writable_schema = ON",
        "PRAGMA user_version = 5",
        "PRAGMA user_version(5)",
        "PRAGMA journal_mode = WAL",
        "PRAGMA wal_checkpoint",
        "PRAGMA optimize",
        "PRAGMA foreign_keys = ON",
        "PRAGMA integrity_check",
        "DETACH main",
    )
    REACHES = (
        *SqlEngineContract.REACHES,
        "ATTACH 'file:x?mode=rwc' AS z",
        "VACUUM INTO '/tmp/ddr-never-written'",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/ddr-never-written', 'x')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT fts3_tokenizer('simple')",
        "SELECT * FROM dbstat",
    )
    SHOWS = (
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_list",
        "SELECT file FROM pragma_database_list()",
        "SELECT * FROM pragma_database_list JOIN visits",
        "EXPLAIN SELECT * FROM pragma_database_list",
        "SELECT * FROM pragma_compile_options",
        "SELECT * FROM sqlite_master",
        "SELECT sqlite_source_id()",
    )
    VALUES = (
        "SELECT '12345678901234567890.12', 9007199254740993, 9e999, '2024-01-01', x'00ff', NULL"
    )
    AS_VALUES = (
        "12345678901234567890.12",
        9007199254740993,
        "Infinity",
        "2024-01-01",
        "base64:AP8=",
        None,
    )
    MANY = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000000)"
        " SELECT printf('%.*c', 1000, 'x'), x FROM c"
    )
    ENDLESS = (
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    )

    @pytest.fixture(scope="class")
    @classmethod
    def stand(cls, file: Path) -> Stand:
        return Stand(
            factory=SqliteEngine,
            location=str(file),
            checksum=lambda: hashlib.sha256(file.read_bytes()).hexdigest(),
            hidden=(str(file.parent), "hidden folder"),
        )


def test_nothing_is_written_beside_the_file(file: Path, engine: SqliteEngine) -> None:
    ask(engine, "SELECT * FROM visits ORDER BY note, dose")
    assert [path.name for path in file.parent.iterdir()] == ["visits.sqlite"]
    assert not Path("/tmp/ddr-never-written").exists()


@pytest.mark.parametrize(
    ("sql", "seen"),
    [
        ("ATTACH '/tmp/ddr-never-there' AS z", "ATTACH"),
        ("VACUUM INTO '/tmp/ddr-never-written'", "VACUUM INTO"),
        ("-- a\nVACUUM main INTO '/tmp/ddr-never-written'", "VACUUM INTO"),
        ("SELECT load_extension('x')", "load_extension"),
        ("SELECT LOAD_EXTENSION('x', 'y')", "load_extension"),
        ("SELECT readfile('/etc/passwd')", "readfile"),
        ("SELECT * FROM pg_read_file('/etc/passwd')", "pg_read_file"),
        ("SELECT * FROM '/etc/passwd'", "file /etc/passwd"),
        ("PRAGMA database_list", "PRAGMA database_list"),
        ("SELECT file FROM pragma_database_list", "pragma_database_list"),
        ("SELECT 1 FROM pragma_database_list", "pragma_database_list"),
        ("SELECT (SELECT file FROM pragma_database_list)", "pragma_database_list"),
        ("SELECT pageno FROM dbstat", "dbstat"),
    ],
)
def test_a_look_past_the_data_is_recorded(engine: SqliteEngine, sql: str, seen: str) -> None:
    told = refusal(engine, sql)
    assert (told.kind, told.violations) == ("refused", (f"sql: {seen}",))


def test_a_plain_write_is_no_attempt_to_look_elsewhere(engine: SqliteEngine) -> None:
    told = refusal(engine, "DELETE FROM visits")
    assert (told.kind, told.violations) == ("refused", ())
    assert "WITH x AS" in str(told)


def test_an_attached_copy_of_the_file_itself_cannot_be_written(
    file: Path, engine: SqliteEngine
) -> None:
    # Field case F3 b: with mode=ro alone this wrote into the benchmark's file.
    with pytest.raises(sqlite3.DatabaseError):
        run(engine, f"ATTACH '{file}' AS z")
    with pytest.raises(sqlite3.DatabaseError):
        run(engine, "INSERT INTO z.visits (id) VALUES (999)")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT ';' AS \";\" -- ; select 2",
        "/* ; */ SELECT 1 AS [;] ;",
        "SELECT 'it''s; so', `id` FROM visits;\n\t-- the end",
    ],
)
def test_a_semicolon_that_ends_nothing_is_no_end(engine: SqliteEngine, sql: str) -> None:
    assert ask(engine, sql).rows


def test_a_pragma_is_refused_with_a_hint(engine: SqliteEngine) -> None:
    assert "PRAGMA table_info(a_table)" in str(refusal(engine, "PRAGMA query_only = OFF"))


def test_values_of_any_type_stand_in_one_column(engine: SqliteEngine) -> None:
    answer = ask(engine, "SELECT v, w FROM mixed ORDER BY rowid")
    assert [as_json(row[0]) for row in answer.rows] == [1, 2.5, "three", "base64:AP8=", None]
    assert [row[1] for row in answer.rows] == [1, 9223372036854775807, None, -5, 0]


def test_a_text_that_is_no_utf8_comes_as_its_bytes(engine: SqliteEngine) -> None:
    assert ask(engine, "SELECT CAST(x'ff41' AS TEXT), 'é'").rows == [(b"\xffA", "é")]


def test_both_infinities_survive(engine: SqliteEngine) -> None:
    (row,) = ask(engine, "SELECT 9e999, -9e999, 0.1").rows
    assert [as_json(value) for value in row] == ["Infinity", "-Infinity", 0.1]


def test_types_are_those_of_the_first_values_that_are_there(engine: SqliteEngine) -> None:
    cursor = engine.cursor()
    cursor.execute("SELECT id, CASE WHEN id > 3 THEN note END, dose, x'00', NULL FROM visits")
    assert cursor.types == ("NULL",) * 5
    cursor.fetch(2)
    assert cursor.types == ("INTEGER", "NULL", "REAL", "BLOB", "NULL")
    cursor.fetch(2)
    assert cursor.types == ("INTEGER", "TEXT", "REAL", "BLOB", "NULL")
    cursor.close()


def test_whole_numbers_keep_their_digits_in_a_frame(engine: SqliteEngine) -> None:
    cursor = engine.cursor()
    cursor.execute("SELECT w, v, 0.5 AS half, 'x' AS text, 1 AS one FROM mixed ORDER BY rowid")
    frame = cursor.fetch_frame(100)
    cursor.close()
    assert frame.w.dtype == pd.Int64Dtype()
    assert frame.w.iloc[1] == 9223372036854775807
    assert frame.w.isna().tolist() == [False, False, True, False, False]
    assert frame.v.tolist()[:4] == [1, 2.5, "three", b"\x00\xff"]
    assert [str(frame[name].dtype) for name in ("half", "one")] == ["float64", "int64"]
    assert isinstance(frame.text.dtype, pd.StringDtype)


def test_a_value_that_is_too_long_is_a_limit(engine: SqliteEngine) -> None:
    told = refusal(engine, "SELECT length(group_concat(hex(zeroblob(9000000)))) FROM visits")
    assert told.kind == "limit"
    assert "64 MB" in str(told)


def test_a_second_statement_after_an_interrupt_is_not_met_by_it(engine: SqliteEngine) -> None:
    cursor = engine.cursor()
    cursor.interrupt()
    with pytest.raises(sqlite3.OperationalError, match="interrupted"):
        cursor.execute(TestSqliteEngine.ENDLESS)
    cursor.close()
    assert ask(engine, "SELECT count(*) FROM visits, visits w").rows == [(22500,)]


def test_connections_are_used_again(engine: SqliteEngine) -> None:
    cursors = [engine.cursor() for _ in range(20)]
    for cursor in cursors:
        cursor.execute("SELECT id FROM visits")
        cursor.close()
        cursor.close()
    assert len(engine._idle) <= 8


def test_the_schema_has_keys_views_and_generated_columns(rich: SqliteEngine) -> None:
    tables = {table.name: table for table in rich.schema().tables}
    p = tables["p"]
    assert [column.name for column in p.columns] == ["id", "code", "made", "a", "b"]
    assert [column.type for column in p.columns] == ["INTEGER", "TEXT", "ANY", "ANY", "ANY"]
    assert p.keys[0] == Key(kind="primary key", columns=("id",))
    assert {key.columns for key in p.keys if key.kind == "unique"} == {("code",), ("a", "b")}
    assert tables["v"].keys == (
        Key(kind="primary key", columns=("id", "p")),
        Key(kind="foreign key", columns=("p",), references="p"),
    )
    large = tables["large"]
    assert (large.is_view, large.row_count, [c.name for c in large.columns]) == (True, 10, ["id"])
    assert (large.view_sql or "").startswith("CREATE VIEW large")
    assert tables["words"].row_count == 2
    assert not any(name.startswith("sqlite_") for name in tables)
    assert [c.nullable for c in tables["visits"].columns][:3] == [False, False, True]


def test_a_full_text_index_and_a_view_can_be_read(rich: SqliteEngine) -> None:
    assert ask(rich, "SELECT body FROM words WHERE words MATCH 'table'").rows == [
        ("delete the table",)
    ]
    assert ask(rich, "SELECT id FROM places WHERE low > 1").rows == [(2,)]
    assert ask(rich, "SELECT count(*) FROM large").rows == [(10,)]
    assert "large" in rich.admit("SELECT id FROM large").tables


def test_a_table_of_the_databases_own_is_never_taken_for_one_of_sqlites(
    rich: SqliteEngine,
) -> None:
    assert ask(rich, "SELECT x FROM dbstat").rows == [(41,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 WHERE 0",
        "SELECT id FROM visits WHERE NULL",
        "SELECT id FROM visits LIMIT 0",
        "SELECT id FROM visits EXCEPT SELECT id FROM visits",
        "PRAGMA table_info(no_such_table)",
        "EXPLAIN SELECT 1 WHERE 0",
        "SELECT id FROM visits WHERE EXISTS (SELECT 1 WHERE 0)",
    ],
)
def test_a_read_without_a_row_is_a_read(engine: SqliteEngine, sql: str) -> None:
    engine.admit(sql)
    if not sql.startswith("EXPLAIN"):
        assert ask(engine, sql).rows == []


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("SELECT v.patiant FROM visits v", "columns of visits: patient"),
        ("SELECT id FROM visits ORDER BY creatd_at", "columns of visits: created_at"),
        ("SELECT * FROM main.vizits", "tables: visits"),
        ('SELECT o.selekt FROM "odd "" one" o', 'columns of odd " one: select'),
    ],
)
def test_an_error_names_what_is_near(engine: SqliteEngine, asked: str, found: str) -> None:
    told = refusal(engine, asked)
    assert told.kind == "sql"
    assert found in str(told)


def test_a_long_name_is_not_repeated_in_full(engine: SqliteEngine) -> None:
    for sql in (f'SELECT * FROM "{"x" * 500_000}"', f"SELECT {'y' * 500_000} FROM visits"):
        told = refusal(engine, sql)
        assert told.kind == "sql"
        assert len(str(told)) < MOST_SAID + 500


def test_what_is_no_failure_of_sqlite_is_left_to_others(engine: SqliteEngine) -> None:
    assert engine.explain(ZeroDivisionError(), ()) is None


def test_what_cannot_be_opened_is_told_to_the_person_who_serves(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="there is no database at"):
        SqliteEngine(str(tmp_path / "nothing.sqlite"), EngineLimits())
    (tmp_path / "no.sqlite").write_text("no database, but long enough to be taken for one" * 9)
    with pytest.raises(DatabaseError, match=r"no\.sqlite is not a readable SQLite database"):
        SqliteEngine(str(tmp_path / "no.sqlite"), EngineLimits())


def test_a_file_whose_last_writes_lie_beside_it_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "wal.sqlite", VISITS)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("DELETE FROM visits WHERE id > 10")
        writer.commit()
        with pytest.raises(DatabaseError, match=r"wal\.sqlite-wal lies beside it"):
            SqliteEngine(str(path), EngineLimits())
    with closing(SqliteEngine(str(path), EngineLimits())) as engine:  # closed, it was merged
        assert ask(engine, "SELECT count(*) FROM visits").rows == [(10,)]


def test_a_journal_that_is_done_is_no_obstacle_and_a_hot_one_is(tmp_path: Path) -> None:
    path = make(tmp_path / "j.sqlite", VISITS)
    journal = tmp_path / "j.sqlite-journal"
    journal.write_bytes(bytes(512))
    SqliteEngine(str(path), EngineLimits()).close()
    journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(504))
    with pytest.raises(DatabaseError, match="is not finished"):
        SqliteEngine(str(path), EngineLimits())
