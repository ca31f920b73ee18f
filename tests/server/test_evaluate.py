"""A run is judged beside its baselines; each verdict is kept as it comes and asked for once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from core.checklist import Checklist, ChecklistItem
from core.errors import CheckerError, ChecklistError, UsageError
from core.evaluation import LEVELS, Level, Verdict
from core.protocols import Checker
from core.run import RunSpec
from core.scenario import Entity, License
from core.trajectory import Insight, StopReason, Trajectory
from server.evaluate import Judging
from server.judged import Judged, own_evaluations, read
from server.store import Repository
from tests.server.support import START, draft, insight, spec, turn

ENTITIES = [
    Entity(scenario_id="small", id="01", label="Ash Air"),
    Entity(scenario_id="small", id="02", label="Birch Air"),
]


def _item(entity_id: str, number: int) -> ChecklistItem:
    return ChecklistItem(
        id=f"{entity_id}-{number}",
        entity_id=entity_id,
        question="?",
        answer=f"Fact {number} of {entity_id}",
        category="volume",
        difficulty="easy",
        source="test",
    )


def _checklist(**changes: Any) -> Checklist:
    items = tuple(_item(e, n) for e in ("01", "02") for n in (1, 2))
    return Checklist(
        id="small",
        version="1",
        scenario_id="small",
        hash="c0de",
        license=License(name="CC0-1.0"),
        items=items,
    ).model_copy(update=changes)


class WordChecker:
    """Supported where the answer stands in an insight, word for word."""

    name = "words"

    def __init__(self, break_after: int | None = None) -> None:
        self.judged: list[tuple[str, str, Level]] = []
        self._left = break_after

    async def check(
        self, items: Sequence[ChecklistItem], trajectory: Trajectory, *, evaluation_id: str
    ) -> AsyncIterator[Verdict]:
        for level in LEVELS:
            said = [i for i in trajectory.insights if i.level == level and i.text]
            for item in items:
                if self._left is not None:
                    self._left -= 1
                    if self._left < 0:
                        raise CheckerError("the power went")
                self.judged.append((evaluation_id, item.id, level))
                found = [i for i in said if item.answer in (i.text or "")]
                yield Verdict(
                    evaluation_id=evaluation_id,
                    item_id=item.id,
                    trajectory_id=trajectory.id,
                    level=level,
                    label="supported" if found else "insufficient",
                    supporting_turns=tuple(i.turn for i in found if i.turn),
                    evidence=found[0].text if found else None,
                    gated=len(said),
                )


@pytest.fixture
def run(store: Repository) -> RunSpec:
    """Both entities finished; 01 found its two facts, 02 its first alone and no report."""
    run = spec()
    store.add_run(run)
    for entity_id, facts, report in (("01", (1, 2), True), ("02", (1,), False)):
        mine = store.start_trajectory(draft(run, entity_id))
        for number in facts:
            store.add_turn(mine.id, turn(number))
            store.add_insight(insight(mine.id, number, f"Fact {number} of {entity_id}."))
        if report:
            store.add_insight(
                Insight(
                    id="r",
                    trajectory_id=mine.id,
                    level="trajectory",
                    text=f"Fact 1 of {entity_id}.",
                    author="scripted",
                )
            )
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return run


def _judge(run: RunSpec, store: Repository, checker: Checker, **changes: Any) -> Judged:
    judging = Judging(run, store, _checklist(**changes), checker)
    return asyncio.run(judging.judge(ENTITIES, START))


def test_a_run_is_scored_with_its_baselines_beside_it(run: RunSpec, store: Repository) -> None:
    judged = _judge(run, store, WordChecker())
    assert judged.accuracy("scripted") == {"message": 0.75, "trajectory": 0.25}
    for baseline in ("blank", "generic"):
        assert judged.accuracy(baseline) == {"message": 0.0, "trajectory": 0.0}
    # The donor's names are exchanged for the recipient's, so '01' said of 02 reads as its fact.
    assert set(judged.gated) == {"scripted", "blank", "generic", "shuffled_entity"}
    assert judged.gated["blank"] == 0
    assert judged.gated["shuffled_entity"] > 0


def test_every_competitor_has_an_evaluation_of_its_own_that_names_whose_it_is(
    run: RunSpec, store: Repository
) -> None:
    judged = _judge(run, store, WordChecker())
    found = {e.id.removeprefix(f"{run.id}."): e for e in store.evaluations(run.id)}
    # Two entities can be exchanged in one way only.
    assert list(found) == ["e1", "e1.blank", "e1.generic", "e1.shuffled1"]
    assert own_evaluations(list(found.values())) == [judged.evaluation]
    shuffled = found["e1.shuffled1"].parameters
    assert (shuffled["baseline"], shuffled["derangement"]) == ("shuffled_entity", 1)
    assert {e.parameters.get("of") for e in found.values()} == {None, f"{run.id}.e1"}
    for each in found.values():
        recipients = {v.trajectory_id for v in store.verdicts(each.id)}
        assert recipients == {f"{run.id}.01.1.1", f"{run.id}.02.1.1"}


@pytest.mark.parametrize("break_after", [0, 3, 8, 13, 29, 31])
def test_an_evaluation_that_broke_goes_on_where_a_verdict_is_missing(
    run: RunSpec, store: Repository, break_after: int
) -> None:
    with pytest.raises(CheckerError, match="the power went"):
        _judge(run, store, WordChecker(break_after))
    kept = [v for e in store.evaluations(run.id) for v in store.verdicts(e.id)]
    assert len(kept) == break_after
    judged = _judge(run, store, WordChecker())
    assert judged.evaluation.id == f"{run.id}.e1"
    after = [v for e in store.evaluations(run.id) for v in store.verdicts(e.id)]
    assert len(after) == 4 * 2 * 4
    assert [v for v in after if v in kept] == kept
    assert judged.accuracy("scripted") == {"message": 0.75, "trajectory": 0.25}


def test_what_is_judged_already_is_not_asked_again(run: RunSpec, store: Repository) -> None:
    with pytest.raises(CheckerError):
        _judge(run, store, WordChecker(8))
    checker = WordChecker()
    _judge(run, store, checker)
    assert {evaluation for evaluation, _, _ in checker.judged} == {
        f"{run.id}.e1.blank",
        f"{run.id}.e1.generic",
        f"{run.id}.e1.shuffled1",
    }


def test_a_finished_evaluation_is_kept_beside_the_next(run: RunSpec, store: Repository) -> None:
    first = _judge(run, store, WordChecker())
    second = _judge(run, store, WordChecker())
    assert [first.evaluation.id, second.evaluation.id] == [f"{run.id}.e1", f"{run.id}.e2"]
    assert len(own_evaluations(store.evaluations(run.id))) == 2
    assert second.scores == first.scores


def test_after_a_resume_what_is_judged_is_another_set(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    for entity_id in ("01", "02"):
        mine = store.start_trajectory(draft(run, entity_id))
        store.end_trajectory(mine.id, StopReason.CANCELLED, ended_at=START)
    with pytest.raises(CheckerError):
        _judge(run, store, WordChecker(3))
    again = store.start_trajectory(draft(run, "02"))
    store.end_trajectory(again.id, StopReason.FINISHED, ended_at=START)
    assert _judge(run, store, WordChecker()).evaluation.id == f"{run.id}.e2"


def test_an_entity_that_was_never_run_stays_in_the_denominator(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    mine = store.start_trajectory(draft(run, "01"))
    store.add_turn(mine.id, turn(1))
    store.add_insight(insight(mine.id, 1, "Fact 1 of 01. Fact 2 of 01."))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    judged = _judge(run, store, WordChecker())
    score = next(s for s in judged.scores if s.level == "message" and s.averaging == "item")
    assert (score.items, score.supported, score.unscored) == (4, 2, 2)
    assert score.strict == 0.5
    assert score.headline is None
    assert "never run" in (score.headline_reason or "")


def test_the_scores_can_be_read_again_from_what_is_stored(run: RunSpec, store: Repository) -> None:
    judged = _judge(run, store, WordChecker())
    assert read(run, store, _checklist(), ENTITIES, judged.evaluation.id) == judged


def test_the_watcher_hears_of_each_trajectory_of_each_competitor(
    run: RunSpec, store: Repository
) -> None:
    told: list[tuple[float, float, str]] = []
    judging = Judging(run, store, _checklist(), WordChecker())
    asyncio.run(judging.judge(ENTITIES, START, lambda *said: told.append(said)))
    assert told[0] == (1, 8, "scripted on 01")
    assert told[-1] == (8, 8, "shuffled_entity on 02")


def test_a_run_without_trajectories_is_told_to_explore_first(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    with pytest.raises(UsageError, match="ddr run --resume"):
        _judge(run, store, WordChecker())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scenario_id": "other"}, "is about other, run .* about small"),
        ({"scenario_fingerprint": "beef"}, "proved on another content of small"),
    ],
)
def test_a_checklist_about_something_else_is_refused(
    run: RunSpec, store: Repository, changes: dict[str, str], said: str
) -> None:
    with pytest.raises(ChecklistError, match=said):
        _judge(run, store, WordChecker(), **changes)
    assert store.evaluations(run.id) == []


def test_with_one_entity_the_missing_shuffle_is_explained(store: Repository) -> None:
    run = spec(entity_ids=("01",))
    store.add_run(run)
    mine = store.start_trajectory(draft(run, "01"))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    judged = _judge(run, store, WordChecker())
    assert "shuffled_entity" not in judged.gated
    assert "between two at least" in (judged.no_shuffle or "")
