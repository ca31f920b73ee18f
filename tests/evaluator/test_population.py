"""The population's answer is said of every entity alike, and owes nothing to the entity's own facts."""

from __future__ import annotations

import asyncio

import pytest

from checklists.loader import checklist_for
from core.checklist import ChecklistItem, Expected
from core.evaluation import Verdict
from core.trajectory import Trajectory
from databases.catalog import InstalledScenario
from evaluator.matching import MatchingChecker
from evaluator.population import no_population_reason, population, typical
from evaluator.scoring import score
from tests.evaluator.records import entity, item, trajectory


def fact(entity_id: str, value: float | str, source: str = "mean") -> ChecklistItem:
    return item(f"{entity_id}-{source}", entity_id).model_copy(
        update={
            "source": source,
            "answer": f"The mean delay of carrier {entity_id} is {value}.",
            "expected": Expected(value=value),
        }
    )


ENTITIES = [entity("01", "Ash"), entity("02", "Birch"), entity("03", "Cedar"), entity("04", "Elm")]
KNOWN = {each.id: each for each in ENTITIES}
ITEMS = [fact("01", 5.0), fact("02", 9.0), fact("03", 7.0), fact("04", 1.0)]


def told(entity_id: str, items: list[ChecklistItem]) -> list[str | None]:
    made = population(trajectory(entity_id), items, KNOWN)
    return [insight.text for insight in made.insights]


def test_the_median_of_the_others_is_said_of_it() -> None:
    said = "The mean delay of carrier 01 is 7.0."
    assert told("01", ITEMS) == [said, said]
    # Of the others' 1, 5 and 7.
    assert told("02", ITEMS)[0] == "The mean delay of carrier 02 is 5.0."


def test_the_entitys_own_fact_changes_nothing() -> None:
    without = ITEMS[1:]
    other = [fact("01", 999.0), *without]
    assert told("01", ITEMS) == told("01", without) == told("01", other)


def test_of_an_even_number_the_lower_one_is_taken() -> None:
    assert typical(ITEMS[:3], "01")[0].expected == Expected(value=7.0)
    assert typical(ITEMS, "99")[0].expected == Expected(value=5.0)


def test_words_are_answered_by_the_most_frequent() -> None:
    items = [fact("01", "x"), fact("02", "B737"), fact("03", "A320"), fact("04", "A320")]
    assert told("01", items)[0] == "The mean delay of carrier 01 is A320."


def test_closed_items_are_answered_by_construct() -> None:
    def closed(entity_id: str, answer: str) -> ChecklistItem:
        return item(f"{entity_id}-mood", entity_id, category="mood").model_copy(
            update={
                "kind": "closed",
                "options": ("up", "down"),
                "answer": answer,
                "question": f"How did the mood of carrier {entity_id} change?",
                "source": f"survey {entity_id}",
            }
        )

    items = [closed("01", "up"), closed("02", "down"), closed("03", "down"), closed("04", "up")]
    assert told("04", items)[0] == "How did the mood of carrier 04 change: down."


def test_what_is_asked_of_one_other_alone_or_twice_of_the_same_says_nothing() -> None:
    assert typical(ITEMS[:2], "01") == []
    twice = [fact("02", 1.0), fact("02", 2.0), fact("03", 3.0)]
    assert typical(twice, "01") == []
    assert told("01", ITEMS[:2]) == []
    assert "two could speak" in str(no_population_reason(ITEMS[:2], ENTITIES[:2]))
    assert no_population_reason(ITEMS, ENTITIES) is None


def test_of_an_entity_that_is_not_known_nothing_is_said() -> None:
    assert told("99", ITEMS) == []


@pytest.mark.parametrize("scenario", ["flights"])
def test_on_real_flights_it_is_worth_little_and_more_than_nothing_at_all(
    flights: InstalledScenario, scenario: str
) -> None:
    checklist = checklist_for(scenario)
    entities = flights.entities()
    known = {each.id: each for each in entities}
    checker = MatchingChecker(entities)
    runs = [trajectory(each.id, start_prompt=f"Explore carrier {each.id}.") for each in entities]

    async def judged(mine: Trajectory) -> list[Verdict]:
        items = checklist.of(mine.entity_id)
        return [v async for v in checker.check(items, mine, evaluation_id="e")]

    said = [
        verdict
        for each in runs
        for verdict in asyncio.run(judged(population(each, checklist.items, known)))
    ]
    found = score("population", checklist.items, runs, said, entities)[0]
    assert found.strict is not None
    assert 0.0 < found.strict < 0.15
