"""A database that is missing, locked, corrupt or changed is named, with what mends it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.support import spec

RUN = ("run", "--scenario", "flights", "--agent", "profiler", "--entities", "01", "--tools", "sql")


@pytest.fixture
def database(home: Path, flights_home: Path) -> Path:
    """A copy of the built database that a test may spoil."""
    folder = home / "scenarios" / "flights"
    folder.parent.mkdir(parents=True, mode=0o700)
    shutil.copytree(flights_home / "scenarios" / "flights", folder)
    return folder / "flights.duckdb"


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 2**20])


def _scribble(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[:65536] = b"\xff" * 65536
    path.write_bytes(content)


def _change(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE carriers SET carrier_name = 'X' WHERE carrier_id = '01'")


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (Path.unlink, "is missing"),
        (_cut, ""),
        (_scribble, ""),
        (_change, "has changed since it was built"),
    ],
)
def test_a_spoilt_database_is_refused_with_the_command_that_mends_it(
    ddr: Ddr, database: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(database)
    done = ddr(*RUN)
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert said in done.err
    assert "ddr scenarios build flights" in done.err
    assert ddr("runs", "--json").json == {"runs": []}


HOLD = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def writer(database: Path) -> Iterator[None]:
    """Another process that has the database open for writing."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    yield
    child.communicate()


@pytest.mark.usefixtures("writer")
def test_a_database_that_a_writer_holds_is_named_and_not_waited_for(ddr: Ddr) -> None:
    done = ddr(*RUN)
    assert done.code == 1
    assert "flights.duckdb" in done.err
    assert "writer" in done.err


def test_a_run_does_not_go_on_over_another_content(ddr: Ddr, database: Path) -> None:
    begun = spec(scenario_id="flights", scenario_fingerprint="0" * 64, agent="profiler")
    with open_store(database.parents[2] / "store.sqlite3") as store:
        store.add_run(begun)
    done = ddr("run", "--resume", "last")
    assert done.code == 1
    assert f"has changed since run {begun.id} began" in done.err
    assert "ddr run --scenario flights --agent profiler" in done.err
    with open_store(database.parents[2] / "store.sqlite3") as store:
        assert store.all_attempts(begun.id) == []
