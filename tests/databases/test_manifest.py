"""scenario.toml is read strictly, and its errors name the file and the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError
from databases.manifest import read_manifest
from tests.databases import small


def error_of(folder: Path, text: str) -> str:
    path = small.write_toml(folder, text)
    with pytest.raises(ConfigError) as caught:
        read_manifest(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_manifest_becomes_a_scenario(tmp_path: Path) -> None:
    manifest = read_manifest(small.write_toml(tmp_path))
    scenario = manifest.scenario("ab" * 32)
    assert (scenario.id, scenario.entity_noun, scenario.dialect) == ("visits", "patient", "duckdb")
    assert scenario.database == "visits.duckdb"
    assert scenario.fingerprint == "ab" * 32
    assert scenario.license.name == "CC0-1.0"
    assert len(scenario.tools) == 4


def test_a_scenario_that_is_not_built_has_no_fingerprint(tmp_path: Path) -> None:
    assert read_manifest(small.write_toml(tmp_path)).scenario().fingerprint is None


def test_a_misspelt_key_is_an_error_with_the_nearest_known_key(tmp_path: Path) -> None:
    text = error_of(tmp_path, small.TOML.replace("entity_noun =", "entity_nuon ="))
    assert "unknown key 'entity_nuon'" in text
    assert "did you mean 'entity_noun'?" in text


def test_a_misspelt_key_in_a_section_is_named_with_its_section(tmp_path: Path) -> None:
    text = error_of(tmp_path, small.TOML.replace("disk_mb", "disk_bm"))
    assert "unknown key 'build.disk_bm'; did you mean 'build.disk_mb'?" in text


def test_a_key_like_no_other_is_an_error_that_lists_the_known_keys(tmp_path: Path) -> None:
    text = error_of(tmp_path, "zzz = 1\n" + small.TOML)
    assert "unknown key 'zzz'" in text
    assert "did you mean" not in text
    assert "task_template" in text


@pytest.mark.parametrize("key", ["title", "version", "entity_noun"])
def test_a_missing_key_is_named(tmp_path: Path, key: str) -> None:
    kept = [line for line in small.TOML.splitlines() if not line.startswith(key)]
    assert f"key '{key}': Field required" in error_of(tmp_path, "\n".join(kept))


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('version = "1"', "version = 1", "version"),
        ('title = "Visits of three patients"', 'title = ""', "title"),
        ('id = "visits"', 'id = "../visits"', "id"),
        ('entity_noun = "patient"', 'entity_noun = "patient"\ndialect = "oracle"', "dialect"),
        ('entity_noun = "patient"', 'entity_noun = "patient"\ntools = ["shell"]', "tools.0"),
        ('entity_noun = "patient"', 'entity_noun = "patient"\ntools = []', "tools"),
        ("small:fill", "small", "build.builder"),
        ("disk_mb = 1", "disk_mb = -1", "build.disk_mb"),
        ("{entity_id}", "{entity_ids}", "task_template"),
        (" {entity_id}", "", "task_template"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_key(
    tmp_path: Path, old: str, new: str, key: str
) -> None:
    assert old in small.TOML
    assert f"key '{key}'" in error_of(tmp_path, small.TOML.replace(old, new))


def test_a_section_that_is_no_section_is_refused(tmp_path: Path) -> None:
    cut = small.TOML.split("[entities]", maxsplit=1)[0]
    text = error_of(tmp_path, f'entities = "SELECT 1"\n{cut}\n[build]\nbuilder = "a:b"\n')
    assert "key 'entities'" in text


def test_a_file_that_is_no_toml_is_named(tmp_path: Path) -> None:
    assert "cannot be read as TOML" in error_of(tmp_path, "id = = 3")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"scenario\.toml: cannot be read"):
        read_manifest(path)


def test_a_file_that_is_missing_is_named_and_no_other_is_taken(tmp_path: Path) -> None:
    small.write_toml(tmp_path)
    with pytest.raises(ConfigError, match=r"other\.toml: there is no such file"):
        read_manifest(tmp_path / "other.toml")


# A database that is there already

BASE = small.TOML.split("[build]", maxsplit=1)[0]


def section(dialect: str, *lines: str) -> str:
    """The small scenario with a [database] in place of its [build]."""
    text = BASE.replace("[entities]", f'dialect = "{dialect}"\n\n[entities]')
    return "\n".join([text, "[database]", *lines])


def test_a_database_by_its_path_is_found_beside_the_file(tmp_path: Path) -> None:
    manifest = read_manifest(small.write_toml(tmp_path, section("sqlite", 'path = "a/b.sqlite"')))
    assert manifest.place == str(tmp_path / "a" / "b.sqlite")
    assert manifest.scenario().dialect == "sqlite"
    assert manifest.build is None


def test_an_absolute_path_stays_what_it_is(tmp_path: Path) -> None:
    text = section("duckdb", f'path = "{tmp_path}/elsewhere.duckdb"')
    assert read_manifest(small.write_toml(tmp_path, text)).place == f"{tmp_path}/elsewhere.duckdb"


def test_a_database_by_its_url_keeps_the_url(tmp_path: Path) -> None:
    text = section(
        "postgresql", 'url = "postgresql+psycopg://reader@host/db"', 'password_env = "PW"'
    )
    manifest = read_manifest(small.write_toml(tmp_path, text + '\n[facts]\nfacts = "concept"'))
    assert manifest.place == "postgresql+psycopg://reader@host/db"
    assert manifest.facts == {"facts": "concept"}


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        (section("oracle", 'path = "a"'), "dialect", "known: duckdb"),
        (section("duckdb"), "database", "either path or url"),
        (section("duckdb", 'path = "a"', 'url = "b://c"'), "database", "either path or url"),
        (section("duckdb", 'path = "a"', 'password_env = "PW"'), "database", "go with a url"),
        (section("postgresql", 'url = "host/db"'), "database.url", "SQLAlchemy URL is wanted"),
        (section("postgresql", 'url = "a://b:c@host/db"'), "database.url", "does not belong"),
        (section("postgresql", 'url = "a://b@h/db?password=c"'), "database.url", "password_env"),
        (
            section("postgresql", 'url = "a://b@h/db"', "role_only_reads = true"),
            "database.role_only_reads",
            "checks the role by itself",
        ),
        (section("duckdb", 'path = "a"') + "\n[build]\nbuilder = 'a:b'", "build", "either"),
        (BASE, "build", "either"),
        (small.TOML.replace("[entities]", 'dialect = "sqlite"\n[entities]'), "dialect", "DuckDB"),
        (section("sqlite", 'pth = "a"'), "database.pth", "did you mean 'database.path'?"),
    ],
)
def test_keys_that_do_not_go_together_are_told_by_name(
    tmp_path: Path, text: str, key: str, says: str
) -> None:
    said = error_of(tmp_path, text)
    assert f"key '{key}'" in said
    assert says in said


def test_the_error_about_a_password_does_not_repeat_it(tmp_path: Path) -> None:
    said = error_of(tmp_path, section("postgresql", 'url = "a://b:sesame@host/db"'))
    assert "sesame" not in said
