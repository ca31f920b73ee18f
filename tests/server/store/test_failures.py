"""A store that is locked, damaged, full or not ours says so, and how to go on."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from core.errors import LockedError, StoreError
from server.store import Repository, RunLock, is_locked, open_store
from server.store.engine import failures
from tests.server.support import START, draft, spec, turn

ROOT = Path(__file__).parents[3]


def test_the_store_runs_in_wal_with_foreign_keys_and_normal_sync(store: Repository) -> None:
    with store._engine.connect() as connection:
        pragmas = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 1,
        "foreign_keys": 1,
        "busy_timeout": 5000,
    }


def test_a_locked_store_says_so_and_takes_the_record_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with open_store(path, busy_timeout_s=0.05) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"locked by another process.*try again"):
            store.add_run(spec())
        other.execute("ROLLBACK")
        store.add_run(spec())
        assert store.run("last") == spec()


def test_whoever_must_not_wait_is_told_of_a_lock_at_once_and_the_others_wait_as_before(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite3"
    with open_store(path, busy_timeout_s=0.3) as store:
        store.unwaiting().add_run(spec())
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        for attempt, least_s, most_s in ((store.unwaiting(), 0.0, 0.2), (store, 0.25, 5.0)):
            began = time.monotonic()
            with pytest.raises(LockedError):
                attempt.delete_run(spec().id)
            assert least_s <= time.monotonic() - began < most_s
        other.execute("ROLLBACK")
        store.unwaiting().delete_run(spec().id)
        assert store.runs() == []


def test_a_file_that_is_no_database_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    path.write_bytes(b"these are my notes, not a database\n" * 50)
    with pytest.raises(StoreError, match=r"damaged .*\.recover.*move it away"):
        open_store(path)
    assert path.read_bytes().startswith(b"these are my notes")


def test_a_damaged_page_is_a_store_error_not_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with open_store(path) as store:
        run = spec()
        store.add_run(run)
        started = store.start_trajectory(draft(run))
        for index in range(1, 30):
            store.add_turn(started.id, turn(index, result="x" * 4000))
    content = bytearray(path.read_bytes())
    content[8192:] = os.urandom(len(content) - 8192)
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"), open_store(path) as store:
        store.trajectories(spec().id)


def test_a_folder_in_the_stores_place_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened for writing"):
        open_store(tmp_path)


def test_a_home_below_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened for writing"):
        open_store(tmp_path / "file" / "store.sqlite3")


def test_an_error_of_the_file_system_keeps_its_cause(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught, failures(tmp_path / "s"):
        raise OSError(28, "No space left on device")
    assert "the disk or a quota is full" in str(caught.value)
    assert isinstance(caught.value.__cause__, OSError)


FILL = """
import resource, sys
from pathlib import Path
from core.errors import LockedError, StoreError
from server.store import open_store
from tests.server.support import draft, spec, turn

with open_store(Path(sys.argv[1])) as store:
    store.add_run(spec())
    started = store.start_trajectory(draft(spec()))
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    for index in range(1, 1000):
        try:
            store.add_turn(started.id, turn(index, result="x" * 10_000))
        except StoreError as exc:
            print(index, exc)
            break
"""


def test_a_full_disk_is_said_and_what_was_stored_before_is_whole(tmp_path: Path) -> None:
    """The limit on a file's size stands for the full disk: SQLite meets both in write()."""
    path = tmp_path / "store.sqlite3"
    child = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FILL), str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    failed, _, said = child.stdout.partition(" ")
    assert "full" in said
    assert "ddr run --resume" in said
    with open_store(path) as store:
        (kept,) = store.all_attempts(spec().id)
        assert [t.index for t in kept.turns] == list(range(1, int(failed)))
        store.add_turn(kept.id, turn(int(failed)))


HOLD = """
import sys
from pathlib import Path
from server.store.lock import RunLock

with RunLock(Path(sys.argv[1]), "r1"):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_run_is_worked_on_by_one_process_and_a_killed_one_lets_go(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    assert is_locked(tmp_path, "r1")
    assert not is_locked(tmp_path, "r2")
    with (
        pytest.raises(StoreError, match=rf"run r1 is being worked on .*pid {child.pid}"),
        RunLock(tmp_path, "r1"),
    ):
        pass
    child.kill()
    child.communicate()
    with RunLock(tmp_path, "r1"):
        assert is_locked(tmp_path, "r1")
    assert not is_locked(tmp_path, "r1")


def test_a_child_process_does_not_keep_the_lock(tmp_path: Path) -> None:
    with RunLock(tmp_path, "r1") as lock:
        assert lock._fd is not None
        assert fcntl.fcntl(lock._fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC


def test_the_time_of_the_end_is_kept_in_utc(store: Repository) -> None:
    store.add_run(spec())
    assert store.run("last").created_at == START
