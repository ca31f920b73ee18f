"""A scenario.toml may describe what its builder made; what it gets wrong is told by its key."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError
from databases.build import build_manifest
from databases.connection import open_readonly
from databases.manifest import read_manifest
from databases.schema import Schema, read_schema
from tests.databases import small


def described(folder: Path, text: str) -> Schema:
    manifest = read_manifest(small.write_toml(folder, small.TOML + text))
    visits = build_manifest(manifest, folder / "home")
    with open_readonly(visits.database_path) as connection:
        return read_schema(connection)


def test_its_words_stand_where_an_agent_reads_them(tmp_path: Path) -> None:
    schema = described(
        tmp_path, "[descriptions.patients]\n'*' = \"Ash's friends.\"\nname = 'A \"name\".'\n"
    )
    table = schema.table("patients")
    assert table is not None
    assert table.comment == "Ash's friends."
    assert [column.comment for column in table.columns] == [None, 'A "name".']


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[descriptions.patient]\nname = 'x'", "'descriptions.patient': unknown table 'patient'"),
        (
            "[descriptions.patients]\nnme = 'x'",
            "'descriptions.patients': unknown column of patients 'nme' (did you mean 'name'?)",
        ),
    ],
)
def test_a_name_that_is_not_there_is_an_error_with_its_key(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        described(tmp_path, text)
    assert said in str(caught.value)
    assert not list((tmp_path / "home").rglob("*.duckdb"))


def test_a_database_that_is_there_already_takes_none(tmp_path: Path) -> None:
    head = small.TOML.partition("[build]")[0]
    text = f"{head}[database]\npath = 'x.duckdb'\n[descriptions.patients]\nname = 'x'\n"
    with pytest.raises(ConfigError, match="key 'descriptions'"):
        read_manifest(small.write_toml(tmp_path, text))


def test_a_builder_is_told_where_its_scenario_stands(tmp_path: Path) -> None:
    manifest = read_manifest(small.write_toml(tmp_path))
    assert manifest.build is not None
    assert manifest.build.folder == str(tmp_path)
