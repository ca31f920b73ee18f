"""What is opened read-only can neither be changed nor used to reach another file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest

from core.errors import DatabaseError
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from tests.support.flights import ROOT


@pytest.fixture
def connection(shared_visits: InstalledScenario) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_readonly(shared_visits.database_path) as opened:
        yield opened


def setting(connection: duckdb.DuckDBPyConnection, name: str) -> object:
    row = connection.execute(f"SELECT current_setting('{name}')").fetchone()
    assert row is not None
    return row[0]


def test_the_data_can_be_read(connection: duckdb.DuckDBPyConnection) -> None:
    assert connection.execute("SELECT count(*) FROM visits").fetchall() == [(30,)]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO visits VALUES (99, 1)",
        "WITH x AS (SELECT 1) DELETE FROM visits -- limit",
        "UPDATE visits SET patient = 1",
        "DROP TABLE visits",
        "CREATE TABLE other (x INTEGER)",
        "COMMENT ON TABLE visits IS 'changed'",
        "ALTER TABLE visits ADD COLUMN x INTEGER",
    ],
)
def test_a_write_is_refused(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(duckdb.Error):
        connection.execute(sql)
    assert connection.execute("SELECT count(*), max(id) FROM visits").fetchall() == [(30, 29)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT content FROM read_text('{folder}/secret.txt')",
        "SELECT * FROM '{folder}/secret.csv'",
        "SELECT * FROM read_csv('{folder}/secret.csv')",
        "SELECT * FROM glob('{folder}/*')",
        "COPY (SELECT 1) TO '{folder}/out.csv'",
        "EXPORT DATABASE '{folder}/out'",
        "ATTACH '{folder}/other.duckdb'",
        "ATTACH '{folder}/new.duckdb' AS n",
        "INSTALL httpfs",
        "LOAD '{folder}/evil.duckdb_extension'",
        "CREATE PERSISTENT SECRET s (TYPE http)",
        "CALL enable_logging(storage = 'file', storage_path = '{folder}/out')",
        "PRAGMA profiling_output = '{folder}/out'",
    ],
)
def test_no_other_file_is_reached(
    connection: duckdb.DuckDBPyConnection, tmp_path: Path, sql: str
) -> None:
    (tmp_path / "secret.txt").write_text("hidden")
    (tmp_path / "secret.csv").write_text("a\nhidden\n")
    duckdb.connect(str(tmp_path / "other.duckdb")).close()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(sql.format(folder=tmp_path)).fetchall()
    assert "hidden" not in str(caught.value)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "sql",
    [
        "SET enable_external_access = true",
        "SET lock_configuration = false",
        "RESET lock_configuration",
        "SET python_enable_replacements = true",
        "SET allowed_directories = ['/']",
        "SET threads = 1",
        "SET memory_limit = '1GB'",
        "SET GLOBAL autoload_known_extensions = true",
    ],
)
def test_the_configuration_is_locked(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    with pytest.raises(duckdb.Error):
        connection.execute(sql)


def test_a_python_variable_is_no_table(connection: duckdb.DuckDBPyConnection) -> None:
    import numpy as np

    secrets_of_the_server = {"a": np.array([7])}
    sql = "SELECT a FROM secrets_of_the_server"
    with duckdb.connect() as open_to_all:
        assert open_to_all.execute(sql).fetchall() == [(secrets_of_the_server["a"][0],)]
    with pytest.raises(duckdb.CatalogException):
        connection.execute(sql)


def test_limits_can_be_set_when_it_is_opened(visits: InstalledScenario) -> None:
    with open_readonly(visits.database_path, threads=1, memory_mb=256, spill_mb=8) as connection:
        assert setting(connection, "threads") == 1
        assert setting(connection, "memory_limit") == "256.0 MiB"
        assert setting(connection, "max_temp_directory_size") == "8.0 MiB"
        with pytest.raises(duckdb.Error):
            connection.execute("SET memory_limit = '20GB'")


def test_an_entitys_last_rows_are_looked_up_in_one_scan(tmp_path: Path) -> None:
    lookup = "EXPLAIN SELECT * FROM doses WHERE patient = 3 ORDER BY day DESC LIMIT 20"
    path = tmp_path / "doses.duckdb"
    with duckdb.connect(str(path)) as plain:
        plain.execute(
            "CREATE TABLE doses AS SELECT i % 100 AS patient, i AS day, i * 2 AS a, i * 3 AS b"
            " FROM range(10000) t(i)"
        )
        assert "SEMI" in str(plain.execute(lookup).fetchall()), "a second look, by row number"
    with open_readonly(path) as connection, connection.cursor() as cursor:
        assert "SEMI" not in str(cursor.execute(lookup).fetchall())


def test_a_second_opener_in_the_same_process_shares_the_first_ones_limits(
    visits: InstalledScenario,
) -> None:
    path = visits.database_path
    with open_readonly(path, threads=1) as first, open_readonly(path, threads=2) as second:
        assert setting(second, "threads") == setting(first, "threads") == 1
        with pytest.raises(duckdb.Error):
            second.execute("SET threads = 2")


def test_the_engine_draws_no_bars_on_stdout(visits: InstalledScenario) -> None:
    code = f"""
from pathlib import Path
from databases.connection import open_readonly
with open_readonly(Path({str(visits.database_path)!r})) as connection:
    for one in (connection, connection.cursor()):
        print(one.execute("SELECT current_setting('enable_progress_bar')").fetchall())
"""
    # Started with -c, the engine takes the process for one with a person in front of it.
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout == "[(False,)]\n[(False,)]\n"


def test_threads_may_open_the_same_file_at_once(visits: InstalledScenario) -> None:
    start = threading.Barrier(8)

    def count() -> object:
        start.wait()
        with open_readonly(visits.database_path, threads=1) as connection:
            return connection.execute("SELECT count(*) FROM visits").fetchall()

    with ThreadPoolExecutor(8) as pool:
        assert [f.result() for f in [pool.submit(count) for _ in range(8)]] == [[(30,)]] * 8


def test_a_missing_file_is_named_and_not_created(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match=r"there is no database at .*nothing\.duckdb"):
        open_readonly(tmp_path / "nothing.duckdb")
    assert list(tmp_path.iterdir()) == []


def test_a_file_open_for_writing_in_the_same_process_is_an_error(visits: InstalledScenario) -> None:
    with (
        duckdb.connect(str(visits.database_path)),
        pytest.raises(DatabaseError, match="open in this process with other settings"),
    ):
        open_readonly(visits.database_path)


@pytest.mark.parametrize(
    "name", ["it's", 'a "quote"', "a b", "100%", "#1", "%20", "a;b", "ünï", "a:b", "*", "[a]", "$HOME", "~", "-x", "a\nb"]
)  # fmt: skip
def test_a_path_may_hold_any_honest_character(
    visits: InstalledScenario, tmp_path: Path, name: str
) -> None:
    odd = tmp_path / name / f"{name}.duckdb"
    odd.parent.mkdir()
    shutil.copy(visits.database_path, odd)
    with open_readonly(odd) as connection:
        assert connection.execute("SELECT count(*) FROM visits").fetchall() == [(30,)]


@pytest.mark.parametrize("name", ["what?", "back\\slash"])
def test_a_path_that_the_engine_would_misread_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(DatabaseError, match="set DDR_HOME to a folder without such a character"):
        open_readonly(tmp_path / name / "a.duckdb")


def test_a_relative_path_is_the_same_file(
    visits: InstalledScenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(visits.folder)
    with open_readonly(Path("visits.duckdb")) as connection:
        assert connection.execute("SELECT count(*) FROM visits").fetchall() == [(30,)]


@contextmanager
def somebody_else() -> Iterator[None]:
    """As a user that file modes bind, also where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_this_user_may_not_read_is_said_so(visits: InstalledScenario, what: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "a.duckdb"
        shutil.copy(visits.database_path, path)
        folder.chmod(0o755 if what == "file" else 0)
        path.chmod(0)
        with (
            somebody_else(),
            pytest.raises(DatabaseError, match=r"a\.duckdb may not be read by this user"),
        ):
            open_readonly(path)
        folder.chmod(0o700)
