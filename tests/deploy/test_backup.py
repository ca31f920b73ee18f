"""A copy of a home while others write in it: whole, sound, for its owner alone, or not there at all."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.trajectory import StopReason
from server.store import open_store
from tests.deploy.dockerfile import ROOT
from tests.deploy.scripts import script
from tests.server.support import START, draft, spec, turn

backup = script("backup")

WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("PRAGMA wal_autocheckpoint = 0")
connection.execute("CREATE TABLE pairs (n INTEGER, half TEXT)")
for n in range(10 ** 9):
    connection.execute("BEGIN")
    connection.execute("INSERT INTO pairs VALUES (?, 'one')", (n,))
    connection.execute("INSERT INTO pairs VALUES (?, 'two')", (n,))
    connection.execute("COMMIT")
    if n == 50:
        print("going", flush=True)
"""
"""Writes both halves of a pair at once, again and again, all of it into the write-ahead log alone."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a run in its store, and something in each of its folders."""
    place = tmp_path / "home"
    place.mkdir(mode=0o700)
    with open_store(place / "store.sqlite3") as store:
        run = spec("20260131-flights-ab12")
        store.add_run(run)
        mine = store.start_trajectory(draft(run, run.entity_ids[0]))
        store.add_turn(mine.id, turn(1))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    for name in ("scenarios/flights/flights.duckdb", "secrets/map.json", "locks/x", "bench/data"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"content")
    return place


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Path]:
    """A home into whose store another process writes without rest."""
    place = tmp_path / "busy"
    place.mkdir()
    store = place / "store.sqlite3"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(store)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"going\n"
        yield place
        process.kill()


def pairs(store: Path) -> tuple[int, int]:
    """How many pairs there are, and how many of them are torn."""
    with closing(sqlite3.connect(store)) as connection:
        count = connection.execute("SELECT count(DISTINCT n) FROM pairs").fetchone()[0]
        torn = connection.execute(
            "SELECT count(*) FROM (SELECT n FROM pairs GROUP BY n HAVING count(*) <> 2)"
        ).fetchone()[0]
    return count, torn


def test_all_is_copied_but_what_belongs_to_processes_that_run(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "backups" / "monday"
    assert backup.main([str(home), str(target)]) == 0
    held = sorted(
        path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()
    )
    assert held == ["scenarios/flights/flights.duckdb", "secrets/map.json", "store.sqlite3"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o700
    assert stat.S_IMODE((target / "store.sqlite3").stat().st_mode) == 0o600


def test_a_copy_is_a_home_that_ddr_goes_on_with(home: Path, tmp_path: Path) -> None:
    backup.back_up(home, tmp_path / "copy")
    with open_store(tmp_path / "copy" / "store.sqlite3") as store:
        assert [run.id for run in store.runs()] == ["20260131-flights-ab12"]
        (trajectory,) = store.trajectories("20260131-flights-ab12")
        assert len(trajectory.turns) == 1


def test_databases_can_be_left_out_since_they_can_be_built_again(
    home: Path, tmp_path: Path
) -> None:
    assert backup.main([str(home), str(tmp_path / "copy"), "--without-scenarios"]) == 0
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [
        "secrets",
        "store.sqlite3",
    ]


def test_a_store_that_is_written_to_is_copied_as_of_one_moment(
    written: Path, tmp_path: Path
) -> None:
    def copied(name: str) -> tuple[int, int]:
        backup.back_up(written, tmp_path / name)
        return pairs(tmp_path / name / "store.sqlite3")

    first = second = copied("first")
    for number in range(50):  # on a busy machine the writer has no turn between two copies
        if second[0] > first[0]:
            break
        second = copied(f"later-{number}")
    assert first[0] > 50
    assert second[0] > first[0], "the writer was held up"
    assert (first[1], second[1]) == (0, 0)


def test_a_copy_of_the_file_alone_would_lack_what_stands_in_the_log(
    written: Path, tmp_path: Path
) -> None:
    shutil.copy2(written / "store.sqlite3", tmp_path / "alone.sqlite3")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        pairs(tmp_path / "alone.sqlite3")


@pytest.mark.parametrize("fault", ["damaged", "there already", "inside", "no home"])
def test_what_cannot_be_copied_leaves_nothing_and_says_why(
    fault: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = home, tmp_path / "copy"
    if fault == "damaged":
        (home / "store.sqlite3").write_bytes(b"not a database" * 1000)
    if fault == "there already":
        target.mkdir()
    if fault == "inside":
        target = home / "copies" / "copy"
    if fault == "no home":
        source = tmp_path / "nowhere"
    before = sorted(tmp_path.rglob("*"))
    assert backup.main([str(source), str(target)]) == 1
    assert capsys.readouterr().err.startswith("error: no copy was made: ")
    assert sorted(tmp_path.rglob("*")) == before


def test_it_runs_with_nothing_but_a_python(home: Path, tmp_path: Path) -> None:
    words = (ROOT / "deploy" / "backup.py", home, tmp_path / "copy")
    command = [sys.executable, "-I", "-S", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path / 'copy'}\n"), done.stderr
