"""A real Chromium reads the report of an agent from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.report import render_report
from tests.analysis.browser import Browser, browser
from tests.analysis.outside import QUOTE, report_data
from tests.analysis.test_in_the_browser import CONTRAST
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("chromium")]


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One Chromium, the report opened in it."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(render_report(report_data()), encoding="utf-8")
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        opened.open(path.as_uri())
        opened.settle()
        yield opened


@pytest.mark.parametrize("width", [320, 820, 1280])
def test_no_width_makes_the_page_scroll_sideways(tab: Browser, width: int, tmp_path: Path) -> None:
    tab.look(width=width)
    tab.ask("document.getElementById('carrier-01').open = true")
    assert tab.ask("document.documentElement.scrollWidth - innerWidth") <= 0
    tab.photograph(tmp_path / "page.png")


def test_an_item_lights_the_very_insight_of_several_in_its_turn(tab: Browser) -> None:
    tab.look(width=1280)
    tab.ask("location.hash = '#carrier-01/turn-2/item-a'")
    tab.settle()
    lit = tab.ask("[...document.querySelectorAll('.turn mark.lit')].map(m => m.textContent)")
    assert lit == [QUOTE]
    alone = tab.ask("document.querySelectorAll('.turn.lit .insight').length")
    assert alone == 2


def test_contact_sorts_by_its_columns(tab: Browser) -> None:
    tab.look(width=1280)
    column = (
        "[...document.querySelectorAll('#contact-table tbody tr')].map(r => +r.cells[2].innerText)"
    )
    tab.click("#contact-table th:nth-child(3) button")
    tab.click("#contact-table th:nth-child(3) button")
    assert tab.ask(column) == [0, 9]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(tab: Browser, dark: bool) -> None:
    tab.look(dark=dark)
    tab.settle()
    assert tab.ask(CONTRAST) == []


def test_the_console_stays_silent(tab: Browser) -> None:
    assert tab.complaints() == []
