"""A scenario says whether it can be used, who its entities are, and what an agent is told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from core.errors import DatabaseError, ScenarioError, UnknownNameError
from databases.catalog import open_scenario
from databases.installed import TEMP_PREFIX, InstalledScenario, install
from databases.record import NAME
from tests.databases import small

MEND = "ddr scenarios build visits"


@contextmanager
def writer(path: Path) -> Iterator[None]:
    """Another process that holds the database open for writing."""
    code = f"import duckdb, sys; c = duckdb.connect({str(path)!r}); print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            assert process.stdin is not None
            process.stdin.close()


def change(path: Path, sql: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)


def keep_time(path: Path, like: os.stat_result) -> None:
    os.utime(path, ns=(like.st_atime_ns, like.st_mtime_ns))


def test_what_was_just_built_passes(visits: InstalledScenario) -> None:
    visits.check()
    assert visits.is_built()
    assert visits.verify_content() == visits.scenario.fingerprint


def test_the_entities_come_in_the_order_of_the_query(visits: InstalledScenario) -> None:
    assert [(e.id, e.label) for e in visits.entities()] == [
        ("1", "Ash"),
        ("2", "Birch"),
        ("3", "Cherry"),
    ]
    assert visits.entity("2").label == "Birch"
    assert {e.scenario_id for e in visits.entities()} == {"visits"}


def test_an_unknown_entity_is_an_error_that_lists_the_known_ones(visits: InstalledScenario) -> None:
    with pytest.raises(UnknownNameError, match="unknown patient '7'; known: 1, 2, 3"):
        visits.task("7")


def test_a_task_names_the_entity_and_asks_nothing(visits: InstalledScenario) -> None:
    task = visits.task("3")
    assert task.text == "Explore patient 3."
    assert (task.entity_noun, task.entity_label) == ("patient", "Cherry")
    assert "?" not in task.text


def test_nothing_built_is_said_with_the_command_that_builds(tmp_path: Path) -> None:
    flights = open_scenario("flights", tmp_path)
    for act in (flights.check, flights.entities, flights.verify_content):
        with pytest.raises(ScenarioError, match="not built; build it: ddr scenarios build flights"):
            act()


def test_a_half_built_scenario_is_called_half_built(visits: InstalledScenario) -> None:
    visits.database_path.unlink()
    (visits.folder / NAME).unlink()
    (visits.folder / f"{TEMP_PREFIX}x").mkdir()
    with pytest.raises(ScenarioError, match=f"half built.*{MEND}"):
        visits.check()
    assert not visits.is_built()


def test_a_missing_database_is_named(visits: InstalledScenario) -> None:
    visits.database_path.unlink()
    with pytest.raises(DatabaseError, match=rf"visits\.duckdb is missing.*{MEND}"):
        visits.check()


def test_a_database_without_its_record_is_not_built(visits: InstalledScenario) -> None:
    (visits.folder / NAME).write_text("{}")
    assert not visits.is_built()
    with pytest.raises(ScenarioError, match="not built"):
        visits.check()


def test_a_database_of_another_version_is_refused(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    newer = install(visits.manifest.model_copy(update={"version": "2"}), tmp_path / "home")
    with pytest.raises(ScenarioError, match=f"built as version 1 and is version 2 now.*{MEND}"):
        newer.check()
    assert not newer.is_built()
    assert visits.is_built()


def test_a_database_that_a_writer_holds_is_named_without_waiting(visits: InstalledScenario) -> None:
    with (
        writer(visits.database_path),
        pytest.raises(DatabaseError, match=r"visits\.duckdb is held by another writer") as caught,
    ):
        visits.check()
    assert MEND not in str(caught.value), "building anew would not help"
    visits.check()


def test_a_build_does_not_take_the_file_from_under_a_writer(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    before = visits.database_path.stat().st_ino
    with writer(visits.database_path), pytest.raises(DatabaseError, match="held by another writer"):
        small.built(tmp_path)
    assert visits.database_path.stat().st_ino == before


def test_readers_do_not_stand_in_one_anothers_way(visits: InstalledScenario) -> None:
    code = f"import duckdb, sys; c = duckdb.connect({str(visits.database_path)!r}, read_only=True); print(1, flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        visits.check()
        with pytest.raises(duckdb.IOException):
            duckdb.connect(str(visits.database_path))
        process.communicate()


@pytest.mark.parametrize("content", [b"", b"garbage" * 5000, b"SQLite format 3\0" + b"\0" * 5000])
def test_a_file_that_is_no_database_is_corrupt(visits: InstalledScenario, content: bytes) -> None:
    visits.database_path.write_bytes(content)
    with pytest.raises(DatabaseError, match=rf"visits\.duckdb is not a readable.*{MEND}"):
        visits.check()


@pytest.mark.parametrize("kept", [1000, 5000, 13000, 300_000])
def test_a_file_that_was_cut_short_is_corrupt(visits: InstalledScenario, kept: int) -> None:
    os.truncate(visits.database_path, kept)
    with pytest.raises(DatabaseError, match=f"corrupt.*{MEND}"):
        visits.check()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE visits SET patient = 2 WHERE id = 0",
        "DELETE FROM visits WHERE id = 29",
        "COMMENT ON COLUMN visits.id IS 'now with a comment'",
        "ALTER TABLE visits ALTER id TYPE INTEGER",
        "CREATE TABLE more (x INTEGER)",
    ],
)
def test_a_changed_database_is_said_to_have_changed(visits: InstalledScenario, sql: str) -> None:
    change(visits.database_path, sql)
    with pytest.raises(ScenarioError, match=f"has changed since it was built.*{MEND}"):
        visits.check()


def test_a_change_that_a_dead_writer_left_in_its_log_counts_and_a_build_drops_it(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    code = (
        f"import duckdb, os; c = duckdb.connect({str(visits.database_path)!r});"
        "c.execute('PRAGMA disable_checkpoint_on_shutdown');"
        "c.execute('UPDATE visits SET patient = 2 WHERE id = 0'); os._exit(0)"
    )
    before = visits.database_path.stat()
    subprocess.run([sys.executable, "-c", code], check=True)
    keep_time(visits.database_path, before)
    with pytest.raises(ScenarioError, match="has changed"):
        visits.check()
    small.built(tmp_path).check()


def test_another_sealed_database_in_its_place_is_found_out_by_the_stored_hash(
    visits: InstalledScenario,
) -> None:
    before = visits.database_path.stat()
    change(visits.database_path, "CREATE OR REPLACE MACRO content_fingerprint() AS repeat('0', 64)")
    keep_time(visits.database_path, before)
    with pytest.raises(ScenarioError, match="has changed"):
        visits.check()


def test_a_database_whose_seal_was_broken_is_refused(visits: InstalledScenario) -> None:
    change(visits.database_path, "DROP MACRO content_fingerprint")
    with pytest.raises(DatabaseError, match=f"holds no fingerprint.*{MEND}"):
        visits.check()


def test_a_copy_and_a_touched_file_are_still_what_was_built(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    copy = install(visits.manifest, tmp_path / "copy")
    assert copy.database_path.stat().st_mtime_ns == visits.database_path.stat().st_mtime_ns
    copy.check()
    copy.database_path.touch()
    copy.check()


def test_only_hashing_again_finds_a_change_that_size_and_time_hide(
    visits: InstalledScenario,
) -> None:
    before = visits.database_path.stat()
    change(visits.database_path, "UPDATE patients SET name = 'Aspen' WHERE id = 1")
    os.truncate(visits.database_path, max(before.st_size, visits.database_path.stat().st_size))
    record = visits.folder / NAME
    size = str(visits.database_path.stat().st_size)
    record.write_text(record.read_text().replace(f'"size": {before.st_size}', f'"size": {size}'))
    keep_time(visits.database_path, before)
    visits.check()
    with pytest.raises(ScenarioError, match="has changed"):
        visits.verify_content()


def test_names_of_facts_are_counted_where_rows_are_facts_of_many_kinds(tmp_path: Path) -> None:
    plain = small.built(tmp_path)
    assert plain.fact_count() == 0
    named = replace(
        plain, manifest=plain.manifest.model_copy(update={"facts": {"patients": "name", "no": "x"}})
    )
    assert named.fact_count() == 3
