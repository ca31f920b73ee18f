"""The checklist of InsightBench says what the sets' ground truth says, in its authors' words."""

from __future__ import annotations

from pathlib import Path

import pytest

from checklists.loader import load
from core.checklist import Checklist
from databases.installed import InstalledScenario
from server.authoring import author_checklist
from server.settings import Settings
from tests.databases.insightbench.sets import INSIGHTS, built, write_set

LOST = {"insight": "Others are dearer", "code": "plot()"}
EMPTY = {"insight": "", "question": "And then?", "data_type": "predictive"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    folder = tmp_path_factory.mktemp("sets")
    write_set(folder, "flag-1", insights=[*INSIGHTS, EMPTY, LOST], metadata={"difficulty": 2})
    write_set(folder, "flag-2", insights=[LOST], summary="")
    return built(folder, folder / "home")


@pytest.fixture(scope="module")
def checklist(installed: InstalledScenario) -> Checklist:
    settings = Settings(home=installed.folder.parents[1])
    found = author_checklist(installed, settings, lambda _what, _share: None)
    assert found is not None
    assert load("insightbench", settings.checklists) == found
    return found


def test_each_insight_with_a_text_is_an_accepted_item(checklist: Checklist) -> None:
    first, second, lost = checklist.of("flag-1")
    assert (first.id, first.question, first.answer) == (
        "flag-1-01",
        "What breaks?",
        "Printers break most",
    )
    assert (first.insight_type, first.capability, first.category) == (
        "descriptive",
        None,
        "incident",
    )
    assert first.source == "InsightBench, set flag-1, insight 1"
    assert (second.insight_type, second.capability) == ("other", "type:time_series")
    assert (lost.id, lost.insight_type, lost.capability) == ("flag-1-04", "other", None)


def test_the_difficulty_is_the_papers_group_and_unknown_where_no_file_tells_it(
    checklist: Checklist,
) -> None:
    assert {item.difficulty for item in checklist.of("flag-1")} == {"easy"}
    assert {item.difficulty for item in checklist.of("flag-2")} == {None}


def test_no_evidence_is_claimed_and_no_two_questions_are_the_same(checklist: Checklist) -> None:
    assert all(item.evidence_sql is None and item.signals is None for item in checklist.items)
    questions = [(item.entity_id, item.question) for item in checklist.items]
    assert len(set(questions)) == len(questions)
    assert checklist.of("flag-2")[0].question == (
        "What else is found with this goal (1): Find what is wrong in flag-2"
    )


def test_the_summary_of_each_set_is_kept(
    checklist: Checklist, installed: InstalledScenario
) -> None:
    assert checklist.summary == {"flag-1": "Much breaks in flag-1."}
    assert checklist.scenario_fingerprint == installed.scenario.fingerprint
    assert checklist.license.name == "MIT"


def test_the_checklist_is_for_its_owner_alone(installed: InstalledScenario) -> None:
    path: Path = Settings(home=installed.folder.parents[1]).checklists / "insightbench.json"
    assert path.stat().st_mode & 0o777 == 0o600
