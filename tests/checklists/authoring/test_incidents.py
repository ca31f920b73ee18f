"""Facts about incidents: enough for every team, proved, and read by the checker as they are written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from checklists.authoring.authors import Material, checklist_of
from checklists.authoring.incidents import BRIEF, ITEMS
from checklists.validate import require_valid, schema_of
from core.checklist import Checklist
from core.scenario import Entity
from databases.build import build
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from evaluator.matching import match_all


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """Nine teams with some four hundred incidents each."""
    home: Path = tmp_path_factory.mktemp("home")
    return build("incidents", home, options={"entities": 9, "rows": 4000}, name="nine-teams")


@pytest.fixture(scope="module")
def authored(teams: InstalledScenario) -> Checklist:
    """What is authored after the build."""
    with open_readonly(teams.database_path) as connection:
        material = Material(
            scenario_id=teams.scenario.id,
            entities=teams.entities(),
            connection=connection,
            fingerprint=teams.scenario.fingerprint or "",
            documents=lambda entity_id: (),
            options={},
            license=teams.scenario.license,
        )
        found = checklist_of(teams.base, material)
        assert found is not None
        require_valid(found, entity_ids=_ids(teams.entities()), schema=schema_of(connection))
    return found


def test_every_team_has_its_items_in_at_least_six_categories(
    teams: InstalledScenario, authored: Checklist
) -> None:
    assert authored.scenario_id == authored.id == "nine-teams"
    for entity_id in _ids(teams.entities()):
        items = authored.of(entity_id)
        assert 8 <= len(items) <= ITEMS
        assert len({item.category for item in items}) >= 6


def test_the_checker_reads_the_answers_as_they_stand(
    teams: InstalledScenario, authored: Checklist
) -> None:
    labels: Counter[str | None] = Counter()
    for entity in teams.entities():
        items = authored.of(entity.id)
        for item in items:
            (found,) = match_all(
                [item], [(None, item.answer)], entity=entity, others=teams.entities()
            )
            labels[found.label] += 1
    assert labels["contradicted"] == 0
    assert labels["supported"] >= 0.9 * labels.total(), labels


def test_no_two_facts_are_of_one_name_and_all_say_what_breaks_them() -> None:
    assert len({template.name for template in BRIEF.templates}) == len(BRIEF.templates)
    assert len({template.category for template in BRIEF.templates}) == 8


def _ids(entities: tuple[Entity, ...]) -> list[str]:
    return [entity.id for entity in entities]
