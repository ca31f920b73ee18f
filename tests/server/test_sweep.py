"""A judge has its places filled over all trajectories, and each of its verdicts is kept before the next."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from core.errors import CheckerError, ProviderError, StoreError
from core.evaluation import Verdict
from core.run import RunSpec
from core.trajectory import Insight, StopReason
from evaluator.interviewing import Interviewer
from evaluator.llm import LLMChecker
from server.evaluate import Judging
from server.judged import Judged
from server.store import Repository
from server.store.answers import Answers
from tests.evaluator.llm.judges import Judge, Messages, Said, reply
from tests.server.support import START, draft, insight, spec, turn
from tests.server.test_evaluate import ENTITIES, _checklist

GOOD = reply("insufficient")
QUESTIONS = 8
"""Two entities, two items, two levels."""


@pytest.fixture
def run(store: Repository) -> RunSpec:
    """Both entities finished, each with an insight and a report."""
    run = spec()
    store.add_run(run)
    for entity_id in ("01", "02"):
        mine = store.start_trajectory(draft(run, entity_id))
        store.add_turn(mine.id, turn(1))
        store.add_insight(insight(mine.id, 1, f"Fact 1 of {entity_id}."))
        report = f"The report of {entity_id}."
        form: dict[str, Any] = {"id": "r", "level": "trajectory", "author": "scripted"}
        store.add_insight(Insight(trajectory_id=mine.id, text=report, **form))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return run


def _judging(
    run: RunSpec, store: Repository, judge: Judge, *, concurrency: int = 1, batch: int = 1
) -> Judging:
    asks = Interviewer(judge, role="checker", memory=Answers(store))
    checker = LLMChecker([asks], concurrency=concurrency, batch=batch)
    return Judging(run, store, _checklist(), checker, baselines="none")


def _judge(run: RunSpec, store: Repository, judge: Judge, **options: int) -> Judged:
    return asyncio.run(_judging(run, store, judge, **options).judge(ENTITIES, START))


def _stored(run: RunSpec, store: Repository) -> list[Verdict]:
    return [v for e in store.evaluations(run.id) for v in store.verdicts(e.id)]


def _item(messages: Messages) -> str:
    """Which item is asked about, and at which level."""
    asked = messages[1]["content"]
    level = "message" if "[Turn 1]" in asked else "report"
    return f"{asked.rpartition('Fact ')[2].strip()} by its {level}"


class Crowd:
    """Counts how many are asked at the same time, and answers them once no more come."""

    def __init__(self) -> None:
        self.most = self._open = 0
        self.together: list[set[str]] = []

    async def answer(self, messages: Messages) -> Said:
        self._open += 1
        self.most = max(self.most, self._open)
        for _ in range(50):
            await asyncio.sleep(0)
        self._open -= 1
        self.together.append({_item(messages)})
        return GOOD


@pytest.mark.parametrize("concurrency", [1, 2, 3, 4, 5])
def test_so_many_requests_are_under_way_over_all_trajectories_and_no_more(
    run: RunSpec, store: Repository, concurrency: int
) -> None:
    crowd = Crowd()
    judge = Judge(crowd.answer)
    judged = _judge(run, store, judge, concurrency=concurrency)
    # Of each trajectory and level one goes ahead: four may begin at once, and four then.
    assert crowd.most == min(concurrency, 4)
    assert len(judge.asked) == QUESTIONS
    assert len(judged.verdicts) == QUESTIONS


def test_questions_that_begin_alike_follow_one_another(run: RunSpec, store: Repository) -> None:
    judge = Judge(lambda _: GOOD)
    _judge(run, store, judge)
    assert [_item(messages) for messages in judge.asked] == [
        "1 of 01 by its message",
        "2 of 01 by its message",
        "1 of 01 by its report",
        "2 of 01 by its report",
        "1 of 02 by its message",
        "2 of 02 by its message",
        "1 of 02 by its report",
        "2 of 02 by its report",
    ]


@pytest.mark.parametrize(("concurrency", "batch"), [(1, 1), (3, 1), (2, 2)])
def test_a_verdict_is_kept_before_its_place_is_given_to_another_question(
    run: RunSpec, store: Repository, concurrency: int, batch: int
) -> None:
    """So a process that is killed loses no more verdicts than requests that were under way."""
    begun = 0
    lost: list[int] = []

    async def answer(_: Messages) -> Said:
        nonlocal begun
        begun += 1
        lost.append(begun - len(_stored(run, store)) // batch)
        for _turn in range(7 * begun % 5):
            await asyncio.sleep(0)
        if batch == 1:
            return GOOD
        return f'{{"verdicts": [{{"item": 1, {GOOD[1:]}, {{"item": 2, {GOOD[1:]}]}}'

    _judge(run, store, Judge(answer), concurrency=concurrency, batch=batch)
    assert begun == QUESTIONS // batch
    assert max(lost) <= concurrency


def _after(number: int, then: Callable[[], Said]) -> Judge:
    """Answers so many questions, and then something else."""
    asked = Counter[str]()

    def answer(_: Messages) -> Said:
        asked["so far"] += 1
        return GOOD if asked["so far"] <= number else then()

    return Judge(answer)


def _refused() -> Said:
    return ProviderError("401: no such key", status_code=401, kind="auth")


def _no_money() -> Said:
    raise LookupError("the purse is empty")


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize(
    ("then", "error"), [(_refused, CheckerError), (_no_money, LookupError)], ids=["key", "purse"]
)
def test_what_ends_one_ends_all_and_what_was_judged_is_kept_and_not_asked_again(
    run: RunSpec,
    store: Repository,
    concurrency: int,
    then: Callable[[], Said],
    error: type[Exception],
) -> None:
    judge = _after(3, then)
    with pytest.raises(error):
        _judge(run, store, judge, concurrency=concurrency)
    assert len(judge.asked) <= 3 + concurrency
    kept = _stored(run, store)
    assert len(kept) == 3
    (evaluation,) = store.evaluations(run.id)
    assert evaluation.judges_served == ("judge-2026",)
    again = Judge(lambda _: GOOD)
    judged = _judge(run, store, again, concurrency=concurrency)
    assert judged.evaluation.id == evaluation.id
    assert len(again.asked) == QUESTIONS - 3
    assert [v for v in _stored(run, store) if v in kept] == kept


def test_three_failures_in_a_row_over_all_trajectories_end_the_pass(
    run: RunSpec, store: Repository
) -> None:
    def down() -> Said:
        return ProviderError("503: busy", status_code=503, kind="server")

    judge = _after(0, down)
    with pytest.raises(CheckerError, match="3 times in a row"):
        _judge(run, store, judge, concurrency=3)
    assert len(judge.asked) <= 5
    assert _stored(run, store) == []


def test_a_pass_that_is_cancelled_keeps_what_was_judged_and_leaves_nothing_under_way(
    run: RunSpec, store: Repository
) -> None:
    open_: set[int] = set()
    reached = asyncio.Event()

    async def answer(_: Messages) -> Said:
        number = len(judge.asked)
        if number <= 3:
            return GOOD
        open_.add(number)
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            open_.discard(number)
        raise AssertionError

    judge = Judge(answer)

    async def cancelled() -> None:
        judging = _judging(run, store, judge, concurrency=2)
        task = asyncio.create_task(judging.judge(ENTITIES, START))
        await reached.wait()
        while len(_stored(run, store)) < 3:
            await asyncio.sleep(0)
        assert open_
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not open_

    asyncio.run(cancelled())
    assert len(_stored(run, store)) == 3


def test_a_verdict_that_cannot_be_kept_ends_the_pass(
    run: RunSpec, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Repository.add_verdicts

    def full(self: Repository, verdicts: Any) -> None:
        if len(_stored(run, store)) >= 2:
            raise StoreError("the disk is full")
        add(self, verdicts)

    monkeypatch.setattr(Repository, "add_verdicts", full)
    judge = Judge(lambda _: GOOD)
    with pytest.raises(StoreError, match="full"):
        _judge(run, store, judge)
    assert len(judge.asked) == 3


def test_all_that_was_asked_before_is_recalled(run: RunSpec, store: Repository) -> None:
    first = _judge(run, store, Judge(lambda _: GOOD), concurrency=2)
    second = _judge(run, store, Judge([]), concurrency=2)
    assert second.evaluation.id != first.evaluation.id
    assert second.scores == first.scores
    assert all(v.call is not None and v.call.is_recalled for v in second.verdicts)
    assert second.spending.calls == 0


def test_the_watcher_hears_of_each_trajectory_once_it_is_judged(
    run: RunSpec, store: Repository
) -> None:
    told: list[tuple[float, float, str]] = []

    def watch(done: float, total: float, what: str) -> None:
        entity = what.rpartition(" ")[2]
        judged = {v.trajectory_id for v in _stored(run, store)}
        assert any(f".{entity}." in name for name in judged)
        told.append((done, total, what))

    judging = _judging(run, store, Judge(lambda _: GOOD), concurrency=4)
    asyncio.run(judging.judge(ENTITIES, START, watch))
    assert [(done, total) for done, total, _ in told] == [(1, 2), (2, 2)]
    assert {what for _, _, what in told} == {"scripted on 01", "scripted on 02"}
