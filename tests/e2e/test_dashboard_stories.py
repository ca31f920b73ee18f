"""A real Chromium at a real server: evidence and numbers followed, a vote cast, a run watched to its end."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.access import Role
from server.runner import utc_now
from server.settings import Settings
from server.store import open_store
from server.store.closeups import votes
from server.tokens import issue
from tests.analysis.browser import Browser, browser
from tests.e2e.processes import Home
from tests.server.dashboard.stories import QUOTE, item_ids, modelled
from tests.support import axe
from tests.support.needs import needs
from tests.support.serving import Server, serving

pytestmark = [pytest.mark.real, needs("chromium", "npm")]

BOUND_S = 60.0
PAGES = (
    "/runs",
    "/runs/{one}",
    "/runs/{one}/looks",
    "/trajectories/{one}/01",
    "/compare",
    "{compare}",
    "{vote}",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Home:
    """A home with two judged runs of models."""
    made = Home(tmp_path_factory.mktemp("stories"), flights_home)
    with open_store(Settings(made.path).prepare().store_path) as store:
        modelled(store, 1, "gpt-aaaa-1")
        said = ("The mean delay is 12.5 min.", "It flies less in winter.", "It has 40 aircraft.")
        modelled(store, 2, "gpt-bbbb-1", texts=said)
    return made


@pytest.fixture(scope="module")
def server(place: Home) -> Iterator[Server]:
    with serving(place.path, workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        opened.look()
        yield opened


@pytest.fixture
def tab(window: Browser, server: Server, place: Home) -> Browser:
    """An admin's."""
    return entered(window, server, place, "admin")


def entered(tab: Browser, server: Server, place: Home, role: Role) -> Browser:
    """Whoever pasted their token."""
    with place.store() as store:
        _, secret = issue(store, role, utc_now(), name=f"a {role}")
    visit(tab, f"{server.url}/enter")
    tab.ask(f"document.getElementById('token').value = {json.dumps(secret)}; true")
    tab.click("form[action='/enter'] button")
    tab.wait_for(f"document.body.innerText.includes('a {role}, {role}')")
    return tab


