"""The small scenario as a fixture."""

from __future__ import annotations

from pathlib import Path

import pytest

from databases.installed import InstalledScenario
from tests.databases import small


@pytest.fixture
def visits(tmp_path: Path) -> InstalledScenario:
    """Three patients, built in a folder of the test's own."""
    return small.built(tmp_path)
