"""Facts about filings: enough for every company of the twin, and read by the checker as they are written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from checklists.authoring.authors import Material, checklist_of
from checklists.authoring.filings import BRIEF, ITEMS, written
from checklists.validate import require_valid, schema_of
from core.checklist import Checklist
from core.scenario import Entity
from databases.build import build
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from evaluator.matching import match_all


@pytest.fixture(scope="module")
def companies(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """Twelve companies that do not exist."""
    home: Path = tmp_path_factory.mktemp("home")
    return build("filings", home, options={"synthetic": True, "entities": "12"}, name="twelve")


@pytest.fixture(scope="module")
def authored(companies: InstalledScenario) -> Checklist:
    """What is authored after the build."""
    with open_readonly(companies.database_path) as connection:
        material = Material(
            scenario_id=companies.scenario.id,
            entities=companies.entities(),
            connection=connection,
            fingerprint=companies.scenario.fingerprint or "",
            documents=lambda entity_id: (),
            options={},
            license=companies.scenario.license,
        )
        found = checklist_of(companies.base, material)
        assert found is not None
        require_valid(found, entity_ids=_ids(companies.entities()), schema=schema_of(connection))
    return found


def test_every_company_has_its_items_in_at_least_six_categories(
    companies: InstalledScenario, authored: Checklist
) -> None:
    assert authored.scenario_id == authored.id == "twelve"
    for entity_id in _ids(companies.entities()):
        items = authored.of(entity_id)
        assert 8 <= len(items) <= ITEMS
        assert len({item.category for item in items}) >= 6


def test_the_checker_reads_the_answers_as_they_stand(
    companies: InstalledScenario, authored: Checklist
) -> None:
    labels: Counter[str | None] = Counter()
    for entity in companies.entities():
        items = authored.of(entity.id)
        for item in items:
            (found,) = match_all(
                [item], [(None, item.answer)], entity=entity, others=companies.entities()
            )
            labels[found.label] += 1
    assert labels["contradicted"] == 0
    assert labels["supported"] >= 0.9 * labels.total(), labels


def test_the_official_file_has_other_tables_and_so_no_such_facts(
    companies: InstalledScenario,
) -> None:
    with open_readonly(companies.database_path) as connection:
        material = Material(
            scenario_id="official",
            entities=(),
            connection=connection,
            fingerprint="",
            documents=lambda entity_id: (),
            options={"as_is": True},
            license=companies.scenario.license,
        )
        assert written(material) is None


def test_there_are_eight_categories_of_facts() -> None:
    assert len({template.category for template in BRIEF.templates}) == 8


def _ids(entities: tuple[Entity, ...]) -> list[str]:
    return [entity.id for entity in entities]
