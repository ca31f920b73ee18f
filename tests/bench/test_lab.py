"""The benchmark's data: the same rows every time and in both files, made once, made anew when stale."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from bench import lab as labs
from bench.lab import Lab
from core.errors import ScenarioError
from databases.connection import open_readonly
from tests.bench.labs import ROWS, lab, silent

__all__ = ["lab"]

TEXTS = "SELECT * REPLACE (recorded_at::VARCHAR AS recorded_at) FROM events"


def ours(lab: Lab, sql: str) -> list[tuple[Any, ...]]:
    with open_readonly(lab.database) as connection:
        return connection.execute(sql).fetchall()


def old(lab: Lab, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(lab.old_database)) as connection:
        return connection.execute(sql).fetchall()


def test_there_are_nine_columns_the_promised_rows_and_400_of_them_an_entity(lab: Lab) -> None:
    described = ours(lab, "DESCRIBE events")
    assert len(described) == 9
    assert ours(lab, "SELECT count(*), count(DISTINCT entity_id) FROM events") == [(ROWS, 20)]
    assert lab.entities == 20


def test_the_full_size_is_20_million_rows_of_50_thousand_entities() -> None:
    full = Lab(Path("nowhere"), labs.ROWS)
    assert (full.rows, full.entities) == (20_000_000, 50_000)
    assert "goal" not in full.size
    assert "8,000 rows, the goal is for 20,000,000" in Lab(Path("nowhere"), 8000).size


def test_both_files_hold_the_same_rows_in_the_same_order(lab: Lab) -> None:
    assert ours(lab, TEXTS) == old(lab, "SELECT * FROM events")
    assert ours(lab, "FROM items") == old(lab, "SELECT * FROM items")


def test_the_rows_lie_sorted_by_entity_and_time(lab: Lab) -> None:
    keys = ours(lab, "SELECT entity_id, recorded_at FROM events")
    assert keys == sorted(keys)


def test_the_old_database_has_no_index(lab: Lab) -> None:
    assert old(lab, "SELECT name FROM sqlite_master WHERE type = 'index'") == []
    (plan,) = old(lab, "EXPLAIN QUERY PLAN SELECT * FROM events WHERE entity_id = 'E00003'")
    assert plan[-1] == "SCAN events"


def test_every_event_has_its_item_in_the_dimension(lab: Lab) -> None:
    joined = "SELECT count(*) FROM events JOIN items ON items.item_id = events.item_id"
    assert ours(lab, joined) == [(ROWS,)]


def test_the_same_seed_gives_the_same_rows_whatever_the_number_of_threads(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = labs.prepare(tmp_path / "again", silent, ROWS)
    assert ours(again, "FROM events") == ours(lab, "FROM events")
    monkeypatch.setattr(labs, "SEED", labs.SEED + 1)
    other = labs.prepare(tmp_path / "other", silent, ROWS)
    assert ours(other, "FROM events") != ours(lab, "FROM events")


def test_a_lab_that_is_there_is_not_made_again(lab: Lab) -> None:
    before = [path.stat().st_mtime_ns for path in (lab.database, lab.old_database)]
    said: list[str] = []
    assert labs.prepare(lab.folder.parent, said.append, ROWS) == lab
    assert [path.stat().st_mtime_ns for path in (lab.database, lab.old_database)] == before
    assert said == []


def spoil_record(lab: Lab) -> None:
    record = json.loads((lab.folder / labs.RECORD).read_text("utf-8"))
    (lab.folder / labs.RECORD).write_text(json.dumps(record | {"version": "older"}), "utf-8")


def cut_short(lab: Lab) -> None:
    with lab.old_database.open("r+b") as file:
        file.truncate(4096)


def lose_record(lab: Lab) -> None:
    (lab.folder / labs.RECORD).unlink()


def break_record(lab: Lab) -> None:
    (lab.folder / labs.RECORD).write_text("{", "utf-8")


@pytest.mark.parametrize("harm", [spoil_record, cut_short, lose_record, break_record])
def test_a_lab_of_another_version_or_cut_short_is_made_anew(
    lab: Lab, tmp_path: Path, harm: Any
) -> None:
    shutil.copytree(lab.folder, tmp_path / lab.folder.name)
    copy = Lab(tmp_path / lab.folder.name, ROWS)
    harm(copy)
    said: list[str] = []
    assert labs.prepare(tmp_path, said.append, ROWS) == copy
    assert said[0].startswith("8,000 rows of data")
    assert old(copy, "SELECT count(*) FROM events") == [(ROWS,)]
    labs.prepare(tmp_path, pytest.fail, ROWS)


def test_a_change_of_the_generator_is_a_change_of_the_version(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert labs._is_whole(lab)
    monkeypatch.setattr(labs, "EVENTS_SQL", labs.EVENTS_SQL + " ")
    assert not labs._is_whole(lab)


def test_a_disk_without_room_is_told_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labs, "BYTES_PER_ROW", 10**15)
    with pytest.raises(ScenarioError, match="MB free"):
        labs.prepare(tmp_path, silent, ROWS)
    assert list(tmp_path.rglob("lab.*")) == []


def test_a_lab_that_breaks_off_leaves_no_half_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(what: str) -> None:
        if what.startswith("SQLite"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        labs.prepare(tmp_path, breaks, ROWS)
    left = [path.name for path in (tmp_path / f"lab-{ROWS}").iterdir()]
    assert left == [".lock"]
    whole = labs.prepare(tmp_path, silent, ROWS)
    assert old(whole, "SELECT count(*) FROM events") == [(ROWS,)]


def test_progress_is_told_in_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labs, "BATCH", 3000)
    said: list[str] = []
    labs.prepare(tmp_path, said.append, ROWS)
    assert said[0] == "8,000 rows of data, kept for the next time"
    assert said[-3:] == [
        f"SQLite has {done} rows of events" for done in ("3,000", "6,000", "8,000")
    ]


def test_a_smaller_size_is_asked_for_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(labs.ROWS_VARIABLE, raising=False)
    assert labs.rows_wanted() == labs.ROWS
    monkeypatch.setenv(labs.ROWS_VARIABLE, "1200")
    small = labs.prepare(tmp_path, silent)
    assert (small.rows, small.entities) == (1200, 3)
    assert ours(small, "SELECT count(*) FROM events") == [(1200,)]


def test_entities_that_follow_one_another_are_all_different_and_all_there(lab: Lab) -> None:
    asked = Counter(lab.entity(number) for number in range(lab.entities))
    assert set(asked.values()) == {1}
    assert {(entity,) for entity in asked} == set(
        ours(lab, "SELECT DISTINCT entity_id FROM events")
    )
    full = Lab(Path("nowhere"), labs.ROWS)
    assert len({full.entity(number) for number in range(full.entities)}) == full.entities


def test_our_file_is_a_plain_duckdb_database(lab: Lab) -> None:
    with duckdb.connect(str(lab.database), read_only=True) as connection:
        assert {name for (name,) in connection.execute("SHOW TABLES").fetchall()} == {
            "events",
            "items",
        }
