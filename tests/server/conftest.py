"""A fresh store for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.store import Repository, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Repository]:
    """A store in a real file, open."""
    with open_store(tmp_path / "store.sqlite3") as opened:
        yield opened
