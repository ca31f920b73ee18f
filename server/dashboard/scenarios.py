"""What can be explored: how large it is, under which licence, and how an agent is connected to it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from core.errors import DdrError
from core.scenario import Scenario
from databases.catalog import InstalledScenario, open_scenario, scenario_ids
from server import configurations
from server.dashboard.pages import page
from server.dashboard.refusals import RefusedError
from server.dashboard.viewer import Anyone, InPlace, Place
from server.rest_app.letting_in import address
from server.scenario_facts import Facts, facts_of
from server.settings import Settings

router = APIRouter()

KEPT_S: Final = 60
"""So long figures are shown that were read before, unless the files have changed."""
UNREADABLE: Final = (
    "its files on this server cannot be used as they are; whoever runs it is told more"
)


@dataclass(frozen=True)
class Shown:
    """A scenario as the pages show it: nothing of where it lies."""

    scenario: Scenario
    facts: Facts


@dataclass(frozen=True)
class Way:
    """How one client is connected."""

    name: str
    files: tuple[configurations.File, ...]
    command: str


@router.get("/scenarios")
def scenarios(who: Anyone, here: InPlace) -> Response:
    """All of them; one whose files are wrong is left out."""
    found = []
    for name in scenario_ids(here.settings.home):
        try:
            found.append(_shown(name, here))
        except DdrError:
            continue
    found.sort(key=lambda each: (each.facts.state != "built", each.scenario.title))
    return page("scenarios.html", who, title="Scenarios", at="scenarios", scenarios=found)


@router.get("/scenarios/{scenario_id}")
def scenario(scenario_id: str, request: Request, who: Anyone, here: InPlace) -> Response:
    """One of them. Its tables are named to whoever has a token: a database may be somebody's own."""
    if scenario_id not in scenario_ids(here.settings.home):
        raise RefusedError(404, "There is no scenario of this name.")
    try:
        shown = _shown(scenario_id, here)
    except DdrError as exc:
        raise RefusedError(503, f"This scenario cannot be shown: {UNREADABLE}.") from exc
    base = address(request)
    return page(
        "scenario.html",
        who,
        title=shown.scenario.title,
        at="scenarios",
        shown=shown,
        tables=(shown.facts.tables or ()) if who.role else (),
        base=base,
        ways=[_way(client, base) for client in configurations.CLIENTS.values()],
        prompt=configurations.PROMPT,
    )


def _shown(scenario_id: str, here: Place) -> Shown:
    installed = open_scenario(scenario_id, here.settings.home)
    facts = _kept(scenario_id, here.settings, _stamp(installed), int(monotonic() / KEPT_S))
    return Shown(installed.scenario, facts)


def _stamp(installed: InstalledScenario) -> Hashable:
    return installed.scenario.version, installed.stamp() if installed.is_built() else None


@lru_cache(maxsize=256)
def _kept(scenario_id: str, settings: Settings, _stamp: Hashable, _minute: int) -> Facts:
    """A database is not opened for each visitor: nobody has shown a token for this."""
    return facts_of(open_scenario(scenario_id, settings.home), settings)


def _way(client: configurations.Client, base: str) -> Way:
    # An address and a token of its own are given to each exploration; PATH stands for the former.
    files = configurations.files_of(client, f"{base}/r/PATH/mcp", None)
    return Way(client.name, files, client.command)
