"""A small study, and databases built once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from databases.build import build
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from tests.databases.wearables.layout import write_study

Rows = list[tuple[Any, ...]]
Ask = Callable[[InstalledScenario, str], Rows]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study that a test may spoil."""
    return write_study(tmp_path / "globem")


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """The small study, built."""
    folder = tmp_path_factory.mktemp("imported")
    source = write_study(folder / "globem").parent
    return build("wearables", folder / "home", options={"from": str(source)})


@pytest.fixture(scope="session")
def twin(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """A twin of 30 people."""
    home = tmp_path_factory.mktemp("twin")
    return build("wearables", home, options={"synthetic": True, "entities": "30", "seed": "9"})


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Run a query on a built scenario."""

    def rows(scenario: InstalledScenario, query: str) -> Rows:
        with open_readonly(scenario.database_path) as connection:
            return connection.execute(query).fetchall()

    return rows
