"""Facts about filings: enough for every company of the twin, and read by the checker as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.authoring.filings import BRIEF, ITEMS, written
from core.checklist import Checklist
from databases.build import build
from databases.connection import open_readonly
from databases.installed import InstalledScenario
from tests.checklists.authoring.built import authored_of, labels_of, material


@pytest.fixture(scope="module")
def companies(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """Twelve companies that do not exist."""
    home: Path = tmp_path_factory.mktemp("home")
    return build("filings", home, options={"synthetic": True, "entities": "12"}, name="twelve")


@pytest.fixture(scope="module")
def authored(companies: InstalledScenario) -> Checklist:
    """What is authored after the build."""
    return authored_of(companies)


def test_every_company_has_its_items_in_at_least_six_categories(
    companies: InstalledScenario, authored: Checklist
) -> None:
    assert authored.scenario_id == authored.id == "twelve"
    for entity in companies.entities():
        items = authored.of(entity.id)
        assert 8 <= len(items) <= ITEMS
        assert len({item.category for item in items}) >= 6


def test_the_checker_reads_the_answers_as_they_stand(
    companies: InstalledScenario, authored: Checklist
) -> None:
    labels = labels_of(companies, authored)
    assert labels["contradicted"] == 0
    assert labels["supported"] >= 0.9 * labels.total(), labels


def test_the_official_file_has_other_tables_and_so_no_such_facts(
    companies: InstalledScenario,
) -> None:
    with open_readonly(companies.database_path) as connection:
        assert written(material(companies, connection, options={"as_is": True})) is None


def test_there_are_eight_categories_of_facts() -> None:
    assert len({template.category for template in BRIEF.templates}) == 8
