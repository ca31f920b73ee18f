"""A store from before there were agents from outside is brought along, and what it holds is read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import StopReason, Trajectory
from server.store import Repository, migrations, open_store
from server.store.migrations import steps
from tests.server.store.outside import PATH, Book
from tests.server.support import draft, insight, spec, turn

BEFORE = 2
"""The steps that made such a store."""
NEW_IN_RUNS = ("outside",)
NEW_IN_TRAJECTORIES = ("reported_agent", "reported_model", "reported_usage")


def without(record: Any, *names: str, **more: Any) -> str:
    """The record's JSON as it was before these fields were known."""
    said = record.model_dump(mode="json")
    for name in names:
        del said[name]
    return json.dumps({**said, **more})


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A store of the schema before, with a run of one finished trajectory."""
    path = tmp_path / "store.sqlite3"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    migrations.migrate(connection, path, steps()[:BEFORE])
    run = spec()
    connection.execute(
        "INSERT INTO runs VALUES (?, ?, ?)",
        (run.id, run.created_at.isoformat(), without(run, *NEW_IN_RUNS)),
    )
    mine = f"{run.id}.01.1.1"
    head = draft(run).model_copy(update={"id": mine, "stop_reason": StopReason.FINISHED})
    parts = ("turns", "nudges", "insights")
    connection.execute(
        "INSERT INTO trajectories VALUES (?, ?, ?, ?, ?, ?, ?)",
        (mine, run.id, "01", 1, 1, "finished", without(head, *NEW_IN_TRAJECTORIES, *parts)),
    )
    for index in (1, 2):
        connection.execute(
            "INSERT INTO turns VALUES (?, ?, ?)", (mine, index, turn(index).model_dump_json())
        )
    said = insight(mine, 1)
    connection.execute(
        "INSERT INTO insights VALUES (?, 1, ?, ?)", (mine, said.id, said.model_dump_json())
    )
    connection.close()
    return path


def read(store: Repository) -> Trajectory:
    (trajectory,) = store.trajectories(spec().id)
    return trajectory


def test_the_step_before_is_the_one_before_agents_from_outside() -> None:
    assert steps()[BEFORE].name == "outside"


def test_old_runs_and_their_trajectories_are_read_as_they_were(old: Path) -> None:
    with open_store(old) as store:
        assert store.runs() == [spec()]
        assert store.run("last").outside is None
        kept = read(store)
        assert [each.index for each in kept.turns] == [1, 2]
        assert kept.turns == (turn(1), turn(2))
        assert [each.text for each in kept.insights] == ["It is so."]
        assert (kept.stop_reason, kept.reported_usage) == (StopReason.FINISHED, None)
        assert store.turns_stored(spec().id) == 2


def test_an_old_store_takes_an_agent_from_outside_beside_its_runs(old: Path) -> None:
    with open_store(old) as store:
        before = read(store)
        store.delete_run(spec().id)
        book = Book(store)
        book.call()
        assert [each.index for each in store.trajectory(book.trajectory_id).turns] == [1]
    assert before.turns


def test_what_a_brought_along_store_has_is_what_a_new_one_has(old: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.sqlite3"
    open_store(new).close()
    open_store(old).close()

    def made(path: Path) -> list[Any]:
        connection = sqlite3.connect(path)
        try:
            query = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
            return connection.execute(query).fetchall()
        finally:
            connection.close()

    assert made(old) == made(new)


def test_the_path_of_a_seat_is_found_without_reading_all_seats(old: Path) -> None:
    with open_store(old):
        connection = sqlite3.connect(old)
        plan = connection.execute(
            "EXPLAIN QUERY PLAN SELECT * FROM seats WHERE path = ?", (PATH,)
        ).fetchall()
        connection.close()
    assert "PRIMARY KEY" in plan[0][3]
