"""A real Chromium opens the report, follows its links, and meets nothing that runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.report import render_report
from tests.analysis.browser import Browser, browser
from tests.analysis.factory import (
    data,
    entity,
    insight,
    item,
    make_scenario,
    realistic,
    score,
    trajectory,
    turn,
    verdict,
)
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("chromium")]

QUOTE = "For carrier 01 the mean of x is 12.5"
LINK = 'a[href="#carrier-01/turn-9/item-a"]'


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One Chromium for all tests of this module."""
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small report on disk: two carriers, one item found at turn 9 and in the report."""
    first = trajectory(
        turns=30,
        insights=(
            *(insight("t1", f"Nothing much at {k}.", k) for k in range(1, 9)),
            insight("t1", f"So it is. {QUOTE}, against 3 for the rest.", 9),
            insight("t1", f"Report.\n\n{QUOTE}, against 3 for the rest."),
        ),
    )
    items = [item("a"), item("b"), *(item(f"c{n}") for n in range(9)), item("z", "02")]
    said = [
        verdict("a", turns=(9,), evidence=QUOTE),
        verdict("a", level="trajectory", evidence=QUOTE),
        verdict("b", "insufficient"),
    ]
    html = render_report(data(items, [first, trajectory("t2", "02")], said))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


def _open(tab: Browser, address: str, *, width: int = 1280) -> None:
    tab.look(width=width)
    tab.open("about:blank")
    tab.events.clear()
    tab.open(address)
    tab.settle()


def _lit(tab: Browser) -> list[str]:
    """What is lit: ids of cards and turns, texts of marks."""
    found: list[str] = tab.ask(
        "[...document.querySelectorAll('.lit')].map(e => e.tagName === 'MARK' ? e.textContent : e.id)"
    )
    return sorted(found)


def _in_sight(tab: Browser, selector: str) -> bool:
    """Whether an element's middle is what the window shows at that place."""
    seen: bool = tab.ask(
        f"(() => {{ const e = document.querySelector({selector!r}); const r = e.getBoundingClientRect();"
        "const top = document.elementFromPoint(r.x + r.width / 2, r.y + Math.min(r.height, 20) / 2);"
        "return !!top && (e.contains(top) || top.contains(e)); })()"
    )
    return seen


ALL_LIT = sorted(["carrier-01/item-a", "carrier-01/turn-9", QUOTE, QUOTE])


def test_clicking_an_item_lights_its_turn_and_its_words_in_insight_and_report(
    tab: Browser, address: str
) -> None:
    _open(tab, address)
    assert tab.ask("document.querySelectorAll('details[open]').length") == 0
    tab.click("#carrier-01 > summary")
    assert _lit(tab) == []
    tab.click(f"aside {LINK}")
    assert _lit(tab) == ALL_LIT
    assert tab.ask("decodeURIComponent(location.hash)") == "#carrier-01/turn-9/item-a"
    assert _in_sight(tab, "mark.lit")
    assert "highlighted" in tab.ask("document.getElementById('said').textContent")


def test_a_deep_link_opens_the_trajectory_and_lights_the_same(tab: Browser, address: str) -> None:
    _open(tab, f"{address}#carrier-01/turn-9/item-a")
    assert _lit(tab) == ALL_LIT
    assert tab.ask("document.getElementById('carrier-01').open") is True
    assert _in_sight(tab, "mark.lit")


def test_a_link_to_a_turn_or_an_item_alone_works_as_well(tab: Browser, address: str) -> None:
    _open(tab, f"{address}#carrier-01/turn-20")
    assert _lit(tab) == ["carrier-01/turn-20"]
    assert _in_sight(tab, ".turn.lit")
    tab.open(f"{address}#carrier-01/item-a")
    tab.settle()
    assert _lit(tab) == ALL_LIT
    assert _in_sight(tab, ".item.lit")


def test_the_link_in_the_report_lights_the_report(tab: Browser, address: str) -> None:
    _open(tab, f"{address}#carrier-01/report/item-a")
    assert _lit(tab) == sorted(["carrier-01/item-a", "carrier-01/report", QUOTE, QUOTE])


