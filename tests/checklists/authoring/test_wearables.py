"""The wearables' checklist: closed items by the rule of the official list, and facts that SQL proves."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from checklists.authoring.wearables import BRIEF, written
from checklists.authoring.wearables.closed import CONSTRUCTS, OPTIONS, at_most, change, closed_items
from checklists.validate import validate
from core.checklist import Checklist, ChecklistItem
from core.document import Document
from core.errors import UnknownNameError
from databases.build import build
from databases.catalog import open_scenario
from databases.connection import open_readonly
from databases.documents import Documents
from databases.installed import InstalledScenario
from tests.checklists.authoring.built import material
from tests.support.needs import needs

DATA = Path(os.environ.get("DDR_TEST_DATA", ""))
BY_SCALE = {construct.scale: construct for construct in CONSTRUCTS}


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The options as scenario.toml has them."""
    section = open_scenario("wearables", tmp_path_factory.mktemp("none")).manifest.build
    assert section is not None
    return dict(section.options)


def surveys(entity: str = "P1", **scores: tuple[float, float]) -> list[Document]:
    """Two surveys: what each scale scores before and after."""
    return [
        Document(
            id=f"{entity}-{wave}",
            entity_id=entity,
            kind="survey",
            text="",
            values={f"{name}_{wave.upper()}": pair[place] for name, pair in scores.items()},
        )
        for place, wave in enumerate(("pre", "post"))
    ]


@pytest.mark.parametrize(
    ("scale", "before", "after", "label"),
    [
        ("STAIS", 40.0, 44.0, "worsened"),
        ("STAIS", 40.0, 43.0, "remained almost the same"),
        ("STAIS", 40.0, 36.0, "improved"),
        ("CHIPS", 10.0, 13.0, "worsened"),
        ("CHIPS", 10.0, 8.0, "remained almost the same"),
        ("PSS_10items", 20.0, 15.0, "improved"),
        ("PSS_10items", 20.0, 24.0, "remained almost the same"),
        ("BRS", 19 / 6, 16 / 6, "worsened"),
        ("BRS", 19 / 6, 21 / 6, "remained almost the same"),
        ("SocialFit", 70.0, 85.0, "improved"),
        ("SocialFit", 70.0, 84.0, "remained almost the same"),
        ("CESD_10items", 20.0, 23.0, "worsened"),
        ("CESD_10items", 20.0, 22.0, "remained almost the same"),
        ("CESD_10items", 5.0, 6.0, "worsened"),
        ("CESD_10items", 0.0, 0.0, "remained almost the same"),
        ("UCLA_10items", 20.0, 21.0, "worsened"),
        ("2waySSS_giving_emotional", 20.0, 21.0, "improved"),
        ("ERQ_suppression", 3.5, 2.25, "improved"),
        ("ERQ_reappraisal", 3.5, 2.25, "worsened"),
        ("MAAS_7items", 3.0, 3.0 + 1e-12, "remained almost the same"),
    ],
)
def test_two_scores_have_the_label_of_the_rule(
    options: dict[str, Any], scale: str, before: float, after: float, label: str
) -> None:
    assert change(BY_SCALE[scale], before, after, options) == label


def test_the_thresholds_are_the_scenario_s_options(options: dict[str, Any]) -> None:
    strict = {**options, "threshold_stai": 6.0}
    assert change(BY_SCALE["STAIS"], 40.0, 44.0, strict) == "remained almost the same"
    assert {c.threshold for c in CONSTRUCTS} | {"relative_cesd"} <= set(options)


def test_a_construct_is_asked_where_it_was_before_and_after(options: dict[str, Any]) -> None:
    one, other = surveys(STAIS=(40.0, 50.0), BRS=(3.0, 3.0))
    other = other.model_copy(update={"values": {"STAIS_POST": 50.0}})
    (item,) = closed_items("wearables", "P1", [one, other], options)
    assert (item.answer, item.kind, item.options) == ("worsened", "closed", OPTIONS)
    assert item.source == "survey: STAIS, before and after"
    assert (item.evidence_sql, item.signals, item.status) == (None, None, "accepted")
    assert list(closed_items("wearables", "P1", [], options)) == []


def test_the_shorter_scale_of_depression_stands_in_for_the_longer(options: dict[str, Any]) -> None:
    both = surveys(CESD_9items=(5.0, 9.0), CESD_10items=(9.0, 5.0))
    assert [i.answer for i in closed_items("w", "P1", both, options)] == ["improved"]
    short = surveys(CESD_9items=(5.0, 9.0))
    assert [i.answer for i in closed_items("w", "P1", short, options)] == ["worsened"]


