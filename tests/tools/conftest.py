"""The visits database and hands on it, shared by the suites of the tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.support import Hand, make_visits


@pytest.fixture(scope="session")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with 150 visits; nobody may change it."""
    return make_visits(tmp_path_factory.mktemp("host-folder") / "visits.duckdb")


@pytest.fixture(scope="module")
def hand(visits: Path) -> Iterator[Hand]:
    """The SQL tools on the visits."""
    with Hand(visits) as hand:
        yield hand
