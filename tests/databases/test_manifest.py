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
