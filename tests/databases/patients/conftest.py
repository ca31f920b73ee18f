"""One small twin for the whole suite, written in its owners' layout too."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from databases.build import build
from databases.catalog import InstalledScenario

PEOPLE, ROWS = 6, 3_000


@dataclass(frozen=True)
class Twin:
    """A built twin, and the folder that holds it as its owners would publish it."""

    installed: InstalledScenario
    home: Path
    layout: Path

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """What a statement gives on it."""
        from databases.connection import open_readonly

        with open_readonly(self.installed.database_path) as connection:
            return connection.execute(sql).fetchall()


@pytest.fixture(scope="session")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    return made(tmp_path_factory.mktemp("twin"), tables="all")


def made(folder: Path, **options: Any) -> Twin:
    """A twin with these options."""
    layout = folder / "layout"
    asked = {"synthetic": True, "entities": str(PEOPLE), "rows": ROWS, **options}
    home = folder / "home"
    installed = build("patients", home, options={**asked, "export_layout": str(layout)})
    return Twin(installed, home, layout)


@pytest.fixture
def layout(twin: Twin, tmp_path: Path) -> Path:
    """A copy of the owners' files, to be spoilt."""
    copy = tmp_path / "published"
    shutil.copytree(twin.layout, copy)
    return copy


@pytest.fixture
def imported(layout: Path, tmp_path: Path) -> Callable[..., InstalledScenario]:
    """Import the copy as it is now."""

    def run(**options: Any) -> InstalledScenario:
        asked = {"from": str(layout), "notes": str(layout / "note"), "tables": "all", **options}
        asked = {name: value for name, value in asked.items() if value is not None}
        return build("patients", tmp_path / "home", options=asked)

    return run