def visit(tab: Browser, url: str) -> None:
    """Open a page, and wait until it is that one: the one before may still have been loading."""
    tab.open("about:blank")
    tab.open(url)
    tab.wait_for(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")


def path(page: str) -> str:
    one, other = "20260131-flights-s001", "20260131-flights-s002"
    return page.format(
        one=one,
        compare=f"/compare?left={one}&right={other}&entity=01",
        vote="/compare/vote/flights",
    )


def press(tab: Browser, key: str) -> None:
    for kind in ("keyDown", "keyUp"):
        tab.send(
            "Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" else ""
        )
    tab.settle()


def test_the_evidence_link_of_an_item_lights_its_turn_and_its_words(
    tab: Browser, server: Server
) -> None:
    visit(tab, server.url + path("/trajectories/{one}/01"))
    tab.click("aside.checklist .quote a")
    assert tab.ask("decodeURIComponent(location.hash)") == f"#turn-1/item-{item_ids()[0]}"
    assert tab.ask("document.querySelector('mark.lit').innerText") == QUOTE
    assert tab.ask("document.querySelector('.turn.lit').id") == "turn-1"
    assert QUOTE in tab.ask(
        "[...document.querySelectorAll('.item.lit')].map(e => e.innerText).join()"
    )
    tab.click("aside.checklist a.to-turn")
    assert tab.ask("document.querySelector('.turn.lit').id") == "turn-1"


def test_a_number_is_followed_to_the_cell_that_it_comes_from(tab: Browser, server: Server) -> None:
    visit(tab, server.url + path("/trajectories/{one}/01"))
    tab.click("#turn-1 a.claim")
    tab.wait_for("!document.getElementById('source').hidden")
    said = tab.ask("document.getElementById('source').innerText")
    assert "12.5 min: turn 1, result of the query, column mean" in said
    assert lit(tab) == ["12.5"]
    assert tab.ask("document.querySelector('#turn-1 .call').open") is True
    tab.click("#source button")
    assert tab.ask("document.activeElement.innerText") == "12.5 min"
    tab.press("Escape")
    assert tab.ask("document.getElementById('source').hidden") is True
    assert lit(tab) == []


def test_a_link_to_a_number_leads_there_and_shows_both_figures_of_a_difference(
    tab: Browser, server: Server
) -> None:
    visit(tab, server.url + path("/trajectories/{one}/01") + "#turn-1/number-2")
    tab.wait_for("!document.getElementById('source').hidden")
    assert "difference of 12.5 and 7.75" in tab.ask("document.getElementById('source').innerText")
    assert sorted(lit(tab)) == ["12.5", "7.75"]


def test_a_reader_is_told_that_a_number_comes_from_nowhere(
    window: Browser, server: Server, place: Home
) -> None:
    tab = entered(window, server, place, "reader")
    visit(tab, server.url + path("/trajectories/{one}/01"))
    tab.click("#turn-3 a.claim")
    tab.wait_for("!document.getElementById('source').hidden")
    assert "no source found" in tab.ask("document.getElementById('source').innerText")


def lit(tab: Browser) -> list[str]:
    """The cells that are lit up."""
    found: list[str] = tab.ask(
        "[...document.querySelectorAll('td.lit-number')].map(e => e.innerText)"
    )
    return found


def test_turns_are_walked_by_keyboard(tab: Browser, server: Server) -> None:
    visit(tab, server.url + path("/trajectories/{one}/01"))
    places = []
    for key in "jjkj":
        press(tab, key)
        places.append(tab.ask("[location.hash, document.activeElement.id]"))
    assert places == [[f"#turn-{k}", f"turn-{k}"] for k in (1, 2, 1, 2)]


def test_a_blind_vote_is_cast_and_found_in_the_store(
    window: Browser, server: Server, place: Home
) -> None:
    tab = entered(window, server, place, "reader")
    visit(tab, server.url + path("{vote}"))
    text = tab.ask("document.documentElement.outerHTML")
    assert "gpt-" not in text
    assert "flights-s00" not in text
    liked = tab.ask("document.querySelector('.ballot section li').innerText")
    tab.ask("document.getElementById('reason').value = 'It can be acted on.'; true")
    tab.click("button[value='first']")
    tab.wait_for("document.body.innerText.includes('Your vote is kept')")
    with place.store() as store:
        (kept,) = votes(store, "flights")
    winner = kept.left if kept.winner == "left" else kept.right
    of_other = "winter" in liked and "more" not in liked
    assert winner.endswith("s002" if of_other else "s001")
    assert (kept.judge, kept.reason) == ("a reader", "It can be acted on.")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_used_by_everybody_light_and_dark_wide_and_narrow(
    tab: Browser, server: Server, page: str
) -> None:
    seen = len(tab.complaints())
    for width, dark in ((1280, False), (360, True)):
        tab.look(width=width, dark=dark)
        visit(tab, server.url + path(page))
        tab.settle()
        assert axe.serious(tab) == []
        assert tab.ask("document.documentElement.scrollWidth") <= width
    tab.look()
    assert tab.complaints()[seen:] == []


def test_a_run_is_watched_to_its_end_without_a_reload(
    tab: Browser, server: Server, place: Home
) -> None:
    options = ("--scenario", "flights", "--agent", "profiler", "--entities", "01", "--json")
    running = place.start("run", *options)
    try:
        place.wait_until(
            lambda store: len(store.runs()) == 3 and bool(store.heads(store.runs()[-1].id)), running
        )
        with place.store() as store:
            run = store.runs()[-1].id
        visit(tab, f"{server.url}/runs/{run}")
        tab.ask("window.stays = true")
        assert tab.ask("document.getElementById('state').innerText") == "under way"
        counts = set()
        end = time.monotonic() + BOUND_S
        while tab.ask("document.getElementById('state').innerText") != "finished":
            counts.add(tab.ask("document.querySelector('#row-01-1 td.num').innerText"))
            assert time.monotonic() < end, counts
            time.sleep(0.1)
        running.communicate(timeout=BOUND_S)
        assert len(counts) > 1
        tab.wait_for("document.getElementById('told').innerText.includes('is over')")
        assert tab.ask("window.stays") is True
        assert tab.ask("document.querySelector('#row-01-1 .badge').innerText") == "finished"
        with place.store() as store:
            turns = store.turns_stored(run)
        assert tab.ask("document.querySelector('#row-01-1 td.num').innerText") == str(turns)
        assert "1 of 1" in tab.ask("document.getElementById('figures').innerText")
    finally:
        running.kill()
        running.communicate()
