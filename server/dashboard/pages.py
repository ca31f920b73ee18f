"""Draw pages from templates; every value in them is escaped."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import HTMLResponse

from analysis.figures import percent
from analysis.scoreboard import BASELINES
from core.wording import counted, plural
from server.dashboard import assets
from server.dashboard.viewer import Viewer
from server.revision import code_revision

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def page(
    name: str, viewer: Viewer, /, *, title: str, at: str = "", status: int = 200, **values: Any
) -> HTMLResponse:
    """A whole page. `at` is its place in the navigation: leaderboard, scenarios, runs, checklists."""
    always = {"viewer": viewer, "title": title, "at": at, "status": status, "asset": assets.url}
    template = environment().get_template(name)
    html = template.render(revision=code_revision(), **always, **values)
    # A half of a surrogate pair, which JSON can spell, cannot be written as UTF-8.
    text = html.encode("utf-8", "replace").decode("utf-8")
    public = viewer.token is None and status == 200
    return HTMLResponse(
        text,
        status_code=status,
        headers={
            "Content-Security-Policy": POLICY,
            "Cache-Control": "no-cache" if public else "no-store",
            "Referrer-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff",
            "Vary": "Cookie",
        },
    )


@cache
def environment() -> Environment:
    """Our templates, then the report's, which some pages share."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    from analysis.report import FILTERS

    made = Environment(
        loader=ChoiceLoader(
            [PackageLoader("server.dashboard", "templates"), PackageLoader("analysis", "templates")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own = {
        "percent": percent,
        "count": counted,
        "baseline": _baseline,
        "count_noun": _noun,
        "signed": _signed,
    }
    made.filters.update({**FILTERS, **own, "plain_json": json.dumps})
    return made


def _signed(value: float) -> str:
    """With two decimals; nothing is below 0 that is shown as 0."""
    shown = f"{value:+.2f}"
    return "0.00" if float(shown) == 0 else shown.replace("-", "\N{MINUS SIGN}")


def _noun(noun: str, number: int) -> str:
    return noun if number == 1 else plural(noun)


def _baseline(name: str, noun: str) -> str:
    """How tables and charts call a baseline."""
    return BASELINES.get(name, name).format(noun=noun)
