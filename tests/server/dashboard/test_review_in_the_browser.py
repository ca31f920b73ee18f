"""A real Chromium: an item's proof is made, a decision saved, an item labelled; all by keyboard as well."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checklists.loader import load
from core.labels import PersonLabel
from server.runner import utc_now
from server.settings import Settings
from server.store import open_store
from server.store.judgements import Judgements
from server.tokens import once
from tests.analysis.browser import Browser, browser
from tests.server.dashboard.runs import judged_run
from tests.support import axe
from tests.support.needs import needs
from tests.support.serving import Server, serving

pytestmark = [pytest.mark.real, needs("chromium", "npm")]

ITEM = "flights-01-mean-age"


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Settings:
    made = Settings(tmp_path_factory.mktemp("review") / "home").prepare()
    (made.home / "scenarios").symlink_to(flights_home / "scenarios")
    with open_store(made.store_path) as store:
        judged_run(store)
    return made


@pytest.fixture(scope="module")
def server(settings: Settings) -> Iterator[Server]:
    with serving(settings.home) as started:
        yield started


@pytest.fixture(scope="module")
def tab(
    tmp_path_factory: pytest.TempPathFactory, server: Server, settings: Settings
) -> Iterator[Browser]:
    """One that followed a one-time link of an admin."""
    with open_store(settings.store_path) as store:
        secret = once(store, "admin", utc_now())
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        opened.open(f"{server.url}/enter?once={secret}&back=/checklists")
        yield opened


def text(tab: Browser) -> str:
    found: str = tab.ask("document.body.innerText")
    return found


def test_a_decision_is_made_on_a_proof_that_was_seen(
    tab: Browser, server: Server, settings: Settings
) -> None:
    assert "Checklists" in text(tab)
    tab.open(f"{server.url}/checklists/flights")
    assert axe.serious(tab) == []
    tab.ask("document.querySelector('#new_id').value = 'mine'; true")
    tab.click("form[action$='/copy'] button")
    tab.wait_for("location.pathname === '/checklists/mine'")
    tab.open(f"{server.url}/checklists/mine/items/{ITEM}")
    tab.wait_for("document.body.innerText.includes('On a disordered copy')")
    shown = text(tab)
    assert "as expected" in shown
    assert "not as expected" in shown
    assert axe.serious(tab) == []
    tab.ask("document.querySelector('input[name=by]').value = 'ann'; true")
    tab.ask("document.querySelector('button[value=accepted]').focus(); true")
    tab.press("Enter")
    tab.wait_for("document.body.innerText.includes('Put it into other words')")
    tab.wait_for("document.querySelector('table') !== null")
    mine = load(settings.checklists / "mine.json")
    (item,) = (each for each in mine.items if each.id == ITEM)
    assert [(d.who, d.status) for d in item.decisions] == [("ann", "accepted")]
    assert tab.complaints() == []


def test_a_label_is_given_blind(tab: Browser, server: Server, settings: Settings) -> None:
    with open_store(settings.store_path) as store:
        run = store.run("last")
    tab.open(f"{server.url}/labels/{run.id}?by=ann")
    assert axe.serious(tab) == []
    tab.click("button[value=insufficient]")
    tab.wait_for("document.body.innerText.includes('1 of 14 answered')")
    with open_store(settings.store_path) as store:
        (kept,) = Judgements(store, "label").of_run(run.id, PersonLabel)
    assert (kept[1], kept[2].label) == ("ann", "insufficient")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    "path", ["/checklists", "/checklists/flights?q=delay", f"/checklists/flights/items/{ITEM}"]
)
def test_a_phone_shows_it_without_moving_sideways(
    tab: Browser, server: Server, path: str, dark: bool
) -> None:
    tab.look(width=360, height=800, dark=dark)
    tab.open(server.url + path)
    assert tab.ask("document.documentElement.scrollWidth <= innerWidth")
    assert axe.serious(tab) == []
    tab.look()
