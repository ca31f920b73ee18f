"""The small scenario as a fixture."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from databases.installed import InstalledScenario, install
from tests.databases import small


@pytest.fixture(scope="session")
def shared_visits(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """Three patients, built once; for tests that only read."""
    return small.built(tmp_path_factory.mktemp("visits"))


@pytest.fixture
def visits(shared_visits: InstalledScenario, tmp_path: Path) -> InstalledScenario:
    """A copy of it below `tmp_path`/home, the test's own, as if it had been built there."""
    small.write_toml(tmp_path)
    shutil.copytree(shared_visits.folder.parents[1], tmp_path / "home")
    return install(shared_visits.manifest, tmp_path / "home")
