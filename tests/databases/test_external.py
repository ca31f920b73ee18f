"""A scenario whose database is there already: a SQLite or DuckDB file by its path, a PostgreSQL server."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, DatabaseError, ScenarioError
from databases import external
from databases.build import build_manifest
from databases.installed import InstalledScenario, install
from databases.manifest import EntityQuery, Manifest, read_manifest
from databases.record import NAME
from databases.schema import Column, Schema, Table
from databases.target import RoleError
from tests.databases import small
from tests.support.needs import needs
from tests.support.postgres import PASSWORD, READER, Cluster

HEAD = small.TOML.split("[entities]", maxsplit=1)[0]
ENTITIES = '[entities]\nquery = "SELECT id, name FROM patients ORDER BY id"\n'
TABLES = (
    "CREATE TABLE patients (id INTEGER PRIMARY KEY, name VARCHAR(20))",
    "INSERT INTO patients VALUES (1, 'Ash'), (2, 'Birch'), (3, 'Cherry')",
    "CREATE TABLE visits (patient INTEGER, dose DECIMAL(4, 1))",
    "INSERT INTO visits VALUES (1, 2.5), (1, NULL), (2, 3), (2, 3)",
)


def toml(folder: Path, dialect: str, section: str, more: str = "") -> Path:
    text = f'{HEAD}dialect = "{dialect}"\n{ENTITIES}\n[database]\n{section}\n{more}'
    return small.write_toml(folder, text)


def sqlite_file(path: Path) -> Path:
    connection = sqlite3.connect(path)
    for statement in TABLES:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def change(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.fixture
def by_url(tmp_path: Path) -> InstalledScenario:
    """SQLite through SQLAlchemy: a URL without a server."""
    path = sqlite_file(tmp_path / "visits.sqlite")
    manifest = read_manifest(toml(tmp_path, "sqlalchemy", f'url = "sqlite+pysqlite:///{path}"'))
    return build_manifest(manifest, tmp_path / "home")


@pytest.fixture
def by_path(tmp_path: Path) -> InstalledScenario:
    """A DuckDB file of somebody's own, beside scenario.toml."""
    import duckdb

    with duckdb.connect(str(tmp_path / "mine.duckdb")) as connection:
        for statement in TABLES:
            connection.execute(statement)
    manifest = read_manifest(toml(tmp_path, "duckdb", 'path = "mine.duckdb"'))
    return build_manifest(manifest, tmp_path / "home")


# What a build records, and what a check compares


def test_a_build_records_entities_and_fingerprint_and_copies_nothing(
    by_url: InstalledScenario,
) -> None:
    assert by_url.is_built()
    assert [(e.id, e.label) for e in by_url.entities()] == [
        ("1", "Ash"),
        ("2", "Birch"),
        ("3", "Cherry"),
    ]
    assert len(by_url.scenario.fingerprint or "") == 64
    assert by_url.verify_content() == by_url.scenario.fingerprint
    assert {path.name for path in by_url.folder.iterdir()} == {NAME, ".lock"}
    by_url.check()


def test_an_agent_is_told_of_an_entity_as_ever(by_url: InstalledScenario) -> None:
    assert by_url.task("2").text == "Explore patient 2."
    assert by_url.scenario.dialect == "sqlalchemy"


def test_a_file_is_found_beside_scenario_toml_and_stays_there(
    by_path: InstalledScenario, tmp_path: Path
) -> None:
    assert by_path.database_path == tmp_path / "mine.duckdb"
    assert by_path.target.location == str(tmp_path / "mine.duckdb")
    assert by_path.target.dialect == "duckdb"
    assert [t.name for t in by_path.schema().tables] == ["patients", "visits"]
    by_path.check()


def test_a_second_build_reads_nothing_and_a_rebuild_finds_the_same(
    by_path: InstalledScenario, tmp_path: Path
) -> None:
    said: list[str] = []
    again = build_manifest(
        by_path.manifest, tmp_path / "home", progress=lambda what, _share: said.append(what)
    )
    assert said == ["visits is already built"]
    assert again.scenario.fingerprint == by_path.scenario.fingerprint
    anew = build_manifest(by_path.manifest, tmp_path / "home", rebuild=True)
    assert anew.scenario.fingerprint == by_path.scenario.fingerprint