@pytest.mark.parametrize("fragment", ["#nowhere", "#%E0%A4%A", "#carrier-01/turn-9/item-zz", "#"])
def test_a_link_that_leads_nowhere_does_no_harm(tab: Browser, address: str, fragment: str) -> None:
    _open(tab, address + fragment)
    assert _lit(tab) == []
    assert tab.complaints() == []


def test_the_keyboard_alone_reaches_an_item_and_escape_puts_the_light_out(
    tab: Browser, address: str
) -> None:
    _open(tab, address)
    tab.ask("document.querySelector('#carrier-01 > summary').focus()")
    tab.press("Enter")
    assert tab.ask("document.getElementById('carrier-01').open") is True
    tab.ask(f"document.querySelector('aside {LINK}').focus()")
    tab.press("Enter")
    assert _lit(tab) == ALL_LIT
    tab.press("Escape")
    assert _lit(tab) == []


def test_the_whole_card_of_a_found_item_is_a_target_for_the_pointer(
    tab: Browser, address: str
) -> None:
    _open(tab, f"{address}#carrier-01")
    tab.click("[id='carrier-01/item-a'] .question")
    assert _lit(tab) == ALL_LIT


def test_one_trajectory_is_open_at_a_time_and_the_picker_changes_it(
    tab: Browser, address: str
) -> None:
    _open(tab, f"{address}#carrier-01")
    opened = "[...document.querySelectorAll('details.trajectory[open]')].map(d => d.id)"
    tab.click("#next")
    assert tab.ask(opened) == ["carrier-02"]
    assert tab.ask("document.getElementById('pick').value") == "carrier-02"
    tab.click("#previous")
    assert tab.ask(opened) == ["carrier-01"]


def test_a_table_is_sorted_by_the_column_that_is_asked_for(tab: Browser, address: str) -> None:
    _open(tab, address)
    column = (
        "[...document.querySelectorAll('#entity-table tbody tr')].map(r => +r.cells[4].innerText)"
    )
    tab.click("#entity-table th:nth-child(5) button")
    assert tab.ask(column) == [30, 3]
    tab.click("#entity-table th:nth-child(5) button")
    assert tab.ask(column) == [3, 30]
    assert tab.ask("document.querySelector('#entity-table [aria-sort]').ariaSort") == "ascending"


def test_items_that_were_not_found_can_be_shown_alone(tab: Browser, address: str) -> None:
    _open(tab, f"{address}#carrier-01")
    tab.click("#carrier-01 .filter [data-show=missed]")
    shown = "[...document.querySelectorAll('#carrier-01 .item')].filter(i => i.offsetParent).length"
    assert tab.ask(shown) == 10
    tab.click("#carrier-01 .filter [data-show=found]")
    assert tab.ask(shown) == 1


def test_the_page_asks_for_nothing_but_itself_and_the_console_stays_silent(
    tab: Browser, address: str
) -> None:
    _open(tab, address)
    assert [url for url in tab.requests() if url != "about:blank"] == [address]
    assert tab.complaints() == []


@pytest.mark.parametrize("width", [320, 390, 820, 1280])
def test_no_width_makes_the_page_scroll_sideways(tab: Browser, address: str, width: int) -> None:
    _open(tab, f"{address}#carrier-01/turn-9/item-a", width=width)
    assert tab.ask("document.documentElement.scrollWidth - innerWidth") <= 0
    assert _in_sight(tab, "mark.lit")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(
    tab: Browser, address: str, dark: bool
) -> None:
    _open(tab, f"{address}#carrier-01/turn-9/item-a")
    tab.look(dark=dark)
    tab.settle()
    weak = tab.ask(CONTRAST)
    assert weak == []


CONTRAST = """
(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (el) => {
    for (let at = el; at; at = at.parentElement) {
      const c = rgb(getComputedStyle(at).backgroundColor);
      if (c.length < 4 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const weak = new Set();
  for (const el of document.querySelectorAll('body *')) {
    const own = [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !el.getClientRects().length || ['SCRIPT', 'OPTION'].includes(el.tagName)) continue;
    const style = getComputedStyle(el);
    const [a, b] = [light(rgb(el.closest('svg') ? style.fill : style.color)), light(behind(el))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) weak.add(`${el.tagName}.${el.getAttribute('class')} ${ratio.toFixed(2)}`);
  }
  return [...weak];
})()
"""


