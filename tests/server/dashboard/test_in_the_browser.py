"""The public pages in a real browser: entered by the printed link, sorted, copied from, examined by axe."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.run import RunSpec
from databases.catalog import InstalledScenario
from server.settings import Settings
from server.standings import standings
from server.store import open_store
from tests.analysis.browser import Browser, browser
from tests.server.dashboard import boards
from tests.support import axe
from tests.support.flights import linked_home
from tests.support.needs import needs
from tests.support.serving import Server, serving

pytestmark = [pytest.mark.real, needs("chromium", "npm")]

LOOKS = [(1280, False), (1280, True), (390, False), (390, True)]


@dataclass(frozen=True)
class Visit:
    """A browser at a server."""

    tab: Browser
    server: Server
    runs: dict[str, RunSpec]

    def open(self, path: str) -> None:
        self.tab.open(f"{self.server.url}{path}")

    @property
    def pair(self) -> str:
        one, other = self.runs["<i>clever</i>"].id, self.runs["apart"].id
        return f"/compare/models?one={one}&other={other}"


@pytest.fixture(scope="module")
def visit(
    flights_home: Path, flights: InstalledScenario, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Visit]:
    """As somebody who has followed the link that the server printed."""
    folder = tmp_path_factory.mktemp("browser")
    home = linked_home(flights_home, folder / "home")
    with open_store(home / "store.sqlite3") as store:
        runs = boards.contest(store, flights)
        standings(store, Settings(home))
    with serving(home) as server, browser(folder / "profile") as tab:
        tab.look()
        tab.open(server.said["dashboard"])
        yield Visit(tab, server, runs)


def column(tab: Browser, number: int) -> list[str]:
    """The cells of one column of the first table, as they are read."""
    found: list[str] = tab.ask(
        "[...document.querySelector('table.sortable').tBodies[0].rows]"
        f".map(r => r.cells[{number}].innerText.trim())"
    )
    return found


def test_the_printed_link_lets_in_as_admin_and_leads_to_the_leaderboard(visit: Visit) -> None:
    visit.tab.open(f"{visit.server.url}/")
    assert visit.tab.ask("document.querySelector('.viewer').innerText").startswith("browser, admin")
    assert visit.tab.ask("location.pathname + location.search") == "/"
    assert visit.tab.ask("document.cookie") == ""  # no script can read it


def test_heads_sort_by_mouse_and_by_keyboard_and_say_so(visit: Visit) -> None:
    tab = visit.tab
    visit.open("/")
    assert column(tab, 0)[0].startswith("openai/<i>clever</i>")
    tab.click("table.sortable thead th:nth-child(2) button")
    tab.click("table.sortable thead th:nth-child(2) button")
    assert [each.split()[0] for each in column(tab, 0)] == [
        "openai/able",
        "openai/better",
        "openai/<i>clever</i>",
    ]
    heads = "[...document.querySelectorAll('table.sortable')][0].querySelectorAll('th[aria-sort]')"
    assert tab.ask(f"[...{heads}].map(h => h.ariaSort)") == ["ascending"]
    tab.ask("document.querySelector('table.sortable thead th:nth-child(5) button').focus()")
    tab.press("Enter")
    assert [each.split()[0] for each in column(tab, 4)] == ["$0.0090", "$0.0060", "$0.0030"]


def test_a_pair_is_chosen_beneath_the_table_and_compared(visit: Visit) -> None:
    tab = visit.tab
    visit.open("/")
    tab.ask("document.querySelector('select[name=other]').selectedIndex = 2")
    tab.click("form.pair button")
    until = time.monotonic() + 20
    while time.monotonic() < until:
        if tab.ask("location.pathname + document.readyState") == "/compare/modelscomplete":
            break
    assert tab.ask("document.querySelector('h1').innerText") == (
        "openai/<i>clever</i> against openai/able"
    )


def test_a_command_is_copied_by_its_button(visit: Visit) -> None:
    tab = visit.tab
    for permission in ("clipboardReadWrite", "clipboardSanitizedWrite"):
        tab.send("Browser.grantPermissions", origin=visit.server.url, permissions=[permission])
    visit.open("/scenarios/flights")
    tab.click("button[data-copy=enrol]")
    tab.ask("new Promise(r => setTimeout(r, 200))")
    assert tab.ask("document.querySelector('button[data-copy=enrol]').innerText") == "Copied"
    assert tab.ask("getSelection().toString()").startswith("ddr enrol --scenario flights")


def test_the_first_stop_of_the_keyboard_leads_past_the_navigation(visit: Visit) -> None:
    visit.open("/scenarios")
    visit.tab.press("Tab")
    assert visit.tab.ask("document.activeElement.innerText") == "To the content"
    visit.tab.press("Enter")
    assert visit.tab.ask("document.activeElement.id") == "main"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/scenarios",
        "/scenarios/flights",
        "/scenarios/patients",
        "/enter",
        "pair",
        "/runs/none",
    ],
)
def test_a_page_is_sound_light_and_dark_wide_and_narrow(
    path: str, visit: Visit, tmp_path: Path
) -> None:
    for width, dark in LOOKS:
        visit.tab.look(width=width, dark=dark)
        visit.open(visit.pair if path == "pair" else path)
        assert axe.serious(visit.tab) == [], (width, dark)
        wide = visit.tab.ask("document.documentElement.scrollWidth")
        assert wide <= width, f"{path} scrolls sideways at {width}"
    visit.tab.look()


def test_no_page_complains_nor_asks_anybody_else(visit: Visit) -> None:
    visit.open("/")
    said = [each for each in visit.tab.complaints() if "404" not in each]
    assert said == []
    others = [
        url
        for url in visit.tab.requests()
        if not url.startswith((visit.server.url, "data:", "about:"))
    ]
    assert others == []