def test_entities_cannot_be_kept_apart_in_a_database_that_is_not_copied(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path / "visits.sqlite")
    read = read_manifest(toml(tmp_path, "sqlite", f'path = "{path}"'))

    def listing(tables: str) -> Manifest:
        query = f"SELECT id, name, '{tables}' AS tables FROM patients"
        return read.model_copy(update={"entities": EntityQuery(query=query)})

    with pytest.raises(ConfigError, match="patient 1 has tables of its own, which only a database"):
        build_manifest(listing("visits"), tmp_path / "home")
    whole = build_manifest(listing("visits, patients"), tmp_path / "home")
    assert whole.entities()[0].tables == ("visits", "patients")


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("DELETE FROM visits WHERE dose IS NULL", "visits has 3 rows and had 4"),
        ("DROP TABLE visits", "visits is gone"),
        ("CREATE TABLE labs (a INTEGER)", "labs is new"),
        ("ALTER TABLE visits ADD COLUMN note TEXT", "visits has other columns"),
    ],
)
def test_a_database_that_has_another_shape_is_refused_at_once(
    by_url: InstalledScenario, tmp_path: Path, statement: str, says: str
) -> None:
    change(tmp_path / "visits.sqlite", statement)
    with pytest.raises(ScenarioError, match=rf"has changed.*{says}.*ddr scenarios build visits"):
        by_url.check()


def test_a_changed_value_on_a_server_is_found_when_every_row_is_read(
    by_url: InstalledScenario, tmp_path: Path
) -> None:
    change(tmp_path / "visits.sqlite", "UPDATE visits SET dose = 9 WHERE dose = 2.5")
    by_url.check()
    with pytest.raises(ScenarioError, match="has changed since it was built"):
        by_url.verify_content()


def test_a_changed_value_in_a_file_is_found_by_its_time(by_path: InstalledScenario) -> None:
    import duckdb

    with duckdb.connect(str(by_path.database_path)) as connection:
        connection.execute("UPDATE visits SET dose = 9 WHERE dose = 2.5")
    with pytest.raises(ScenarioError, match="has changed since it was built"):
        by_path.check()


def test_a_file_that_was_only_touched_is_unchanged(by_path: InstalledScenario) -> None:
    by_path.database_path.touch()
    by_path.check()


def test_a_file_that_is_gone_is_named(by_path: InstalledScenario) -> None:
    by_path.database_path.unlink()
    assert not by_path.is_built()
    with pytest.raises(DatabaseError, match=r"mine\.duckdb is missing"):
        by_path.check()


def test_a_file_that_was_never_there_fails_the_build(tmp_path: Path) -> None:
    manifest = read_manifest(toml(tmp_path, "duckdb", 'path = "nothing.duckdb"'))
    with pytest.raises(DatabaseError, match="there is no database at"):
        build_manifest(manifest, tmp_path / "home")
    assert not install(manifest, tmp_path / "home").is_built()


def test_another_version_asks_for_a_build(by_url: InstalledScenario) -> None:
    manifest = by_url.manifest.model_copy(update={"version": "2"})
    with pytest.raises(ScenarioError, match="was built as version 1 and is version 2"):
        install(manifest, by_url.folder.parents[1]).check()


def test_what_needs_a_file_says_so_where_there_is_none(by_url: InstalledScenario) -> None:
    with pytest.raises(ScenarioError, match="is on a server; this works on a file only"):
        _ = by_url.database_path


def test_a_file_has_a_stamp_that_changes_with_it_and_a_server_has_none(
    by_path: InstalledScenario, by_url: InstalledScenario
) -> None:
    before = by_path.stamp()
    assert before is not None
    assert before == by_path.stamp()
    by_path.database_path.touch()
    assert by_path.stamp() != before
    assert by_url.stamp() is None


def test_an_entity_query_is_held_to_id_and_label(tmp_path: Path) -> None:
    path = sqlite_file(tmp_path / "visits.sqlite")
    text = toml(tmp_path, "sqlalchemy", f'url = "sqlite+pysqlite:///{path}"').read_text()
    for query in (
        "SELECT id FROM patients",
        "SELECT 1, name FROM patients",
        "SELECT 1, 2 LIMIT 0",
        "SELECT id, name FROM nowhere",
    ):
        manifest = read_manifest(
            small.write_toml(
                tmp_path, text.replace("SELECT id, name FROM patients ORDER BY id", query)
            )
        )
        with pytest.raises(ConfigError, match=r"entities\.query"):
            build_manifest(manifest, tmp_path / "home")


# The fingerprint


class Held:
    """An engine's part that a fingerprint needs, over rows in memory."""

    def __init__(self, *rows: tuple[Any, ...], table: str = "t") -> None:
        self._rows = list(rows)
        column = Column(name="a", type="x", nullable=True)
        self._table = Table(name=table, row_count=len(rows), columns=(column,))

    def schema(self) -> Schema:
        return Schema(tables=(self._table,))

    @property
    def columns(self) -> tuple[str, ...]:
        return ("a",)

    def cursor(self) -> Held:
        return Held(*self._rows)

    def execute(self, sql: str) -> None:
        assert sql == 'SELECT * FROM "t"'

    def fetch(self, count: int) -> list[tuple[Any, ...]]:
        taken, self._rows = self._rows[:count], self._rows[count:]
        return taken

    def close(self) -> None: ...


