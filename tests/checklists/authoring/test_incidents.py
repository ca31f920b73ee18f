"""Facts about incidents: enough for every team, proved, and read by the checker as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.authoring.incidents import BRIEF, ITEMS
from core.checklist import Checklist
from databases.build import build
from databases.installed import InstalledScenario
from tests.checklists.authoring.built import authored_of, labels_of


@pytest.fixture(scope="module")
def teams(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    """Nine teams with some four hundred incidents each."""
    home: Path = tmp_path_factory.mktemp("home")
    return build("incidents", home, options={"entities": 9, "rows": 4000}, name="nine-teams")


@pytest.fixture(scope="module")
def authored(teams: InstalledScenario) -> Checklist:
    """What is authored after the build."""
    return authored_of(teams)


def test_every_team_has_its_items_in_at_least_six_categories(
    teams: InstalledScenario, authored: Checklist
) -> None:
    assert authored.scenario_id == authored.id == "nine-teams"
    for entity in teams.entities():
        items = authored.of(entity.id)
        assert 8 <= len(items) <= ITEMS
        assert len({item.category for item in items}) >= 6


def test_the_checker_reads_the_answers_as_they_stand(
    teams: InstalledScenario, authored: Checklist
) -> None:
    labels = labels_of(teams, authored)
    assert labels["contradicted"] == 0
    assert labels["supported"] >= 0.9 * labels.total(), labels


def test_no_two_facts_are_of_one_name_and_all_say_what_breaks_them() -> None:
    assert len({template.name for template in BRIEF.templates}) == len(BRIEF.templates)
    assert len({template.category for template in BRIEF.templates}) == 8
