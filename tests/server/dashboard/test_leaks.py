"""Who gets to read what: every route of the pages and of REST is asked by everybody, with real ids.

The routes come from the applications themselves, so that a new one is asked too. One whose parameters
have no value in House.values (listening.py) fails here: say there what it is asked with.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from databases.catalog import InstalledScenario
from server.settings import Settings
from server.store import open_store
from tests.server.dashboard.canaries import (
    OF_CHECKLIST,
    OF_FINISHED,
    OF_RESTRICTED,
    OF_RUNNING,
    planted,
)
from tests.server.dashboard.listening import Heard, House, ask, client_of, follow
from tests.server.routes import of_dashboard, of_rest
from tests.support.flights import linked_home
from tests.support.serving import serving

pytestmark = pytest.mark.real

WHO: Final = ("nobody", "agent", "reader", "other", "harness", "admin")


@pytest.fixture(scope="module")
def house(
    flights_home: Path, flights: InstalledScenario, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    home = linked_home(flights_home, tmp_path_factory.mktemp("leaks") / "a-secret-place")
    settings = Settings(home)
    with open_store(settings.store_path) as store:
        secrets = planted(store, settings, flights)
    with serving(home) as server:
        yield House(server.url, secrets)


@pytest.fixture(scope="module")
def heard(house: House) -> dict[str, Heard]:
    """What everybody is answered to everything that can be asked, and where it leads."""
    found = {who: Heard() for who in WHO}
    reading = [route for route in (*of_dashboard(), *of_rest()) if route.method == "GET"]
    for who in WHO:
        with client_of(house, who) as client:
            for route in reading:
                for address in house.addresses(route):
                    ask(client, "GET", address, found[who])
            follow(client, found[who])
    # Those who may change nothing try to: what they are told is heard as well.
    writing = [route for route in (*of_dashboard(), *of_rest()) if route.method == "POST"]
    for who in ("nobody", "agent", "reader", "other"):
        with client_of(house, who) as client:
            for route in writing:
                if route.path != "/leave":
                    ask(client, "POST", house.addresses(route)[0], found[who])
    return found


EVERYBODY: Final = frozenset(WHO)
KNOWN: Final = frozenset({"reader", "other", "harness", "admin"})
MAY: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(OF_CHECKLIST, frozenset({"admin"})),
    **dict.fromkeys(OF_RUNNING, frozenset({"admin"})),
    **dict.fromkeys(OF_RESTRICTED, frozenset({"admin"})),
    **dict.fromkeys(OF_FINISHED, KNOWN),
}
"""Who may read which word; everybody who may does read it somewhere, so that the test can fail."""


@pytest.mark.parametrize("word", MAY)
@pytest.mark.parametrize("who", WHO)
def test_a_word_is_read_by_those_who_may_and_by_nobody_else(
    who: str, word: str, heard: dict[str, Heard]
) -> None:
    places = heard[who].where(word)
    if who in MAY[word]:
        assert places, f"{who} was to see {word} somewhere"
    else:
        assert places == []


def test_nobody_without_a_token_learns_of_a_run(heard: dict[str, Heard], house: House) -> None:
    for who in ("nobody", "agent"):
        for name, run in house.secrets.runs.items():
            told = [at for at in heard[who].where(run.id) if run.id not in at]
            assert told == [], name


def test_a_run_that_goes_on_is_known_to_its_harness_and_admins(
    heard: dict[str, Heard], house: House
) -> None:
    for name in ("running", "outside"):
        run = house.secrets.runs[name].id
        for who in ("reader", "other"):
            # Whoever asks for its id, or has its seat's path, knew of it.
            known = (run, house.secrets.seat)
            told = [at for at in heard[who].where(run) if not any(each in at for each in known)]
            assert told == [], name
        assert heard["admin"].where(run)
    assert heard["harness"].where(house.secrets.runs["outside"].id)


def test_a_seat_that_was_given_out_is_told_to_nobody_else(
    heard: dict[str, Heard], house: House
) -> None:
    for who in ("nobody", "reader", "other"):
        told = [at for at in heard[who].where(house.secrets.seat) if house.secrets.seat not in at]
        assert told == []
    assert heard["harness"].where(house.secrets.seat)


def test_no_answer_has_a_secret_of_anybodys(heard: dict[str, Heard], house: House) -> None:
    for who, told in heard.items():
        for whose, token in house.secrets.tokens.items():
            assert told.where(token) == [], f"{who} reads the token of {whose}"


def test_no_answer_has_a_place_of_the_machine(heard: dict[str, Heard]) -> None:
    for who, told in heard.items():
        assert told.where("a-secret-place") == [], who


def test_nothing_that_was_asked_is_a_fault_of_the_server(heard: dict[str, Heard]) -> None:
    for who, told in heard.items():
        assert told.unanswered == [], who


def test_pages_json_events_and_files_were_all_among_the_answers(heard: dict[str, Heard]) -> None:
    expected = {"text/html", "application/json", "text/event-stream", "text/css", "text/javascript"}
    assert expected <= heard["admin"].kinds
    assert heard["nobody"].kinds >= {"text/html", "text/css", "text/javascript"}
    assert len(heard["admin"].texts) > 150
