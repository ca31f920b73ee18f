"""The dashboard in-process over a store of the test's own; a browser's cookie without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from core.access import Role
from server.dashboard.app import make_dashboard
from server.dashboard.queues import WAITING, Queue
from server.dashboard.viewer import COOKIE
from server.runner import utc_now
from server.settings import Settings
from server.store import Repository, open_store
from server.tokens import issue

ORIGIN = "http://testserver"

Visit = Callable[[Role | None], TestClient]
"""Somebody's client: with a token of a role, or without one."""


@contextmanager
def crowd() -> Iterator[Queue]:
    """A queue in which no place is left."""
    queue = Queue("Busy")
    with ExitStack() as taken:
        for _ in range(1 + WAITING):
            taken.enter_context(queue._places)
        yield queue


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "home").prepare()


@pytest.fixture
def store(settings: Settings) -> Iterator[Repository]:
    with open_store(settings.store_path) as opened:
        yield opened


@pytest.fixture
def visit(settings: Settings, store: Repository) -> Visit:
    app = make_dashboard(settings, store)

    def as_(role: Role | None) -> TestClient:
        client = TestClient(app, base_url=ORIGIN, follow_redirects=False)
        client.headers["origin"] = ORIGIN
        if role is not None:
            client.cookies.set(COOKIE, issue(store, role, utc_now(), name=f"a {role}")[1])
        return client

    return as_


@pytest.fixture
def installed(settings: Settings, flights_home: Path) -> None:
    """Flights, built, in the home of the pages."""
    place = settings.home / "scenarios"
    if place.is_dir():
        place.rmdir()
    place.symlink_to(flights_home / "scenarios")
