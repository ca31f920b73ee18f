"""What every database engine behind the SQL hand must keep; run it against a class of your own:

    from tests.contracts.sql_engine import SqlEngineContract, Stand

    class TestMyEngine(SqlEngineContract):
        @pytest.fixture(scope="class")
        @classmethod
        def stand(cls, tmp_path_factory: pytest.TempPathFactory) -> Stand:
            return Stand(factory=MyEngine, location=..., checksum=..., hidden=(...,))

The database holds the two tables that VISITS describes. Statements that your dialect writes in another
way are replaced by class attributes. No attack here does harm where it succeeds: none names a file that
matters, and every loop is bounded.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pytest

from core.errors import ToolError
from tests.support.needs import needs
from tools.sql.engine import Cursor, Engine, EngineFactory, EngineLimits
from tools.values import as_json

VISITS = """
visits:   150 rows, ids 1 to 150: id (primary key), patient = 1 + id % 10, created_at and last_updated (times),
          dose = id / 2, note = 'dropped out', 'delete; update' or 'a note' by id % 3 = 0, 1, 2
"odd "" one": one row; a column "select" that holds 7
"""
PATIENCE_S = 20
"""Until when a statement that was interrupted must have ended. Generous: the machine may be busy."""


@dataclass(frozen=True)
class Stand:
    """A database for the suite, and what is known of it from outside."""

    factory: EngineFactory
    location: str
    checksum: Callable[[], str]
    """Of all that is stored; another one once anything was changed."""
    hidden: tuple[str, ...]
    """Texts that no reply may hold: the database's path, a password, an address."""


@dataclass(frozen=True)
class Answer:
    """A whole result."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def ask(engine: Engine, sql: str, most: int = 1000) -> Answer:
    """Judge and run a statement as a worker does. Raises ToolError."""
    tables: tuple[str, ...] = ()
    try:
        tables = engine.admit(sql).tables
        return run(engine, sql, most)
    except ToolError:
        raise
    except Exception as exc:
        told = engine.explain(exc, tables)
        assert told is not None, f"the engine does not know its own failure: {exc!r}"
        raise told from exc


def run(engine: Engine, sql: str, most: int = 1000) -> Answer:
    """Run a statement without asking the gate. Raises the engine's own exception."""
    cursor = engine.cursor()
    try:
        cursor.execute(sql)
        rows: list[tuple[Any, ...]] = []
        while len(rows) < most and (block := cursor.fetch(most - len(rows))):
            rows.extend(block)
        return Answer(cursor.columns, rows)
    finally:
        cursor.close()


def refusal(engine: Engine, sql: str) -> ToolError:
    """The error of a statement that must not run."""
    with pytest.raises(ToolError) as caught:
        ask(engine, sql)
    return caught.value


