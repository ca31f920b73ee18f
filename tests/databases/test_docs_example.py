"""The scenario that docs/scenarios.md tells people to write can be written, installed and built."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from core.scenario import License
from databases.build import build
from databases.catalog import scenario_ids
from databases.connection import open_readonly
from databases.manifest import BuildSection, EntityQuery, Manifest
from databases.schema import read_schema
from tests.support.flights import ROOT

PAGE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    """The page's only code block of a kind."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's example as an installed distribution."""
    package = tmp_path / "site" / "my_visits"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "scenario.toml").write_text(block("toml"), encoding="utf-8")
    (package / "builder.py").write_text(block("python"), encoding="utf-8")
    about = tmp_path / "site" / "my_visits-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-visits\nVersion: 1\n")
    (entry,) = re.findall(r'entry-points\."(ddr\.scenarios)"\]\n(.*)\n', PAGE)
    (about / "entry_points.txt").write_text(f"[{entry[0]}]\n{entry[1].replace(chr(34), '')}\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    for name in ("my_visits", "my_visits.builder"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("installed")
def test_the_example_builds_and_is_ready_for_an_agent(tmp_path: Path) -> None:
    assert "my-visits" in scenario_ids()
    visits = build("my-visits", tmp_path / "home")
    visits.check()
    assert visits.task("2").text == "Explore what the database says about patient 2 (Birch)."
    with open_readonly(visits.database_path) as connection:
        tables = read_schema(connection).tables
    assert [(t.name, t.row_count) for t in tables] == [("patients", 2), ("visits", 3)]
    secret = json.loads((tmp_path / "home" / "secrets" / "my-visits.json").read_text())
    assert secret == {"1": "what must stay secret, or None"}


def test_the_example_shows_every_key_that_has_no_obvious_default() -> None:
    shown = tomllib.loads(block("toml"))
    elsewhere = {"dialect", "database", "facts"}  # docs/databases.md
    elsewhere |= {"descriptions"}  # docs/scenarios/own.md
    assert set(Manifest.model_fields) - set(shown) == elsewhere
    for section, model in (
        ("license", License),
        ("entities", EntityQuery),
        ("build", BuildSection),
    ):
        assert set(shown[section]) == set(model.model_fields) - {
            "base",
            "folder",
        }  # filled in by us
