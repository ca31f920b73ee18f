"""What the commands about scenarios tell of one: its state and its size, as in the paper's Table 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario
    from server.settings import Settings

ScenarioName = Annotated[str, typer.Argument(metavar="SCENARIO", help="Its id, as in the list.")]

_SIZES = ("records", "tables", "fields", "entities", "items")


def unreadable(scenario_id: str, reason: str) -> dict[str, Any]:
    """The same of a scenario whose manifest is wrong: its name, and what is wrong."""
    unknown = ("version", *_SIZES, "license", "restricted")
    told = {"id": scenario_id, "title": "", "state": "not usable", "reason": reason}
    return {**told, **dict.fromkeys(unknown)}


def state(installed: InstalledScenario, settings: Settings) -> dict[str, Any]:
    """Records, tables, fields, entities and items are None where it is not built, or unknown."""
    from server.scenario_facts import facts_of

    scenario = installed.scenario
    facts = facts_of(installed, settings)
    told: dict[str, Any] = {
        "id": scenario.id,
        "title": scenario.title,
        "version": scenario.version,
        "state": facts.state,
        "records": facts.records,
        "tables": None if facts.tables is None else len(facts.tables),
        "fields": facts.fields,
        "entities": facts.entities,
        "items": facts.items,
        "license": scenario.license.name,
        "restricted": scenario.license.restricted,
    }
    return told if facts.reason is None else {**told, "reason": facts.reason}
