"""Somebody's SQLite file is read and never written, whatever it holds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from databases.sqlite_file import MAGIC, open_sqlite


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    path = tmp_path / "their file?.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        connection.commit()
    return path


@pytest.mark.parametrize("alone", [False, True])
def test_it_is_read_and_cannot_be_written(theirs: Path, alone: bool) -> None:
    before = theirs.read_bytes()
    assert before.startswith(MAGIC)
    with closing(open_sqlite(theirs, alone=alone)) as connection:
        assert connection.execute("SELECT a FROM t").fetchall() == [(1,)]
        (trusted,) = connection.execute("PRAGMA trusted_schema").fetchone()
        assert trusted == 0
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("INSERT INTO t VALUES (2)")
    assert theirs.read_bytes() == before
    assert list(theirs.parent.iterdir()) == [theirs]


def test_rows_that_another_program_has_not_folded_in_yet_are_seen_unless_it_is_ours_alone(
    theirs: Path,
) -> None:
    with closing(sqlite3.connect(theirs)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO t VALUES (2)")
        writer.commit()
        for alone, count in ((False, 2), (True, 1)):
            with closing(open_sqlite(theirs, alone=alone)) as connection:
                assert connection.execute("SELECT count(*) FROM t").fetchone() == (count,)


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        open_sqlite(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []
