"""A store grows from version to version, whole or not at all."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from core.errors import StoreError
from core.trajectory import Nudge
from server.store import migrations, open_store
from server.store.migrations import Step, statements, steps
from tests.server.support import draft, spec, turn


def _raw(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None)


def test_steps_are_numbered_without_gaps_from_one() -> None:
    assert [step.number for step in steps()] == list(range(1, len(steps()) + 1))


def test_a_new_store_has_the_newest_version_and_opening_it_again_changes_nothing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite3"
    for _ in range(2):
        with open_store(path) as store:
            store.runs()
    assert migrations.version(_raw(path)) == steps()[-1].number


def test_the_mapped_tables_are_the_migrated_ones(tmp_path: Path) -> None:
    from server.store.tables import Base

    path = tmp_path / "store.sqlite3"
    open_store(path).close()
    connection = _raw(path)
    for name, table in Base.metadata.tables.items():
        found = {row[1] for row in connection.execute(f"PRAGMA table_info({name})")}
        assert found == set(table.columns.keys()), name


def test_a_store_from_before_there_were_nudges_takes_them(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    connection = _raw(path)
    migrations.migrate(connection, path, steps()[:1])
    run = spec()
    row = (run.id, run.created_at.isoformat(), run.model_dump_json())
    connection.execute("INSERT INTO runs VALUES (?, ?, ?)", row)
    connection.close()
    call = turn(1, tokens=1).call
    assert call is not None
    with open_store(path) as store:
        assert store.runs() == [run]
        only = store.start_trajectory(draft(run))
        store.add_nudge(only.id, Nudge(after_turn=0, text="hm", call=call))
        assert [n.text for n in store.trajectory(only.id).nudges] == ["hm"]


def test_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with open_store(path) as store:
        store.add_run(spec())
    _raw(path).execute("PRAGMA user_version = 9999")
    with pytest.raises(StoreError, match=r"schema 9999.*written by a newer ddr.*update"):
        open_store(path)
    assert _raw(path).execute("SELECT count(*) FROM runs").fetchone() == (1,)


def test_a_step_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    connection = _raw(path)

    def apply(connection: sqlite3.Connection, step: Step) -> None:
        connection.execute(f"CREATE TABLE t{step.number} (x)")
        if step.number == 2:
            connection.execute("INSERT INTO nowhere VALUES (1)")

    monkeypatch.setattr(migrations, "_apply", apply)
    known = [Step(1, "one", "sql"), Step(2, "two", "sql")]
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrations.migrate(connection, path, known)
    assert migrations.version(connection) == 0
    assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)


def test_only_the_missing_steps_are_applied_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    connection = _raw(path)
    connection.execute("PRAGMA user_version = 1")
    seen: list[int] = []
    monkeypatch.setattr(migrations, "_apply", lambda _connection, step: seen.append(step.number))
    migrations.migrate(connection, path, [Step(n, "s", "sql") for n in (1, 2, 3)])
    assert seen == [2, 3]
    assert migrations.version(connection) == 3


def test_processes_that_open_a_new_store_at_once_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    barrier = threading.Barrier(4)
    failed: list[Exception] = []

    def begin() -> None:
        barrier.wait()
        try:
            open_store(path).close()
        except StoreError as exc:
            failed.append(exc)

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_statements_are_split_at_their_ends_and_not_inside_them() -> None:
    text = "-- a; b\nCREATE TABLE t (x TEXT DEFAULT 'a;b');\nINSERT INTO t\nVALUES ('c');\n"
    assert [s.split("\n")[-2][:6] for s in statements(text)] == ["CREATE", "VALUES"]