def taken(*rows: tuple[Any, ...]) -> str:
    held = Held(*rows)
    return external.take_fingerprint(held, held.schema())


def test_the_order_of_rows_does_not_count_and_duplicates_do() -> None:
    assert taken(("a",), ("b",), ("b",)) == taken(("b",), ("a",), ("b",))
    assert taken(("a",), ("b",), ("b",)) != taken(("a",), ("a",), ("b",))
    assert taken(("a",), ("a",)) != taken(("b",), ("b",))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "b"), ("ab", "")),
        ((None,), ("",)),
        ((None,), ("-",)),
        (([1, 23],), ([12, 3],)),
        (({"a": 1},), ({"a": "2"},)),
        ((b"\x00",), (b"\x01",)),
    ],
)
def test_different_rows_have_different_fingerprints(
    one: tuple[Any, ...], other: tuple[Any, ...]
) -> None:
    assert taken(one) != taken(other)


def test_a_moment_has_one_fingerprint_in_every_time_zone() -> None:
    from datetime import UTC, datetime, timedelta, timezone

    here = datetime(2024, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert taken((here,)) == taken((here.astimezone(UTC),))


# PostgreSQL

COUNT = iter(range(1000))


@pytest.fixture
def server(
    postgres: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Cluster, str, InstalledScenario]]:
    """A scenario on PostgreSQL, built; its password comes from the environment."""
    name = f"external_{next(COUNT)}"
    postgres.make(name, *TABLES)
    monkeypatch.setenv("VISITS_PASSWORD", PASSWORD)
    url = postgres.url(name, password=None)
    manifest = read_manifest(
        toml(
            tmp_path,
            "postgresql",
            f'url = "{url}"\npassword_env = "VISITS_PASSWORD"',
            '[facts]\nvisits = "dose"',
        )
    )
    yield postgres, name, build_manifest(manifest, tmp_path / "home")
    postgres.run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.real
@needs("postgresql")
class TestOnPostgresql:
    """The same on a server."""

    def test_a_build_checks_the_role_and_records_the_content(
        self, server: tuple[Cluster, str, InstalledScenario]
    ) -> None:
        _, _, installed = server
        assert installed.is_built()
        assert installed.entity("3").label == "Cherry"
        assert installed.verify_content() == installed.scenario.fingerprint
        assert installed.target.fact_columns == {"visits": "dose"}
        assert [t.name for t in installed.schema().tables] == ["patients", "visits"]
        installed.check()

    def test_the_password_is_in_the_target_alone(
        self, server: tuple[Cluster, str, InstalledScenario], tmp_path: Path
    ) -> None:
        from urllib.parse import quote

        _, _, installed = server
        secrets = (PASSWORD, quote(PASSWORD, safe=""))
        assert secrets[1] in installed.target.location
        kept = [p.read_text(encoding="utf-8") for p in tmp_path.rglob("*") if p.is_file()]
        shown = [*kept, repr(installed), repr(installed.target), installed.place]
        shown.append(installed.scenario.model_dump_json())
        assert not [text for text in shown for secret in secrets if secret in text]

    def test_without_its_variable_the_error_names_it(
        self,
        server: tuple[Cluster, str, InstalledScenario],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.delenv("VISITS_PASSWORD")
        with pytest.raises(ScenarioError, match="variable VISITS_PASSWORD is not set"):
            server[2].check()

    def test_a_change_is_refused_and_a_build_takes_it_in(
        self, server: tuple[Cluster, str, InstalledScenario]
    ) -> None:
        postgres, name, installed = server
        before = installed.scenario.fingerprint
        postgres.run("DELETE FROM visits WHERE dose IS NULL", database=name)
        with pytest.raises(ScenarioError, match="visits has 3 rows and had 4"):
            installed.check()
        again = build_manifest(installed.manifest, installed.folder.parents[1])
        again.check()
        assert again.scenario.fingerprint != before

    def test_the_layout_of_the_rows_does_not_count(
        self, server: tuple[Cluster, str, InstalledScenario]
    ) -> None:
        postgres, name, installed = server
        postgres.run(
            "UPDATE visits SET dose = dose WHERE patient = 1", "VACUUM FULL visits", database=name
        )
        assert installed.verify_content() == installed.scenario.fingerprint

    def test_a_role_that_was_given_more_is_refused_with_what_to_run(
        self, server: tuple[Cluster, str, InstalledScenario]
    ) -> None:
        postgres, name, installed = server
        postgres.run(f"GRANT INSERT ON visits TO {READER}", database=name)
        with pytest.raises(RoleError) as caught:
            installed.check()
        assert "REVOKE INSERT ON visits" in caught.value.remedy
