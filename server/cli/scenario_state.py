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
    from checklists.loader import checklist_for, has_checklist
    from core.errors import DdrError

    scenario = installed.scenario
    built = installed.is_built()
    told: dict[str, Any] = {
        "id": scenario.id,
        "title": scenario.title,
        "version": scenario.version,
        "state": "built" if built else "not built",
        **dict.fromkeys(_SIZES),
        "license": scenario.license.name,
        "restricted": scenario.license.restricted,
    }
    if has_checklist(scenario.id, settings.checklists):
        items = checklist_for(scenario.id, settings.checklists).items
        told["items"] = sum(item.status == "accepted" for item in items)
    if built:
        told["entities"] = len(installed.entities())
        try:
            tables = installed.schema().tables
        except DdrError as exc:
            return {**told, "state": "not usable", "reason": str(exc)}
        told["tables"] = len(tables)
        told["records"] = sum(t.row_count or 0 for t in tables)
        # A name of a fact is a field too, where rows are facts of many kinds (EVALUATION, DDR-17).
        told["fields"] = sum(len(t.columns) for t in tables) + installed.fact_count()
    return told