def test_everything_that_can_be_focused_has_a_name(tab: Browser, address: str) -> None:
    _open(tab, f"{address}#carrier-01")
    nameless = tab.ask(
        "[...document.querySelectorAll('a, button, select, summary, [tabindex=\"0\"]')].filter(e =>"
        "!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length"
    )
    assert nameless == 0


HOSTILE = "</script></style></template>--><img src=x onerror=\"window.pwned=1\"><svg onload='window.pwned=1'>"


def test_hostile_records_run_nothing(tab: Browser, tmp_path: Path) -> None:
    run = trajectory(
        turns=[turn(1, HOSTILE, f"<b>{HOSTILE}"), turn(2)],
        entity=HOSTILE,
        insights=(insight("t1", HOSTILE, 1), insight("t1", HOSTILE)),
        agent=HOSTILE,
    )
    html = render_report(
        data(
            [item(HOSTILE, HOSTILE, question=HOSTILE, evidence_sql=HOSTILE)],
            [run],
            [verdict(HOSTILE, turns=(1,), evidence=HOSTILE)],
            entities=[entity(HOSTILE, HOSTILE)],
            scenario=make_scenario().model_copy(update={"title": HOSTILE}),
        )
    )
    path = tmp_path / "hostile.html"
    path.write_text(html, encoding="utf-8")
    _open(tab, path.as_uri())
    tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    tab.click("aside .quote a")
    assert tab.ask("window.pwned === undefined") is True
    assert tab.ask("document.images.length + document.scripts.length") == 1
    assert HOSTILE in _lit(tab)
    assert tab.complaints() == []


def test_even_a_script_that_got_in_would_not_run(tab: Browser, address: str) -> None:
    _open(tab, address)
    tab.ask(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.pwned = 1';"
        "document.body.append(s); const i = document.createElement('img');"
        "i.setAttribute('onerror', 'window.pwned = 1'); i.src = 'data:,x'; document.body.append(i);"
        "return new Promise(r => setTimeout(r, 0)); })()"
    )
    tab.settle()
    assert tab.ask("window.pwned === undefined") is True
    assert any("Content Security Policy" in c for c in tab.complaints())


def test_a_full_report_is_read_and_its_last_item_lit(tab: Browser, tmp_path: Path) -> None:
    path = tmp_path / "full.html"
    path.write_text(render_report(realistic(16, 80)), encoding="utf-8")
    _open(tab, path.as_uri())
    last = tab.ask("[...document.querySelectorAll('.turn mark[id]')].at(-1).id")
    tab.open(f"{path.as_uri()}#{last}")
    tab.settle()
    assert tab.ask("document.querySelectorAll('.turn.lit mark.lit').length") >= 1
    assert _in_sight(tab, ".turn mark.lit")


def test_a_long_reason_for_a_missing_headline_pushes_no_column_out_of_sight(
    tab: Browser, tmp_path: Path
) -> None:
    why = "coverage 0.600 is below 0.95; unscored: " + ", ".join(
        f"provider_error of the {n}th kind (3)" for n in range(9)
    )
    low = score("profiler", "trajectory", "item", 0.2, 10).model_copy(
        update={"headline": None, "headline_reason": why, "coverage": 0.6, "unscored": 4}
    )
    path = tmp_path / "low.html"
    html = render_report(data([item("a")], [trajectory()], scores=[low]))
    path.write_text(html, encoding="utf-8")
    tab.look(width=1280)
    tab.open(path.as_uri())
    box = "document.querySelector('#scores .scroll')"
    assert tab.ask(f"{box}.scrollWidth <= {box}.clientWidth")
    tab.photograph(tmp_path / "low.png")
    assert tab.ask("document.querySelector('#scores .note').textContent").count("kind (3)") == 9
