"""One real server with two workers for all tests of this folder, and seats at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.outside import Contact, Outside, OutsideCall
from core.trajectory import Trajectory
from databases.catalog import InstalledScenario
from server.enrolment import Issued, enrol
from server.store import Repository, open_store
from server.store.callbook import CallBook
from server.store.seats import Seats
from tests.support.flights import linked_home
from tests.support.mcp_http import Era, answer_of, headers_for
from tests.support.serving import Server, serving


@dataclass(frozen=True)
class Guest:
    """A seat at a server that runs, and what the store knows of it."""

    server: Server
    store: Repository
    issued: Issued

    @property
    def url(self) -> str:
        return self.issued.url(self.server.url)

    @property
    def token(self) -> str:
        return self.issued.token

    def post(
        self,
        message: Any,
        era: Era = "legacy",
        *,
        client: httpx.Client | None = None,
        timeout: float = 60.0,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send a message as it is."""
        given = {**headers_for(self.token, message, era), **(headers or {})}
        if client is not None:
            return client.post(self.url, json=message, headers=given, timeout=timeout)
        return httpx.post(self.url, json=message, headers=given, timeout=timeout)

    def ask(self, message: Any, era: Era = "legacy", **options: Any) -> dict[str, Any]:
        """Send a request; its answer."""
        return answer_of(self.post(message, era, **options))

    def trajectories(self) -> list[Trajectory]:
        run = self.issued.seat.run_id
        mine = set(self.issued.seat.keys)
        return [t for t in self.store.trajectories(run) if (t.entity_id, t.trial) in mine]

    def trajectory(self) -> Trajectory:
        (only,) = self.trajectories()
        return only

    def calls(self) -> list[OutsideCall]:
        state = Seats(self.store).at(self.issued.seat.path)
        assert state is not None
        return CallBook(self.store).calls(state.trajectory_id) if state.trajectory_id else []

    def contacts(self) -> list[Contact]:
        return Seats(self.store).contacts(self.issued.seat.path)


Enrol = Callable[..., list[Guest]]


@dataclass(frozen=True)
class House:
    """A home with flights in it."""

    home: Path
    store: Repository
    flights: InstalledScenario

    def seats(
        self, server: Server, count: int = 1, *, entities: Sequence[str] = ("03",), **outside: Any
    ) -> list[Guest]:
        """So many seats for each of the entities, at a server of this home."""
        given = {"calls_per_s": 1000, **outside}
        made = enrol(
            self.flights,
            self.store,
            agent="guest",
            now=datetime.now(UTC),
            entities=list(entities),
            trials=count,
            outside=Outside(**given),
        )
        return [Guest(server, self.store, seat) for seat in made.seats]


@pytest.fixture(scope="session")
def house(
    tmp_path_factory: pytest.TempPathFactory, flights_home: Path, flights: InstalledScenario
) -> Iterator[House]:
    home = linked_home(flights_home, tmp_path_factory.mktemp("served") / "home")
    with open_store(home / "store.sqlite3") as store:
        yield House(home, store, flights)


@pytest.fixture(scope="session")
def server(house: House) -> Iterator[Server]:
    """Two workers; what a test does to it, the next one meets."""
    with serving(house.home, workers=2) as running:
        yield running


@pytest.fixture
def guests(house: House, server: Server) -> Enrol:
    """Fresh seats at the shared server."""
    return lambda count=1, **options: house.seats(server, count, **options)


@pytest.fixture
def guest(guests: Enrol) -> Guest:
    """One fresh seat at the shared server."""
    (only,) = guests()
    return only
