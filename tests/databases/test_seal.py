"""The fingerprint travels inside the file, out of the way of whoever looks at the data."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from core.errors import DatabaseError
from databases.connection import open_readonly
from databases.fingerprint import fingerprint
from databases.installed import InstalledScenario
from databases.seal import read_seal, write_seal


def test_the_seal_travels_with_the_file(shared_visits: InstalledScenario, tmp_path: Path) -> None:
    shutil.copy(shared_visits.database_path, tmp_path / "copy.duckdb")
    with open_readonly(tmp_path / "copy.duckdb") as connection:
        assert read_seal(connection) == shared_visits.scenario.fingerprint


def test_the_seal_is_no_part_of_what_it_seals() -> None:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        before = fingerprint(connection)
        write_seal(connection, before)
        assert fingerprint(connection) == before == read_seal(connection)


@pytest.mark.parametrize(
    "sql",
    [
        "SHOW ALL TABLES",
        "FROM information_schema.tables",
        "FROM information_schema.columns",
        "FROM information_schema.schemata",
        "FROM duckdb_tables()",
        "FROM duckdb_columns() WHERE NOT internal",
        "FROM duckdb_views() WHERE NOT internal",
        "FROM sqlite_master",
    ],
)
def test_nobody_who_lists_tables_sees_the_seal(shared_visits: InstalledScenario, sql: str) -> None:
    with open_readonly(shared_visits.database_path) as connection:
        shown = str(connection.execute(sql).fetchall())
    assert "fingerprint" not in shown
    assert str(shared_visits.scenario.fingerprint) not in shown


def test_a_file_without_a_seal_is_an_error() -> None:
    with duckdb.connect() as connection, pytest.raises(DatabaseError, match="holds no fingerprint"):
        read_seal(connection)


@pytest.mark.parametrize("value", ["", "abc", "g" * 64, "0" * 63 + "'", "A" * 64])
def test_only_a_fingerprint_can_be_sealed(value: str) -> None:
    with duckdb.connect() as connection, pytest.raises(ValueError, match="64 hex digits"):
        write_seal(connection, value)
