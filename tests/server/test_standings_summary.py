"""A run is summed up to the very figures that its evaluation shows, whatever it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from core.checklist import Checklist, ChecklistItem
from core.evaluation import Score
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import Insight, StopReason
from evaluator.matching import MatchingChecker
from server.evaluate import Judging
from server.judged import read
from server.standings_summary import summarise
from server.store import Repository
from tests.server.judged_runs import ENTITIES, checklist, explore, judge, model_run
from tests.server.support import START, draft, insight, spec, turn


def closed(entity_id: str, answer: str) -> ChecklistItem:
    return ChecklistItem(
        id=f"{entity_id}-c",
        entity_id=entity_id,
        question="Did it rise?",
        answer=answer,
        kind="closed",
        options=("rose", "fell"),
        category="trend",
        difficulty="easy",
        source="test",
    )


def by_read(
    run: RunSpec,
    store: Repository,
    facts: Checklist,
    name: str,
    entities: Sequence[Entity] = ENTITIES,
) -> list[Score]:
    return read(run, store, facts, entities, name).scores


def summed(run: RunSpec, store: Repository, facts: Checklist) -> list[Score]:
    found = summarise(run, store, lambda _spec, _evaluation: (facts, ENTITIES))
    assert found.why_not is None
    return [*found.scores, *(score for name in found.baselines.values() for score in name)]


@pytest.mark.parametrize("trials", [1, 3])
def test_scores_are_those_of_the_evaluation_with_trials_and_derangements(
    store: Repository, trials: int
) -> None:
    run = explore(store, model_run(1, "one", trials=trials))
    own = judge(store, run, message={"01-a"}, report={"02-a"}, unscored={"01-b"})
    for number, hits in ((1, {"01-a"}), (2, set[str]())):
        parameters = {"baseline": "shuffled_entity", "derangement": number, "of": own.id}
        judge(store, run, message=hits, name=f"{own.id}.shuffled{number}", parameters=parameters)
    assert summed(run, store, checklist()) == by_read(run, store, checklist(), own.id)


def test_closed_items_bring_the_constant_answer_with_them(store: Repository) -> None:
    answers = (closed("01", "rose"), closed("02", "fell"), closed("02", "rose"))
    last = answers[2].model_copy(update={"id": "02-d"})
    facts = checklist(items=(*answers[:2], last))
    run = explore(store, model_run(1, "one"))
    names = ("01-c", "02-c", "02-d")
    own = judge(store, run, items=names, message={"01-c"}, report=names)
    found = summarise(run, store, lambda _spec, _evaluation: (facts, ENTITIES))
    constant = found.baselines["constant"]
    # 'rose' is right on two of three.
    assert [score.strict for score in constant if score.averaging == "item"] == [
        pytest.approx(2 / 3)
    ] * 2
    assert summed(run, store, facts) == by_read(run, store, facts, own.id)


def test_what_a_real_judging_leaves_is_summed_up_at_its_end(store: Repository) -> None:
    run = spec(agent="react")
    store.add_run(run)
    for entity_id in run.entity_ids:
        mine = store.start_trajectory(draft(run, entity_id))
        store.add_turn(mine.id, turn(1))
        store.add_insight(insight(mine.id, 1, f"Fact {entity_id}-a"))
        store.add_insight(
            Insight(
                id=f"{mine.id}.r",
                trajectory_id=mine.id,
                level="trajectory",
                text=f"Fact {entity_id}-a.",
                author="react",
            )
        )
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    judging = Judging(run, store, checklist(), MatchingChecker(ENTITIES), baselines="all")
    judged = asyncio.run(judging.judge(ENTITIES, START))
    with store.glancing() as driver:
        kept = driver.execute("SELECT count(*) FROM standings").fetchone()
    assert kept == (1,)
    assert sorted(summed(run, store, checklist()), key=str) == sorted(judged.scores, key=str)


def test_only_the_entities_of_the_run_are_asked_about(store: Repository) -> None:
    run = explore(store, model_run(1, "one", entity_ids=("02",)))
    own = judge(store, run, message={"02-a"})
    scores = summed(run, store, checklist())
    assert scores == by_read(run, store, checklist(), own.id)
    assert (scores[0].items, scores[0].strict) == (1, 1.0)


def test_an_attempt_that_ended_by_a_fault_is_unscored_and_no_zero(store: Repository) -> None:
    run = explore(store, model_run(1, "one"), stop=StopReason.PROVIDER_ERROR)
    judge(store, run, unscored={"01-a", "01-b", "02-a"})
    found = summarise(run, store, lambda _spec, _evaluation: (checklist(), ENTITIES))
    assert [score.strict for score in found.scores] == [None] * 4
    assert found.self_terminated == 0


def test_a_run_under_way_is_not_summed_up_even_where_it_was_judged(store: Repository) -> None:
    run = model_run(1, "one")
    store.add_run(run)
    mine = store.start_trajectory(draft(run, "01"))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    judge(store, run)
    found = summarise(run, store, lambda _spec, _evaluation: (checklist(), ENTITIES))
    assert found.why_not == "it is not finished"


def test_a_cancelled_attempt_is_one_that_is_still_to_come(store: Repository) -> None:
    run = explore(store, model_run(1, "one"), stop=StopReason.CANCELLED)
    judge(store, run)
    found = summarise(run, store, lambda _spec, _evaluation: (checklist(), ENTITIES))
    assert found.why_not == "it is not finished"