class SqlEngineContract:
    """Subclass it and give it a `stand`."""

    READS: ClassVar[tuple[str, ...]] = (
        "SELECT created_at, last_updated FROM visits",
        "SELECT REPLACE(note,'a','b') FROM visits",
        "SELECT id FROM visits WHERE note LIKE '%dropped out%'",
        "SELECT id FROM visits WHERE note='delete; update'",
        "VALUES (1)",
        "WITH m AS (SELECT 1 AS a) SELECT * FROM m",
        "SELECT 1;",
        "SELECT 1; ",
        "SELECT 1; -- drop table visits",
        "-- a comment first\nSELECT 1 -- and last",
        "/* DELETE FROM visits; */ SELECT 1",
        "SELECT id, row_number() OVER (PARTITION BY patient ORDER BY dose) FROM visits",
        "SELECT patient, count(*), avg(dose) FROM visits GROUP BY patient HAVING count(*) > 1",
        "SELECT a.id FROM visits a JOIN visits b ON a.id = b.id WHERE a.patient IN (1, 2)",
        "SELECT id FROM visits UNION ALL SELECT patient FROM visits ORDER BY 1 LIMIT 5",
        "SELECT id FROM visits v WHERE EXISTS (SELECT 1 FROM visits w WHERE w.id = v.id + 1)",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT x FROM c",
        'SELECT "created_at" AS "drop table visits" FROM visits',
        'SELECT "select" FROM "odd "" one"',
        "SELECT CASE WHEN dose > 3 THEN 'ATTACH' ELSE 'copy' END AS \"update\" FROM visits",
    )
    MORE_READS: ClassVar[tuple[str, ...]] = ()
    """What reads in your dialect alone."""
    WRITES: ClassVar[tuple[str, ...]] = (
        "DELETE FROM visits",
        "WITH x AS (SELECT 1) DELETE FROM visits -- limit",
        "UPDATE visits SET dose = 0",
        "INSERT INTO visits SELECT * FROM visits",
        "DROP TABLE visits",
        "ALTER TABLE visits ADD COLUMN x INTEGER",
        "CREATE TABLE t AS SELECT 1 AS a",
        "CREATE TEMPORARY TABLE visits AS SELECT 1 AS id",
        "CREATE TEMPORARY VIEW visits AS SELECT 1 AS id",
        "CREATE INDEX i ON visits (id)",
        "CREATE VIEW w AS SELECT 1 AS a",
        "EXPLAIN DELETE FROM visits",
        "BEGIN",
        "COMMIT",
        "ANALYZE",
        "VACUUM",
    )
    MORE_WRITES: ClassVar[tuple[str, ...]] = ()
    REACHES: ClassVar[tuple[str, ...]] = (
        "ATTACH '/tmp/ddr-never-there' AS z",
        "SELECT load_extension('/tmp/ddr-never-there')",
        "SELECT * FROM pg_read_file('/etc/passwd')",
        "SELECT pg_read_file('/etc/passwd')",
    )
    """Looks past the database: refused, and recorded as a violation where the engine knows the name."""
    SHOWS: ClassVar[tuple[str, ...]] = ()
    """Whatever may tell where the database lies; each is refused, or shows nothing of `hidden`."""
    VALUES: ClassVar[str] = ""
    """One row: a decimal 12345678901234567890.12, an integer 9007199254740993, a NaN, the date
    2024-01-01, the bytes 00 ff, and NULL (field case F14)."""
    AS_VALUES: ClassVar[tuple[Any, ...]] = (
        "12345678901234567890.12",
        9007199254740993,
        "NaN",
        "2024-01-01",
        "base64:AP8=",
        None,
    )
    MANY: ClassVar[str] = ""
    """Three million rows, the first column a text of 1000 characters."""
    ENDLESS: ClassVar[str] = ""
    """Hours of work, open to interruption (field case F11)."""
    PRIMARY_KEYS: ClassVar[bool] = True
    """Whether the database keeps declared keys."""

    @pytest.fixture(scope="class")
    @classmethod
    def stand(cls, tmp_path_factory: pytest.TempPathFactory) -> Stand:
        raise NotImplementedError("give a database of your engine")

    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls, stand: Stand) -> Iterator[Engine]:
        """One engine for the whole class; it must bear whatever a test does to it."""
        before = stand.checksum()
        engine = stand.factory(stand.location, EngineLimits())
        yield engine
        engine.close()
        assert stand.checksum() == before, "the suite changed the database"

    def test_factory_engine_and_cursor_have_their_parts(self, stand: Stand, engine: Engine) -> None:
        assert isinstance(engine, Engine)
        assert engine.dialect == stand.factory.dialect
        assert isinstance(stand.factory.is_file, bool)
        cursor = engine.cursor()
        assert isinstance(cursor, Cursor)
        assert cursor.columns == ()
        cursor.close()

    def test_every_honest_read_runs(self, engine: Engine) -> None:
        for sql in self.READS + self.MORE_READS:
            answer = ask(engine, sql)
            assert answer.rows, sql
            assert len(answer.columns) == len(answer.rows[0]), sql

    def test_every_write_is_refused_in_words(self, engine: Engine) -> None:
        for sql in self.WRITES + self.MORE_WRITES:
            told = refusal(engine, sql)
            assert told.kind in {"refused", "sql"}, (sql, told.kind)
            assert "internal" not in str(told)
            assert str(told), sql

    def test_what_passes_by_the_gate_changes_nothing_and_leaves_nothing(
        self, stand: Stand, engine: Engine
    ) -> None:
        before = stand.checksum()
        for sql in self.WRITES + self.MORE_WRITES + self.REACHES:
            try:
                run(engine, sql)
            except Exception as exc:  # noqa: BLE001 - each engine has its own
                told = engine.explain(exc, ())
                assert isinstance(told, ToolError), (sql, exc)
                self._shows_nothing(stand, str(told))
            assert ask(engine, "SELECT count(*), sum(dose) FROM visits").rows == [(150, 5662.5)], (
                sql
            )
        assert stand.checksum() == before

    def test_a_look_past_the_database_is_refused(self, stand: Stand, engine: Engine) -> None:
        for sql in self.REACHES:
            told = refusal(engine, sql)
            assert told.kind in {"refused", "sql"}, (sql, told.kind)
            assert "root:" not in str(told)
            self._shows_nothing(stand, str(told))

    def test_nothing_tells_where_the_database_lies(self, stand: Stand, engine: Engine) -> None:
        for sql in self.SHOWS:
            try:
                shown = str(ask(engine, sql))
            except ToolError as exc:
                shown = f"{exc} {exc.violations}"
            self._shows_nothing(stand, shown)

    def _shows_nothing(self, stand: Stand, text: str) -> None:
        for secret in stand.hidden:
            assert secret not in text

    @pytest.mark.parametrize(
        "sql",
        [
            "COMMIT; DELETE FROM visits; SELECT 1",
            "SELECT 1; DROP TABLE visits",
            "SELECT 1; SELECT 2",
            "SELECT 1;\n-- a comment\n; SELECT 2",
        ],
    )
    def test_more_than_one_statement_is_refused_before_any_runs(
        self, engine: Engine, sql: str
    ) -> None:
        assert "one statement per call" in str(refusal(engine, sql))
        assert ask(engine, "SELECT count(*) FROM visits").rows == [(150,)]

    @pytest.mark.parametrize("sql", ["", " \n", "-- nothing but a comment", ";", "/* so */ ;"])
    def test_an_empty_text_is_told_what_to_send(self, engine: Engine, sql: str) -> None:
        told = refusal(engine, sql)
        assert told.kind == "sql"
        assert "send one SELECT" in str(told)

    @pytest.mark.parametrize("sql", ["SELECT '\0'", "SELECT '\ud800'", "SELEC 1", "SELECT 'open"])
    def test_what_is_no_sql_is_an_error_of_the_query(self, engine: Engine, sql: str) -> None:
        assert refusal(engine, sql).kind == "sql"

    def test_a_statement_that_fails_while_it_runs_is_an_error_of_the_query(
        self, engine: Engine
    ) -> None:
        assert refusal(engine, "SELECT no_such_function(1)").kind == "sql"

    def test_values_survive(self, engine: Engine) -> None:
        (row,) = ask(engine, self.VALUES).rows
        assert tuple(as_json(value) for value in row) == self.AS_VALUES

    def test_dates_are_dates_or_their_text(self, engine: Engine) -> None:
        (row,) = ask(engine, self.VALUES).rows
        assert row[3] in {date(2024, 1, 1), "2024-01-01"}

    def test_two_columns_of_one_name_are_both_kept(self, engine: Engine) -> None:
        answer = ask(engine, "SELECT 1 AS a, 2 AS a, id FROM visits WHERE id = 3")
        assert answer.columns == ("a", "a", "id")
        assert answer.rows == [(1, 2, 3)]

    def test_columns_have_types(self, engine: Engine) -> None:
        cursor = engine.cursor()
        cursor.execute("SELECT id, note FROM visits")
        assert len(cursor.types) == len(cursor.columns) == 2
        assert all(isinstance(kind, str) for kind in cursor.types)
        cursor.close()

    def test_an_empty_result_has_columns(self, engine: Engine) -> None:
        answer = ask(engine, "SELECT id, note FROM visits WHERE id < 0")
        assert (answer.columns, answer.rows) == (("id", "note"), [])

    def test_rows_come_in_the_portions_that_are_asked_for(self, engine: Engine) -> None:
        cursor = engine.cursor()
        cursor.execute("SELECT id FROM visits ORDER BY id")
        portions = [[row[0] for row in cursor.fetch(count)] for count in (1, 0, 9, 1000, 5)]
        cursor.close()
        assert portions == [[1], [], list(range(2, 11)), list(range(11, 151)), []]

    @needs("linux")
    def test_a_large_result_is_never_held_whole(self, engine: Engine) -> None:
        run(engine, "SELECT 1")
        before = _resident_mb()
        cursor = engine.cursor()
        cursor.execute(self.MANY)
        assert len(cursor.fetch(1)[0][0]) == 1000
        assert len(cursor.fetch(500)) == 500
        cursor.close()
        assert _resident_mb() - before < 100
        assert ask(engine, "SELECT 2").rows == [(2,)]

    def test_a_frame_holds_the_rows_as_columns(self, engine: Engine) -> None:
        cursor = engine.cursor()
        cursor.execute("SELECT id, dose, id FROM visits ORDER BY id")
        ids: list[int] = []
        while len(frame := cursor.fetch_frame(64)):
            assert list(frame.columns)[:2] == ["id", "dose"]
            assert len(frame.columns) == 3, "the other id is there too, under whatever name"
            assert frame.iloc[:, 0].tolist() == frame.iloc[:, 2].tolist()
            ids += frame.iloc[:, 0].tolist()
        cursor.close()
        assert ids == list(range(1, 151))

    def test_an_empty_frame_has_columns(self, engine: Engine) -> None:
        cursor = engine.cursor()
        cursor.execute("SELECT id, note FROM visits WHERE id < 0")
        frame = cursor.fetch_frame(64)
        cursor.close()
        assert list(frame.columns) == ["id", "note"]
        assert len(frame) == 0

    def test_a_statement_without_end_is_interrupted_and_the_engine_goes_on(
        self, engine: Engine
    ) -> None:
        cursor = engine.cursor()
        ended: list[Exception] = []

        def work() -> None:
            try:
                cursor.execute(self.ENDLESS)
                while cursor.fetch(1000):
                    pass
            except Exception as exc:  # noqa: BLE001 - each engine has its own
                ended.append(exc)

        thread = threading.Thread(target=work)
        thread.start()
        for _ in range(PATIENCE_S * 20):
            thread.join(0.05)
            if not thread.is_alive():
                break
            cursor.interrupt()
        assert not thread.is_alive()
        cursor.close()
        told = engine.explain(ended[0], ())
        assert told is not None
        assert told.kind == "cancelled"
        assert ask(engine, "SELECT count(*) FROM visits").rows == [(150,)]

    def test_an_interrupt_between_statements_hurts_no_one(self, engine: Engine) -> None:
        idle = engine.cursor()
        idle.interrupt()
        other = engine.cursor()
        other.execute("SELECT id FROM visits ORDER BY id")
        idle.interrupt()
        assert other.fetch(2) == [(1,), (2,)]
        other.close()
        idle.close()

    def test_several_threads_have_a_cursor_each(self, engine: Engine) -> None:
        found: dict[int, list[tuple[Any, ...]]] = {}

        def work(number: int) -> None:
            found[number] = ask(engine, f"SELECT count(*) FROM visits WHERE id <= {number}").rows

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        assert found == {n: [(n,)] for n in range(1, 9)}

    def test_the_schema_names_every_table_and_column(self, engine: Engine) -> None:
        schema = engine.schema()
        visits = schema.table("visits")
        assert visits is not None
        names = ["id", "patient", "created_at", "last_updated", "dose", "note"]
        assert [column.name for column in visits.columns] == names
        assert all(column.type for column in visits.columns)
        assert visits.row_count == 150
        assert not visits.is_view
        odd = schema.table('odd " one')
        assert odd is not None
        assert ask(engine, f"SELECT * FROM {odd.quoted}").rows == [(7,)]
        if self.PRIMARY_KEYS:
            assert [(key.kind, key.columns) for key in visits.keys] == [("primary key", ("id",))]

    def test_an_unknown_column_names_the_columns_that_exist(self, engine: Engine) -> None:
        told = refusal(engine, "SELECT dosis FROM visits")
        assert told.kind == "sql"
        assert "columns of visits: dose" in str(told)
        assert "created_at" in str(told)

    def test_an_unknown_table_names_the_tables_that_exist(self, engine: Engine) -> None:
        told = refusal(engine, "SELECT * FROM vizits")
        assert told.kind == "sql"
        assert "tables: visits" in str(told)

    def test_what_a_statement_reads_is_said(self, engine: Engine) -> None:
        sql = "SELECT id FROM visits"
        admitted = engine.admit(sql)
        assert admitted.reads == sql
        assert "visits" in admitted.tables

    def test_a_plan_reads_nothing(self, engine: Engine) -> None:
        assert engine.admit("EXPLAIN SELECT id FROM visits").reads is None


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
