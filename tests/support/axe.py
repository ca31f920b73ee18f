"""axe-core, from npm, run inside the tests' browser: what of a page somebody cannot perceive or operate.

assert axe.serious(tab) == []                       # marked with needs("chromium", "npm")
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from tests.analysis.browser import Browser
from tests.support import npm, once

PACKAGE: Final = npm.Package("axe-core", "4.14.1", "axe-core")
SERIOUS: Final = ("serious", "critical")
_RULES: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_MOST_PLACES: Final = 3


@cache
def script() -> str:
    """The engine, brought where it is not there yet."""
    PACKAGE.install()
    place = once.place_of(PACKAGE.folder) / "node_modules" / PACKAGE.name / "axe.min.js"
    return place.read_text(encoding="utf-8")


def faults(tab: Browser, within: str = "html") -> list[dict[str, Any]]:
    """Every violation that axe finds in the page at hand: `id`, `impact`, `help`, and `nodes`."""
    # Through the debugger, which the page's own policy does not bind.
    tab.ask(f"{script()}; typeof axe.run")
    tags = ", ".join(f"'{tag}'" for tag in _RULES)
    found: list[dict[str, Any]] = tab.ask(
        f"axe.run('{within}', {{runOnly: [{tags}], resultTypes: ['violations']}})"
        ".then(r => r.violations.map(v => ({id: v.id, impact: v.impact, help: v.help,"
        " nodes: v.nodes.map(n => ({target: n.target, html: n.html, why: n.failureSummary}))})))"
    )
    return found


def serious(tab: Browser, within: str = "html") -> list[str]:
    """The serious and critical ones, a line each: the rule, and where it is broken."""
    return [
        f"{fault['id']}: {fault['help']}: "
        + "; ".join(f"{n['html'][:160]} ({n['why'][:300]})" for n in fault["nodes"][:_MOST_PLACES])
        for fault in faults(tab, within)
        if fault["impact"] in SERIOUS
    ]
