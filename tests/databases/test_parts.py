"""Entities with tables of their own have a database each, and the whole says when one is changed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from core.errors import DatabaseError, ScenarioError, UnknownNameError, UsageError
from core.scenario import Entity
from databases.build import BuildContext, Built, build_manifest
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from databases.manifest import BuildSection, Manifest
from databases.parts import FOLDER
from databases.record import read_record
from databases.schema import Schema, read_schema
from tests.databases import small


def entity(name: str, *tables: str, **more: str) -> Entity:
    return Entity(scenario_id="visits", id=name, label=name, tables=tables or None, **more)


def fill(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """Two wards with a table of one name each, a table that both have, and one who sees all."""
    for ward in ("north", "south/1"):
        connection.execute(f'CREATE SCHEMA "{ward}"')
        connection.execute(
            f'CREATE TABLE "{ward}".beds AS SELECT range AS id, $1 AS ward FROM range(9)', [ward]
        )
        connection.execute(
            f"COMMENT ON TABLE \"{ward}\".beds IS 'Beds of {ward}; the ward''s own.'"
        )
        connection.execute(f"COMMENT ON COLUMN \"{ward}\".beds.id IS 'Number.'")
        connection.execute(f'ALTER TABLE "{ward}".beds ALTER id SET NOT NULL')
    connection.execute("CREATE TABLE staff AS SELECT 'Ash' AS name")
    return Built(
        entities=[
            entity("north", "north.beds", "staff", goal="Why are beds empty?", role="a matron"),
            entity("south", "south/1.beds", "staff"),
            entity("southern", "staff", "south/1.beds"),
            entity("all"),
        ],
        notes=["One ward was left out."],
    )


def fill_unknown(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    fill(connection, context)
    return Built(entities=[entity("north", "north.bed")])


def fill_two_of_a_name(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    fill(connection, context)
    return Built(entities=[entity("north", "north.beds", "south/1.beds")])


def fill_shared(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    fill(connection, context)
    everything = ("north.beds", "south/1.beds", "staff")
    return Built(entities=[entity("a", *everything), entity("b", *reversed(everything))])


def manifest(folder: Path, builder: str = "fill") -> Manifest:
    section = BuildSection(builder=f"tests.databases.test_parts:{builder}", disk_mb=1)
    return small.manifest(folder).model_copy(update={"build": section})


@pytest.fixture(scope="module")
def shared_wards(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    folder = tmp_path_factory.mktemp("wards")
    return build_manifest(manifest(folder), folder / "home")


@pytest.fixture
def wards(shared_wards: InstalledScenario, tmp_path: Path) -> InstalledScenario:
    """A copy, to be spoilt."""
    folder = tmp_path / "scenarios" / "visits"
    shutil.copytree(shared_wards.folder, folder)
    return InstalledScenario(shared_wards.manifest, shared_wards.scenario, folder)


def part(wards: InstalledScenario, entity_id: str) -> Path:
    return Path(wards.target_for(entity_id).location)


def seen(path: Path) -> Schema:
    with open_readonly(path) as connection:
        return read_schema(connection)


def change(path: Path, sql: str) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)


def test_an_entity_has_its_own_tables_under_plain_names_and_no_others(
    shared_wards: InstalledScenario,
) -> None:
    assert [t.name for t in seen(part(shared_wards, "north")).tables] == ["beds", "staff"]
    with open_readonly(part(shared_wards, "north")) as connection:
        assert connection.execute("SELECT DISTINCT ward FROM beds").fetchall() == [("north",)]
        assert connection.execute("SELECT count(*) FROM information_schema.tables").fetchone() == (
            2,
        )
        listed = connection.execute(
            "SELECT schema_name, table_name FROM duckdb_tables()"
        ).fetchall()
        assert sorted(listed) == [("main", "beds"), ("main", "staff")]
        files = connection.execute(
            "SELECT path FROM duckdb_databases() WHERE NOT internal"
        ).fetchall()
        assert files == [(str(part(shared_wards, "north")),)]


def test_rows_types_comments_and_what_may_not_be_null_are_those_of_the_whole(
    shared_wards: InstalledScenario,
) -> None:
    whole = shared_wards.schema().table("north.beds")
    own = seen(part(shared_wards, "north")).table("beds")
    assert whole is not None
    assert own == whole.model_copy(update={"name": "beds"})
    assert own.comment == "Beds of north; the ward's own."
    assert [column.nullable for column in own.columns] == [False, True]


def test_entities_of_the_same_tables_share_a_file_and_one_without_explores_the_whole(
    shared_wards: InstalledScenario,
) -> None:
    assert (
        part(shared_wards, "south") == part(shared_wards, "southern") != part(shared_wards, "north")
    )
    assert shared_wards.target_for("all") == shared_wards.target
    assert len(list((shared_wards.folder / FOLDER).iterdir())) == 2
    with pytest.raises(UnknownNameError, match="unknown patient 'west'"):
        shared_wards.target_for("west")


def test_who_has_every_table_needs_no_part(tmp_path: Path) -> None:
    built = build_manifest(manifest(tmp_path, "fill_shared"), tmp_path / "home")
    assert not (built.folder / FOLDER).exists()
    assert built.target_for("b") == built.target


def test_a_task_says_whether_the_database_is_the_entitys_own(
    shared_wards: InstalledScenario,
) -> None:
    told = {e.id: shared_wards.task(e.id).is_apart for e in shared_wards.entities()}
    assert told == {"north": True, "south": False, "southern": False, "all": False}


def test_a_goal_is_told_where_it_is_asked_for_and_there_is_one(
    shared_wards: InstalledScenario,
) -> None:
    plain = shared_wards.task("north").text
    assert shared_wards.task("north", "none").text == plain == "Explore patient north."
    own = shared_wards.task("north", "dataset").text
    assert own == f"{plain} You work as a matron. The goal: Why are beds empty?"
    generic = shared_wards.task("north", "generic").text
    assert generic.startswith(f"{plain} You work as a matron. The goal: Find what is of interest")
    with pytest.raises(UsageError, match="--goal generic: patient south of visits has no goal"):
        shared_wards.task("south", "generic")


def test_what_the_builder_had_to_say_is_kept(shared_wards: InstalledScenario) -> None:
    record = read_record(shared_wards.folder)
    assert record is not None
    assert record.notes == ("One ward was left out.",)


def test_a_whole_with_sound_parts_passes_and_its_stamp_stays(wards: InstalledScenario) -> None:
    stamp = wards.stamp()
    wards.check()
    assert wards.verify_content() == wards.scenario.fingerprint
    assert wards.stamp() == stamp
    os.utime(part(wards, "north"), ns=(1, 1))  # its rows are hashed, and they are the same
    wards.check()
    assert wards.stamp() != stamp


def test_a_part_that_is_changed_gone_or_garbage_is_noticed(wards: InstalledScenario) -> None:
    path, stamp = part(wards, "north"), wards.stamp()
    change(path, "DELETE FROM staff")
    assert wards.stamp() != stamp
    for look in (wards.check, wards.verify_content):
        with pytest.raises(ScenarioError, match="has changed since it was built; build it anew"):
            look()
    path.write_bytes(b"garbage")
    with pytest.raises(DatabaseError, match=r"not a readable DuckDB database .*; build it anew"):
        wards.check()
    path.unlink()
    with pytest.raises(
        DatabaseError, match="is missing; build it anew: ddr scenarios build visits"
    ):
        wards.check()


def test_a_part_with_another_entitys_rows_under_its_own_seal_is_noticed(
    wards: InstalledScenario,
) -> None:
    shutil.copy2(part(wards, "south"), part(wards, "north"))
    with pytest.raises(ScenarioError, match="has changed since it was built"):
        wards.check()


def test_a_build_mends_a_part_and_removes_those_of_the_build_before(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    built = build_manifest(manifest(tmp_path), home)
    change(part(built, "north"), "DELETE FROM staff")
    stray = built.folder / FOLDER / "stray.duckdb"
    stray.write_bytes(b"")
    again = build_manifest(manifest(tmp_path), home)
    again.check()
    assert not stray.exists()
    assert again.scenario.fingerprint == built.scenario.fingerprint
    without = build_manifest(manifest(tmp_path, "fill_shared"), home, rebuild=True)
    assert not (without.folder / FOLDER).exists()


@pytest.mark.parametrize(
    ("builder", "said"),
    [
        ("fill_unknown", "entity north: unknown table 'north.bed'"),
        ("fill_two_of_a_name", "two tables of one entity are called beds"),
    ],
)
def test_tables_that_cannot_be_an_entitys_own_end_the_build(
    tmp_path: Path, builder: str, said: str
) -> None:
    with pytest.raises(ScenarioError, match=said):
        build_manifest(manifest(tmp_path, builder), tmp_path / "home")
    assert [f.name for f in (tmp_path / "home/scenarios/visits").iterdir()] == [".lock"]
