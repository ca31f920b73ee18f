"""Small databases of incidents, each built once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from databases.build import build
from databases.connection import open_readonly
from databases.installed import InstalledScenario

Make = Callable[..., InstalledScenario]


@pytest.fixture(scope="session")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Build with these options, in a home of its own."""

    def made(**options: Any) -> InstalledScenario:
        home = tmp_path_factory.mktemp("incidents")
        return build("incidents", home, options={"entities": 8, "rows": 4000, **options})

    return made


@pytest.fixture(scope="session")
def usual(make: Make) -> InstalledScenario:
    """Eight teams with every signal."""
    return make()


def ask(scenario: InstalledScenario, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query."""
    with open_readonly(scenario.database_path) as connection:
        return connection.execute(query).fetchall()


def home_of(scenario: InstalledScenario) -> Path:
    """The DDR_HOME that it was built in."""
    return scenario.folder.parents[1]
