"""The doctor as a whole: everything is looked at, what is missing has a remedy, and a session is tried."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from databases.catalog import SHIPPED
from databases.installed import InstalledScenario
from server import settings
from server.checkup import examine, scenarios
from tools.python.sandbox import sandbox_available


def test_the_doctor_looks_at_everything_and_names_a_remedy_for_what_is_missing(
    tmp_path: Path,
) -> None:
    found = {f.name: f for f in examine(settings.load(tmp_path))}
    machine = ["python", "user", "home", "disk", "temporary files", "large queries"]
    machine += ["user namespaces", "sandbox"]
    data = [*(f"scenario {name}" for name in sorted(SHIPPED)), "session", "store"]
    assert list(found) == [*machine, *data, "port 8910", "keys", "node", "charts"]
    assert found["python"].ok
    assert not found["scenario flights"].ok
    assert found["scenario flights"].remedy == "ddr scenarios build flights"
    assert not found["scenario flights"].needed
    assert all(f.ok or f.remedy for f in found.values())


def test_the_doctor_finds_a_damaged_store(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite3").write_bytes(b"not a database" * 100)
    store = scenarios.store(settings.load(tmp_path))
    assert not store.ok
    assert store.needed
    assert "damaged" in store.detail


@pytest.mark.real
def test_a_session_is_tried_on_what_is_built(
    flights: InstalledScenario, flights_home: Path
) -> None:
    found = scenarios.session(settings.load(flights_home))
    assert found.ok, found.detail
    assert "execute_query" in found.detail
    assert ("execute_code" in found.detail) is (sandbox_available().name != "off")


@pytest.mark.real
def test_a_session_that_cannot_be_held_is_found_with_its_reason(
    flights_home: Path, tmp_path: Path
) -> None:
    shutil.copytree(flights_home / "scenarios" / "flights", tmp_path / "scenarios" / "flights")
    (tmp_path / "scenarios" / "flights" / "flights.duckdb").write_bytes(b"no database" * 1000)
    found = scenarios.session(settings.load(tmp_path))
    assert not found.ok
    assert found.needed
    assert found.detail.startswith("on flights: ")
