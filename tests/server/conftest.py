"""A fresh store for each test, and a small scenario to explore into it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.store import Repository, open_store
from tests.server.exploring import World


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Repository]:
    """A store in a real file, open."""
    with open_store(tmp_path / "store.sqlite3") as opened:
        yield opened


@pytest.fixture
def world(store: Repository, tmp_path: Path) -> World:
    """A small scenario with a store."""
    return World(store, tmp_path)
