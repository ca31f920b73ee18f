"""What can be explored; nothing of where it lies or what is looked for in it."""

from __future__ import annotations

from fastapi import APIRouter

from core.errors import DdrError
from databases.catalog import open_scenario, scenario_ids
from server.rest_app.bodies.runs import ScenarioLine, Scenarios
from server.rest_app.door import Anybody, InOffice, Office

router = APIRouter(tags=["scenarios"])


@router.get("/scenarios", summary="The databases that can be explored")
def list_scenarios(here: InOffice, token: Anybody) -> Scenarios:
    """Their names and sizes. One that cannot be read is left out."""
    names = scenario_ids(here.settings.home)
    lines = [line for name in names if (line := _line(here, name)) is not None]
    return Scenarios(scenarios=lines)


def _line(here: Office, name: str) -> ScenarioLine | None:
    try:
        installed = open_scenario(name, here.settings.home)
        is_built = installed.is_built()
        entities = len(installed.entities()) if is_built else None
    except DdrError:
        return None
    scenario = installed.scenario
    return ScenarioLine(
        scenario=scenario.id,
        title=scenario.title,
        noun=scenario.entity_noun,
        is_built=is_built,
        entities=entities,
        is_restricted=scenario.license.restricted,
    )
