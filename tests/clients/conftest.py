"""One home and one server for all clients of a process of tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from databases.catalog import InstalledScenario
from tests.clients.place import Place
from tests.support.serving import Server, serving


@pytest.fixture(scope="package")
def place(
    tmp_path_factory: pytest.TempPathFactory, flights_home: Path, flights: InstalledScenario
) -> Iterator[Place]:
    """A DDR_HOME with flights built and a store of its own."""
    home = tmp_path_factory.mktemp("clients") / "home"
    home.mkdir(mode=0o700)
    (home / "scenarios").symlink_to(flights_home / "scenarios")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DDR_HOME", str(home))
        yield Place(home, flights)


@pytest.fixture(scope="package")
def server(place: Place) -> Iterator[Server]:
    """`ddr serve --http` on it, with two workers that take turns."""
    with serving(place.home, workers=2) as listening:
        yield listening
