"""One tool host for all tests at desks, and a house for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases.catalog import InstalledScenario
from server.store import Repository
from server.toolhost import ToolHost
from tests.server.desk.house import House


@pytest.fixture(scope="package")
def tool_host() -> Iterator[ToolHost]:
    """Lives as long as the tests of this folder; one that kills a host makes its own."""
    host = ToolHost()
    host.start()
    yield host
    host.close()


@pytest.fixture(scope="package")
def desks_home(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Path:
    """A home with the flights that may be written to."""
    home = tmp_path_factory.mktemp("home")
    (home / "scenarios").symlink_to(flights_home / "scenarios")
    return home


@pytest.fixture
def house(
    desks_home: Path, flights: InstalledScenario, store: Repository, tool_host: ToolHost
) -> House:
    """A home with the flights, and a store that is this test's alone."""
    return House(desks_home, store, flights, tool_host)
