"""Items and the checker without a model meet: a plain sentence with the fact's figure is found."""

from __future__ import annotations

from collections import Counter

import pytest

from checklists.loader import checklist_for
from core.checklist import ChecklistItem
from core.scenario import Entity
from databases.catalog import InstalledScenario
from evaluator.matching import match, match_all


@pytest.fixture(scope="module")
def entities(flights: InstalledScenario) -> dict[str, Entity]:
    return {entity.id: entity for entity in flights.entities()}


ITEMS = checklist_for("flights").items


def others(entities: dict[str, Entity], entity_id: str) -> list[Entity]:
    return [entity for entity in entities.values() if entity.id != entity_id]


def said_of(item: ChecklistItem, text: str, entities: dict[str, Entity]) -> str | None:
    found = match(
        item,
        [(1, text)],
        entity=entities[item.entity_id],
        others=others(entities, item.entity_id),
    )
    return found.label


def test_the_answer_in_words_supports_its_own_item(entities: dict[str, Entity]) -> None:
    deaf = [i.id for i in ITEMS if said_of(i, i.answer, entities) != "supported"]
    assert len(deaf) <= 0.05 * len(ITEMS), deaf


def test_the_question_supports_nothing(entities: dict[str, Entity]) -> None:
    assert [i.id for i in ITEMS if said_of(i, i.question, entities) == "supported"] == []


def test_another_carriers_answers_under_this_ones_name_support_next_to_nothing(
    entities: dict[str, Entity],
) -> None:
    labels: Counter[str | None] = Counter()
    for entity_id, entity in entities.items():
        mine = [item for item in ITEMS if item.entity_id == entity_id]
        for donor in others(entities, entity_id)[::3]:
            told = [
                item.answer.replace(f"arrier {donor.id}", f"arrier {entity_id}")
                for item in ITEMS
                if item.entity_id == donor.id
            ]
            report = [(None, "\n".join(told))]
            judged = match_all(mine, report, entity=entity, others=others(entities, entity_id))
            labels.update(found.label for found in judged)
    assert labels["supported"] <= 0.01 * labels.total(), labels


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("market-share", "Carrier {id} has 1 rows in flights, {value:.1f}% of all 336,776."),
        ("mean-departure-delay", "Carrier {id} leaves late by {value:.1f} minutes on average."),
        ("mean-departure-delay", "For carrier {id} the mean of departure delay (min) is {value:.1f}, against 1.9 for the rest."),
        ("cancelled-share", "{value:.1f}% of carrier {id}'s flights were cancelled."),
        ("cancelled-share", "Departure delay (min) is missing in {value:.1f}% of carrier {id}'s rows, against 2.3% for the rest."),
        ("aircraft-count", "Carrier {id} has {value:,.0f} different values of aircraft."),
        ("mean-seats", "The mean seat count of aircraft over carrier {id}'s rows is {value:.1f}, against 1.4 for the rest."),
        ("wet-departure-delay", "When it is raining, carrier {id}'s mean departure delay is {value:.1f} minutes."),
        ("wet-departure-delay", "For carrier {id}, where precipitation (in) of weather is above 0, the mean departure delay (min) is {value:.1f}, against 1.7 otherwise."),
        ("longest-departure-delay", "The highest departure delay (min) of carrier {id} is {value:,.0f}."),
    ],
)  # fmt: skip
def test_an_analysts_own_words_support_the_item(
    template: str, sentence: str, entities: dict[str, Entity]
) -> None:
    items = [i for i in ITEMS if i.source == f"template:{template}"]
    assert items
    for item in items:
        assert item.expected is not None
        text = sentence.format(id=item.entity_id, value=item.expected.value)
        assert said_of(item, text, entities) == "supported", text