def test_a_choice_of_closed_items_is_balanced_and_hangs_on_the_entity(
    options: dict[str, Any],
) -> None:
    worse = {c.scale: (20.0, 40.0) for c in CONSTRUCTS if c.scale != "CESD_9items"}
    chosen = {}
    for entity in ("P1", "P2", "P3"):
        items = list(closed_items("w", entity, surveys(entity, **worse), options))
        some = at_most(items, 5)
        assert Counter(i.answer for i in some) == {"improved": 3, "worsened": 2}
        assert at_most(items, 99) == items
        chosen[entity] = {i.id.rpartition("-")[2] for i in some}
    assert len({frozenset(scales) for scales in chosen.values()}) > 1


def author(scenario: InstalledScenario, **changes: Any) -> Checklist:
    section = scenario.manifest.build
    assert section is not None
    kept = Documents(scenario.folder.parents[1], scenario.scenario.id)
    told = {**section.options, **changes}
    with open_readonly(scenario.database_path) as connection:
        return written(material(scenario, connection, documents=kept.of, options=told))


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    home = tmp_path_factory.mktemp("twin")
    return build("wearables", home, options={"synthetic": True, "entities": "7", "seed": "2"})


@pytest.fixture(scope="module")
def both(twin: InstalledScenario) -> Checklist:
    return author(twin, items="both", constructs=5)


def test_where_nothing_can_be_asked_the_checklist_is_empty_and_takes_the_place_of_an_older_one(
    twin: InstalledScenario, options: dict[str, Any]
) -> None:
    told = {**options, "items": "closed"}
    with open_readonly(twin.database_path) as connection:
        found = written(material(twin, connection, documents=lambda _entity: (), options=told))
    assert (found.items, found.scenario_fingerprint) == ((), twin.scenario.fingerprint)


@pytest.mark.real
def test_a_twin_gets_proved_facts_in_at_least_six_categories_of_everybody(
    both: Checklist, twin: InstalledScenario
) -> None:
    proved = [item for item in both.items if item.kind == "open"]
    for entity in twin.entities():
        mine = [item for item in proved if item.entity_id == entity.id]
        assert len(mine) >= 8
        assert len({item.category for item in mine}) >= 6
    assert {item.difficulty for item in proved} == {"easy", "medium", "hard"}
    assert all(item.evidence_sql and item.expected and item.signals for item in proved)


@pytest.mark.real
def test_a_twin_s_closed_items_come_from_its_surveys_and_no_sql(both: Checklist) -> None:
    closed = [item for item in both.items if item.kind == "closed"]
    assert {item.category for item in closed} == {c.category for c in CONSTRUCTS}
    assert Counter(item.entity_id for item in closed) == dict.fromkeys(
        (item.entity_id for item in closed), 5
    )
    assert {item.answer for item in closed} == set(OPTIONS)
    assert all(item.evidence_sql is None and item.signals is None for item in closed)


@pytest.mark.real
def test_the_list_is_sound_and_fits_the_database(both: Checklist, twin: InstalledScenario) -> None:
    ids = {entity.id for entity in twin.entities()}
    problems = validate(both, entity_ids=ids, evidence=False)
    assert problems == ()
    assert both.id == both.scenario_id == "wearables-synthetic"
    assert both.scenario_fingerprint == twin.scenario.fingerprint


def test_the_option_says_which_items_there_are(twin: InstalledScenario) -> None:
    closed = author(twin, items="closed")
    assert {item.kind for item in closed.items} == {"closed"}
    assert len(closed.items) == 7 * 14
    with pytest.raises(UnknownNameError, match="unknown kind of items 'open'"):
        author(twin, items="open")


def test_every_template_names_columns_that_the_tables_have(twin: InstalledScenario) -> None:
    """Each is run as it stands: one that failed would end the authoring."""
    with open_readonly(twin.database_path) as connection:
        for template in BRIEF.templates:
            rows = connection.execute(BRIEF.subject.for_all(template)).fetchall()
            assert rows, template.name


@needs("test data")
def test_the_official_labels_of_the_sample_s_people_all_match(tmp_path: Path) -> None:
    sample = build("wearables", tmp_path, options={"from": str(DATA / "globem")})
    checklist = author(sample)
    ours = {(i.entity_id, i.source.split()[1].rstrip(",")): i for i in checklist.items}
    assert Counter(Counter(i.entity_id for i in checklist.items).values()) == {14: 9, 13: 1}
    official = json.loads((DATA / "ddr-bench" / "globem" / "qa.json").read_text())
    people = {entity.id for entity in sample.entities()}
    compared: list[tuple[ChecklistItem, str]] = [
        (ours[entry["entity_id"], pair["source_text"].partition(":")[0]], pair["answer"])
        for entry in official["results"]
        if entry["entity_id"] in people
        for pair in entry["qa_pairs"]
    ]
    assert len(compared) == 29
    wrong = [item.id for item, answer in compared if answer != f"It {item.answer}."]
    assert wrong == []
    questions = {p["question"] for e in official["results"] for p in e["qa_pairs"]}
    assert not questions & {item.question for item in checklist.items}
