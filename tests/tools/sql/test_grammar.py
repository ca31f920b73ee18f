"""Everything that reads runs, everything that writes or reaches away is refused: by thousands of examples."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given

from tests.contracts.sql_engine import ask, refusal
from tests.tools.sql.engines.test_sqlite import BESIDES, VISITS, make
from tests.tools.sql.grammar import examples
from tests.tools.sql.grammar.lite import READING_LITE, WRITING_LITE
from tests.tools.sql.grammar.reading import READING, TABLES
from tests.tools.sql.grammar.writing import WRITING
from tests.tools.support import make_visits
from tools.sql.engine import EngineLimits
from tools.sql.engines.duckdb_engine import DuckDbEngine
from tools.sql.engines.sqlite import SqliteEngine


@pytest.fixture(scope="module")
def duck(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDbEngine]:
    """An engine without walls, where the gate is at its strictest; nothing may change its file."""
    file = make_visits(tmp_path_factory.mktemp("grammar") / "visits.duckdb", *TABLES.split(";\n"))
    before = hashlib.sha256(file.read_bytes()).digest()
    with closing(DuckDbEngine(str(file), EngineLimits())) as engine:
        yield engine
        assert ask(engine, "SELECT count(*), sum(dose) FROM visits").rows == [(150, 5662.5)]
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.fixture(scope="module")
def lite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteEngine]:
    """The same for SQLite."""
    file = make(tmp_path_factory.mktemp("grammar") / "visits.sqlite", VISITS, BESIDES)
    before = hashlib.sha256(file.read_bytes()).digest()
    with closing(SqliteEngine(str(file), EngineLimits())) as engine:
        yield engine
        assert ask(engine, "SELECT count(*), sum(dose) FROM visits").rows == [(150, 5662.5)]
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@examples(10_000)
@given(sql=READING)
def test_every_statement_that_reads_is_admitted_and_runs(duck: DuckDbEngine, sql: str) -> None:
    assert ask(duck, sql, most=20).columns


@examples(10_000)
@given(sql=WRITING)
def test_every_statement_that_writes_or_reaches_away_is_refused(
    duck: DuckDbEngine, sql: str
) -> None:
    told = refusal(duck, sql)
    # Not every dress fits every statement; what is no SQL cannot run either.
    assert told.kind == "refused" or str(told).startswith("Parser Error"), f"{told.kind}: {told}"


@examples(2_000)
@given(sql=READING_LITE)
def test_every_statement_that_reads_sqlite_is_admitted_and_runs(
    lite: SqliteEngine, sql: str
) -> None:
    assert ask(lite, sql, most=20).columns


@examples(2_000)
@given(sql=WRITING_LITE)
def test_every_statement_that_writes_sqlite_or_reaches_away_is_refused(
    lite: SqliteEngine, sql: str
) -> None:
    told = refusal(lite, sql)
    assert told.kind == "refused" or "syntax error" in str(told), f"{told.kind}: {told}"
