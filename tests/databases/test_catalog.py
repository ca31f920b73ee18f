"""Scenarios are found by name: shipped ones, and those of installed plug-ins."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from core.errors import ConfigError, UnknownNameError
from databases.catalog import open_scenario, scenario_ids
from tests.databases import small


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed distribution whose entry point brings the scenario `visits`; its folder."""
    site = tmp_path / "site"
    folder = site / "a_plugin_of_visits"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    small.write_toml(folder)
    about = site / "a_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: a-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[ddr.scenarios]\nvisits = a_plugin_of_visits\nbroken = a_plugin_that_is_not_there\n"
        "renamed = a_plugin_of_visits\n"
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, folder.name, raising=False)
    return folder


def test_flights_is_shipped() -> None:
    assert "flights" in scenario_ids()


def test_a_scenario_opens_before_it_is_built(tmp_path: Path) -> None:
    flights = open_scenario("flights", tmp_path)
    assert not flights.is_built()
    assert flights.scenario.fingerprint is None
    assert flights.database_path == tmp_path / "scenarios" / "flights" / "flights.duckdb"
    assert flights.folder == flights.database_path.parent
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_scenario_is_an_error_that_lists_what_exists(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownNameError, match=r"unknown scenario 'fligths'.*did you mean 'flights'"
    ):
        open_scenario("fligths", tmp_path)


@pytest.mark.usefixtures("plugin")
def test_a_plugin_brings_a_scenario_by_the_folder_of_its_module(tmp_path: Path) -> None:
    assert {"flights", "visits"} <= set(scenario_ids())
    assert open_scenario("visits", tmp_path).scenario.title == "Visits of three patients"


@pytest.mark.usefixtures("plugin")
def test_a_plugin_whose_module_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="scenario 'broken': cannot import"):
        open_scenario("broken", tmp_path)


@pytest.mark.usefixtures("plugin")
def test_a_plugin_registered_under_another_id_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match="key 'id' is 'visits', but it is registered as 'renamed'"
    ):
        open_scenario("renamed", tmp_path)


def test_a_misspelt_key_of_a_plugin_is_an_error_when_it_is_opened(
    plugin: Path, tmp_path: Path
) -> None:
    small.write_toml(plugin, small.TOML.replace("title", "titel"))
    with pytest.raises(ConfigError, match=r"scenario\.toml: unknown key 'titel'"):
        open_scenario("visits", tmp_path)
