"""A home for a real process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.processes import Home
from tests.server.agents import GATE


@pytest.fixture
def home(tmp_path: Path, flights_home: Path) -> Home:
    """With flights built; the gate of GatedAgent is closed."""
    made = Home(tmp_path, flights_home)
    made.environment[GATE] = str(tmp_path / "gate")
    return made


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Touch it and GatedAgent goes through."""
    return tmp_path / "gate"
