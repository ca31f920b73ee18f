"""A scenario whose two wards each have a table beds of their own, and items about them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from checklists.canonical import items_hash
from core.checklist import Checklist, ChecklistItem, Expected
from core.scenario import Entity, License
from databases.build import BuildContext, Built, build
from databases.installed import InstalledScenario
from tests.databases import small

if TYPE_CHECKING:
    import duckdb

NIGHTS = "SELECT avg(nights) AS value FROM beds WHERE floor = 2"
HOURS = "SELECT avg(hours) AS value FROM staff WHERE shift = 'night'"
DISORDER = "outcome: beds(nights)"


def fill(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """The same table with other figures in the schema of each ward, and a list that all can see."""
    for ward, more in (("north", 40), ("south", 70)):
        connection.execute(f"CREATE SCHEMA {ward}")
        connection.execute(
            f"CREATE TABLE {ward}.beds AS SELECT range AS bed, range % 4 AS floor, '{ward}ern' AS side, "
            f"CASE WHEN range % 4 = 2 THEN {more} ELSE 5 END + range % 3 AS nights FROM range(240)"
        )
    connection.execute(
        "CREATE TABLE staff AS SELECT range AS id, CASE WHEN range % 5 = 0 THEN 'night' ELSE 'day' "
        "END AS shift, 20 + range % 5 * 9 + range % 2 AS hours FROM range(300)"
    )
    seen = {"north": ("north.beds", "staff"), "south": ("south.beds",), "all": None}
    return Built(
        entities=[
            Entity(scenario_id="visits", id=name, label=name, tables=tables)
            for name, tables in seen.items()
        ]
    )


def built(home: Path) -> InstalledScenario:
    """The scenario `visits` of a home."""
    folder = home / "scenarios" / "visits"
    folder.mkdir(parents=True)
    small.write_toml(folder, small.TOML.replace("tests.databases.small", __name__))
    return build("visits", home)


def item(
    ward: str, value: float, sql: str = NIGHTS, perturbation: str | None = DISORDER
) -> ChecklistItem:
    """What a ward's beds, or all wards' staff, come to."""
    return ChecklistItem(
        id=f"{ward}-{value:g}",
        entity_id=ward,
        question=f"What is it about {ward}?",
        answer=f"It is {value:g}.",
        category="stay",
        source="by hand",
        evidence_sql=sql,
        expected=Expected(value=value, tolerance=0.01),
        perturbation=perturbation,
    )


def checklist(*items: ChecklistItem) -> Checklist:
    """Of these items alone."""
    return Checklist(
        id="mine",
        version="1",
        scenario_id="visits",
        hash=items_hash(items),
        license=License(name="CC0-1.0"),
        items=items,
    )
