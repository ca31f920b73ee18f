"""A builder may hand back a finished SQLite file: it is served unchanged, and told when it changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from core.errors import ConfigError, ScenarioError
from core.scenario import License
from databases import catalog
from databases.build import BuildContext, Built, build
from databases.installed import InstalledScenario
from databases.manifest import BuildSection, EntityQuery, Manifest, Variant, read_manifest
from tests.databases import small

if TYPE_CHECKING:
    import duckdb

LISTING = "SELECT id, name, upper(name) AS loud FROM patients ORDER BY id"


def fill(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """The official file where it is asked for, else the tables of the small scenario."""
    if not context.options["as_is"]:
        small.fill(connection, context)
        return Built()
    assert context.downloads.name == "visits"
    copied = context.workspace / "official.sqlite3"
    with closing(sqlite3.connect(copied)) as official:
        official.execute("CREATE TABLE patients (id INTEGER PRIMARY KEY, name TEXT)")
        official.execute("INSERT INTO patients VALUES (1, 'Ash'), (2, 'Birch')")
        official.commit()
    return Built(file=copied, notes=["Served as it is."])


def fill_nothing(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Mapping[str, Any]:
    small.fill(connection, context)
    return {}


def fill_elsewhere(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    return Built(file=Path(__file__))


def manifest(folder: Path, builder: str = "fill") -> Manifest:
    section = BuildSection(
        builder=f"tests.databases.test_finished_file:{builder}",
        disk_mb=1,
        options={"as_is": False},
        variants={
            "as_is": Variant(
                title="The official file",
                license=License(name="CC-BY-SA-4.0"),
                dialect="sqlite",
                entities=EntityQuery(query=LISTING),
                facts={"patients": "name"},
            )
        },
    )
    return small.manifest(folder).model_copy(update={"build": section})


def serve(
    monkeypatch: pytest.MonkeyPatch, folder: Path, builder: str = "fill"
) -> InstalledScenario:
    """The variant of a scenario `visits`, built."""
    monkeypatch.setitem(catalog.SHIPPED, "visits", "tests.databases")
    monkeypatch.setattr(catalog, "read_manifest", lambda _path: manifest(folder, builder))
    return build("visits", folder / "home", options={"as_is": True})


def test_the_file_is_served_by_its_own_engine_under_the_variants_terms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    official = serve(monkeypatch, tmp_path)
    assert official.database_path.name == "visits-as-is.sqlite3"
    assert official.database_path.read_bytes().startswith(b"SQLite format 3")
    assert (official.scenario.dialect, official.target.dialect) == ("sqlite", "sqlite")
    assert official.target.fact_columns == {"patients": "name"}
    assert official.target_for("2") == official.target
    assert [(e.id, e.attributes) for e in official.entities()] == [
        ("1", {"loud": "ASH"}),
        ("2", {"loud": "BIRCH"}),
    ]
    assert [t.name for t in official.schema().tables] == ["patients"]
    assert official.notes() == ("Served as it is.",)
    official.check()
    assert official.verify_content() == official.scenario.fingerprint
    plain = build("visits", tmp_path / "home")
    assert (plain.scenario.dialect, plain.database_path.name) == ("duckdb", "visits.duckdb")


def test_it_is_built_once_and_a_change_of_it_is_noticed_and_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    official = serve(monkeypatch, tmp_path)
    inode = official.database_path.stat().st_ino
    assert serve(monkeypatch, tmp_path).database_path.stat().st_ino == inode
    with closing(sqlite3.connect(official.database_path)) as connection:
        connection.execute("UPDATE patients SET name = 'Cherry' WHERE id = 1")
        connection.commit()
    with pytest.raises(ScenarioError, match="has changed since it was built"):
        official.check()
    mended = serve(monkeypatch, tmp_path)
    mended.check()
    assert mended.scenario.fingerprint == official.scenario.fingerprint


@pytest.mark.parametrize("builder", ["fill_nothing", "fill_elsewhere"])
def test_a_builder_without_a_file_of_its_own_is_told_what_it_must_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, builder: str
) -> None:
    with pytest.raises(ScenarioError, match="must leave a finished file of the dialect sqlite"):
        serve(monkeypatch, tmp_path, builder)
    assert Path(__file__).is_file()
    left = tmp_path / "home" / "scenarios" / "visits-as-is"
    assert [path.name for path in left.iterdir()] == [".lock"]


def test_a_variant_names_no_engine_that_serves_no_file(tmp_path: Path) -> None:
    text = small.TOML + (
        '[build.variants.live]\ntitle = "x"\nlicense = { name = "x" }\ndialect = "postgresql"\n'
    )
    with pytest.raises(ConfigError, match=r"key 'build\.variants\.live\.dialect': Input should be"):
        read_manifest(small.write_toml(tmp_path, text))
