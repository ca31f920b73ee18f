"""Facts about generated patients: enough of them, of every category, proved, and read as they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from checklists.authoring.author import Authored, author
from checklists.authoring.patients import BRIEF, written
from core.checklist import Checklist, ChecklistItem
from core.scenario import Entity
from databases.build import build
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from evaluator.matching import match
from tests.checklists.authoring.built import material

if TYPE_CHECKING:
    import duckdb

PEOPLE, ROWS = 12, 24_000


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    options: dict[str, bool | int | str] = {
        "synthetic": True,
        "entities": str(PEOPLE),
        "rows": ROWS,
    }
    return build("patients", tmp_path_factory.mktemp("patients"), options=options)


@pytest.fixture(scope="module")
def connection(installed: InstalledScenario) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_readonly(installed.database_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def authored(connection: duckdb.DuckDBPyConnection) -> Authored:
    # Three seeds: a rehearsal of the proof; the whole of it is made at every build.
    return author(BRIEF, connection, fingerprint=None, seeds=range(3))


@pytest.fixture(scope="module")
def checklist(authored: Authored) -> Checklist:
    return authored.checklist


def test_every_patient_has_eight_items_at_least(
    checklist: Checklist, installed: InstalledScenario
) -> None:
    counts = Counter(item.entity_id for item in checklist.items)
    assert set(counts) == {entity.id for entity in installed.entities()}
    assert min(counts.values()) >= 8


def test_every_patient_has_items_of_six_categories_in_all(checklist: Checklist) -> None:
    assert len({item.category for item in checklist.items}) >= 6
    assert {item.difficulty for item in checklist.items} == {"easy", "medium", "hard"}


def test_all_items_are_proved(authored: Authored) -> None:
    assert authored.verification.proved
    assert authored.verification.fail_when_perturbed == len(authored.checklist.items)


def test_difficulty_goes_with_the_tables_that_are_read(checklist: Checklist) -> None:
    for item in checklist.items:
        tables = (item.evidence_sql or "").count(" JOIN ")
        assert item.difficulty != "easy" or tables == 1, item.id


def test_names_of_facts_stand_once() -> None:
    names = [template.name for template in BRIEF.templates]
    assert len(names) == len(set(names)) >= 60


def test_real_patients_get_no_checklist_here(
    installed: InstalledScenario, connection: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    options = {"synthetic": False, "from": str(tmp_path)}
    assert written(material(installed, connection, options=options)) is None


def said_of(item: ChecklistItem, text: str, entities: Mapping[str, Entity]) -> str | None:
    others = [entity for entity in entities.values() if entity.id != item.entity_id]
    return match(item, [(1, text)], entity=entities[item.entity_id], others=others).label


def test_the_answer_in_words_supports_its_own_item(
    checklist: Checklist, installed: InstalledScenario
) -> None:
    entities = {entity.id: entity for entity in installed.entities()}
    deaf = [i.id for i in checklist.items if said_of(i, i.answer, entities) != "supported"]
    assert len(deaf) <= 0.05 * len(checklist.items), deaf


def test_the_question_supports_nothing(checklist: Checklist, installed: InstalledScenario) -> None:
    entities = {entity.id: entity for entity in installed.entities()}
    given = [i.id for i in checklist.items if said_of(i, i.question, entities) == "supported"]
    assert given == []
