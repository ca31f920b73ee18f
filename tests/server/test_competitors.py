"""Which baselines stand beside an agent, and the same model's closed book among them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.errors import UnknownNameError, UsageError
from core.run import ModelSpec, RunSpec
from core.trajectory import Insight, StopReason
from server.closed_book import closed_book_of, no_closed_book
from server.competitors import wanted_baselines
from server.evaluate import Judging
from server.judged import Judged
from server.store import Repository
from tests.server.support import START, draft, insight, spec, turn
from tests.server.test_evaluate import ENTITIES, WordChecker, _checklist

MODEL = ModelSpec(provider="openai", name="m", sampling={"temperature": 0})


def explored(store: Repository, run: RunSpec, facts: dict[str, tuple[int, ...]]) -> RunSpec:
    """A run that told these facts of its entities, turn by turn and in its reports."""
    store.add_run(run)
    for entity_id, numbers in facts.items():
        mine = store.start_trajectory(draft(run, entity_id))
        for number in numbers:
            store.add_turn(mine.id, turn(number))
            store.add_insight(insight(mine.id, number, f"Fact {number} of {entity_id}."))
        text = " ".join(f"Fact {number} of {entity_id}." for number in numbers)
        store.add_insight(
            Insight(
                id=f"{mine.id}.r", trajectory_id=mine.id, level="trajectory", text=text, author="m"
            )
        )
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return run


def own(**changes: Any) -> RunSpec:
    return spec(agent="react", model=MODEL, **changes)


def book(run_id: str = "20260131-small-book", **changes: Any) -> RunSpec:
    return spec(run_id, **{"agent": "closed-book", "model": MODEL, **changes})


def judged(run: RunSpec, store: Repository, baselines: str | None = None) -> Judged:
    judging = Judging(run, store, _checklist(), WordChecker(), baselines=baselines)
    return asyncio.run(judging.judge(ENTITIES, START))


def test_what_a_model_says_with_the_book_closed_is_taken_from_its_score(store: Repository) -> None:
    run = explored(store, own(), {"01": (1, 2), "02": (1, 2)})
    explored(store, book(), {"01": (1,), "02": ()})
    found = judged(run, store)
    assert found.no_closed_book is None
    assert found.accuracy("closed_book") == {"message": 0.25, "trajectory": 0.25}
    beyond = [each for each in found.beyond if each.other == "closed_book"]
    assert [(each.level, each.averaging) for each in beyond] == [
        ("message", "item"),
        ("message", "sample"),
        ("trajectory", "item"),
        ("trajectory", "sample"),
    ]
    assert {each.difference for each in beyond} == {0.75}
    assert {each.clusters for each in beyond} == {2}
    (stored,) = [e for e in store.evaluations(run.id) if e.parameters.get("run")]
    assert stored.parameters["baseline"] == "closed_book"
    assert stored.parameters["run"] == "20260131-small-book"


def test_an_entity_that_the_book_was_not_asked_about_is_left_out_of_the_difference(
    store: Repository,
) -> None:
    run = explored(store, own(), {"01": (1, 2), "02": (1, 2)})
    explored(store, book(entity_ids=("01",)), {"01": (1,)})
    found = judged(run, store)
    (first, *_) = [each for each in found.beyond if each.other == "closed_book"]
    assert (first.items, first.left_out, first.difference) == (2, 2, 0.5)


def test_a_newer_closed_book_takes_the_place_of_an_older_one(store: Repository) -> None:
    run = explored(store, own(), {"01": (1,), "02": (1,)})
    explored(store, book(), {"01": (1, 2), "02": (1, 2)})
    assert judged(run, store).accuracy("closed_book")["message"] == 1.0
    later = START.replace(hour=13)
    explored(store, book("20260131-small-new1", created_at=later), {"01": (), "02": ()})
    assert judged(run, store).accuracy("closed_book")["message"] == 0.0


@pytest.mark.parametrize(
    "changes",
    [
        {"model": MODEL.model_copy(update={"name": "other"})},
        {"model": MODEL.model_copy(update={"sampling": {"temperature": 1}})},
        {"scenario_fingerprint": "beef"},
        {"goal": "generic"},
        {"agent": "react"},
        {"entity_ids": ("09",)},
    ],
)
def test_only_the_same_model_on_the_same_data_counts(
    store: Repository, changes: dict[str, Any]
) -> None:
    run = explored(store, own(), {"01": (1,), "02": (1,)})
    other = book(**changes)
    explored(store, other, dict.fromkeys(other.entity_ids, (1,)))
    assert closed_book_of(run, store) is None
    told = no_closed_book(run, store)
    assert told is not None
    assert "run --scenario small --model openai/m --agent closed-book" in told
    with pytest.raises(UsageError, match="closed-book"):
        judged(run, store, "closed-book")


def test_an_agent_without_a_model_has_no_closed_book(store: Repository) -> None:
    run = explored(store, spec(agent="profiler"), {"01": (1,), "02": (1,)})
    found = judged(run, store)
    assert found.no_closed_book is not None
    assert "asks no model" in found.no_closed_book


def test_a_baseline_that_cannot_be_had_is_refused_where_it_is_named(
    store: Repository,
) -> None:
    run = explored(store, own(), {"01": (1,), "02": (1,)})
    with pytest.raises(UsageError, match="population's answer cannot be had: no fact is asked of"):
        judged(run, store, "population")
    with pytest.raises(UsageError, match="another entity's findings cannot be had: "):
        judged(
            explored(store, own(id="20260131-small-one", entity_ids=("01",)), {"01": (1,)}),
            store,
            "shuffled",
        )
    assert "population" not in {score.competitor for score in judged(run, store, "all").scores}


@pytest.mark.parametrize(
    ("text", "is_paid", "names"),
    [
        (None, True, {"blank"}),
        (None, False, {"blank", "generic", "shuffled", "population", "closed-book"}),
        ("free", True, {"blank"}),
        ("all", True, {"blank", "generic", "shuffled", "population", "closed-book"}),
        ("none", False, set()),
        ("population, closed-book", True, {"blank", "population", "closed-book"}),
    ],
)
def test_a_choice_of_baselines(text: str | None, is_paid: bool, names: set[str]) -> None:
    assert wanted_baselines(text, is_paid=is_paid).names == names


def test_an_unknown_baseline_lists_those_that_there_are() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'population'"):
        wanted_baselines("generic,populatin", is_paid=True)


def test_a_closed_item_brings_the_constant_without_a_judge(store: Repository) -> None:
    run = explored(store, spec(), {"01": (1,), "02": ()})
    items = [
        item.model_copy(
            update={"kind": "closed", "options": ("Fact 1 of 01", "no"), "answer": answer}
        )
        for item, answer in zip(_checklist().items, ("Fact 1 of 01", "no", "no", "no"), strict=True)
    ]
    judging = Judging(run, store, _checklist(items=tuple(items)), WordChecker(), baselines="none")
    found = asyncio.run(judging.judge(ENTITIES, START))
    assert found.accuracy("constant") == {"message": 0.75, "trajectory": 0.75}
    assert found.overall is not None
    assert len(found.overall.at_chance) == 4
    assert [each.constant for each in found.chance] == [0.75, 0.75]
    assert [e.id for e in store.evaluations(run.id)] == [f"{run.id}.e1"]
