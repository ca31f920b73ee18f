"""Author the checklist of a small scenario that a test has built, and have the checker read its answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from checklists.authoring.authors import Material, checklist_of
from checklists.validate import require_valid, schema_of
from core.checklist import Checklist
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from evaluator.matching import match_all


def material(scenario: InstalledScenario, connection: Any, **changes: Any) -> Material:
    """What an author is handed after the build; without documents unless they are among the changes."""
    given: dict[str, Any] = {
        "scenario_id": scenario.scenario.id,
        "entities": scenario.entities(),
        "connection": connection,
        "fingerprint": scenario.scenario.fingerprint or "",
        "documents": lambda entity_id: (),
        "options": {},
        "license": scenario.scenario.license,
    }
    return Material(**given | changes)


def authored_of(scenario: InstalledScenario) -> Checklist:
    """The checklist that is authored after the build; it is sound by every rule of ours."""
    with open_readonly(scenario.database_path) as connection:
        found = checklist_of(scenario.base, material(scenario, connection))
        assert found is not None
        ids = [entity.id for entity in scenario.entities()]
        require_valid(found, entity_ids=ids, schema=schema_of(connection))
    return found


def labels_of(scenario: InstalledScenario, checklist: Checklist) -> Counter[str | None]:
    """How often the checker says what when it is told each item's own answer."""
    entities = scenario.entities()
    return Counter(
        match_all([item], [(None, item.answer)], entity=entity, others=entities)[0].label
        for entity in entities
        for item in checklist.of(entity.id)
    )
