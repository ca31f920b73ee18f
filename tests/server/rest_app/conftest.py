"""One server for all tests of the REST interface, with a finished run and one that goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.store import open_store
from tests.server.rest_app.api import Api, Episode, facts, served, tokens_in


@pytest.fixture(scope="session")
def rest_home(flights_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A DDR_HOME in which flights is built and nothing was explored."""
    home = tmp_path_factory.mktemp("rest") / "home"
    home.mkdir(mode=0o700)
    (home / "scenarios").symlink_to(flights_home / "scenarios")
    return home


@pytest.fixture(scope="session")
def api(rest_home: Path) -> Iterator[Api]:
    """The server; its runs are shared, so that a test asks about those that it made itself."""
    with open_store(rest_home / "store.sqlite3") as store:
        secrets, ids = tokens_in(store)
        with served(rest_home) as url:
            yield Api(url, rest_home, store, secrets, ids)


@pytest.fixture(scope="session")
def finished(api: Api) -> Episode:
    """An episode of the harness's that found three facts, and is over."""
    episode = api.reset(policy="finder")
    episode.play(facts("03"))
    return episode


@pytest.fixture
def going_on(api: Api) -> Episode:
    """An episode of the harness's in which one query was made."""
    episode = api.reset()
    episode.step("execute_query", query="SELECT 1")
    return episode
