"""The store counts every change of what a standing is made of, and reads past what nobody needs for one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from core.ranking import SIDES
from core.trajectory import StopReason
from server.store import Repository, migrations, open_store
from server.store.migrations import steps
from server.store.rankings import Rankings
from server.store.standings import Kept, KeptStandings, explored
from tests.evaluator.rating.games import compared
from tests.server.judged_runs import call, explore, model_run
from tests.server.judged_runs import turn as asked
from tests.server.store.test_rankings import ranking
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict

RUN = spec()
ATTEMPT = f"{RUN.id}.01.1.1"


def revision(store: Repository, subject: str = RUN.id) -> int | None:
    with store.glancing() as driver:
        row = driver.execute(
            "SELECT revision FROM revisions WHERE subject = ?", (subject,)
        ).fetchone()
    return row and int(row[0])


def test_a_new_run_and_a_new_ranking_begin_to_be_counted(store: Repository) -> None:
    store.add_run(RUN)
    Rankings(store).add(ranking("k1", RUN.id))
    assert (revision(store), revision(store, "k1")) == (0, 0)


def test_turns_and_insights_of_an_open_attempt_count_nothing_and_its_end_does(
    store: Repository,
) -> None:
    store.add_run(RUN)
    store.start_trajectory(draft(RUN))
    begun = revision(store)
    store.add_turn(ATTEMPT, turn(1))
    store.add_insight(insight(ATTEMPT, 1))
    assert revision(store) == begun == 1
    store.end_trajectory(ATTEMPT, StopReason.FINISHED, ended_at=START)
    assert revision(store) == 2


CHANGES: dict[str, Callable[[Repository], object]] = {
    "a verdict": lambda store: store.add_verdicts([verdict(ATTEMPT, "q9")]),
    "a replaced verdict": lambda store: store.replace_verdict(verdict(ATTEMPT, label=None)),
    "an evaluation": lambda store: store.add_evaluation(evaluation(RUN, "e2")),
    "an amended evaluation": lambda store: store.amend_evaluation(
        evaluation(RUN).model_copy(update={"judges_served": ("m",)})
    ),
    "an attempt": lambda store: store.start_trajectory(draft(RUN)),
    "a late insight": lambda store: store.add_late_insight(insight(ATTEMPT, 7)),
    "prices": lambda store: store.reprice(RUN.id, lambda _made: call()),
    "an amended run": lambda store: store.amend_run(RUN.model_copy(update={"budget_usd": 3.0})),
}


@pytest.fixture
def whole(store: Repository) -> Repository:
    """A run with an ended attempt and a verdict."""
    store.add_run(RUN)
    store.start_trajectory(draft(RUN))
    store.add_turn(ATTEMPT, turn(1, tokens=10))
    store.add_insight(insight(ATTEMPT, 1))
    store.end_trajectory(ATTEMPT, StopReason.FINISHED, ended_at=START)
    store.add_evaluation(evaluation(RUN))
    store.add_verdicts([verdict(ATTEMPT)])
    return store


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_is_counted(whole: Repository, change: Callable[[Repository], object]) -> None:
    before = revision(whole)
    change(whole)
    now = revision(whole)
    assert before is not None and now is not None and now > before


@pytest.mark.parametrize("table", ["verdicts", "evaluations", "trajectories"])
def test_what_is_taken_out_by_hand_is_counted_too(whole: Repository, table: str) -> None:
    before = revision(whole)
    with whole.driving() as driver:
        driver.execute(f"DELETE FROM {table}")
    now = revision(whole)
    assert before is not None and now is not None and now > before


def test_a_change_of_one_run_is_none_of_another(whole: Repository) -> None:
    other = spec("20260131-small-zz99")
    whole.add_run(other)
    before = revision(whole)
    whole.start_trajectory(draft(other))
    assert (revision(whole), revision(whole, other.id)) == (before, 1)


def test_a_transaction_that_is_rolled_back_counts_nothing(whole: Repository) -> None:
    before = revision(whole)
    with pytest.raises(RuntimeError), whole.together() as inner:
        inner.add_verdicts([verdict(ATTEMPT, "q9")])
        raise RuntimeError
    assert revision(whole) == before


def test_comparisons_count_for_their_ranking(whole: Repository) -> None:
    stored = Rankings(whole)
    stored.add(ranking("k1", RUN.id, "other"))
    for first in SIDES:
        stored.add_comparison(
            compared(RUN.id, "other", "left", first).model_copy(update={"ranking_id": "k1"})
        )
    assert revision(whole, "k1") == 2
    served = ranking("k1", RUN.id, "other").model_copy(update={"judges_served": ("m",)})
    stored.amend(served)
    assert revision(whole, "k1") == 3
    whole.delete_run(RUN.id)
    assert revision(whole, "k1") is None


def test_what_is_kept_is_read_back_by_its_formula_and_revision_alone(whole: Repository) -> None:
    kept = KeptStandings(whole)
    (now,) = kept.runs(["f"])
    assert (now.subject, now.body) == (RUN.id, None)
    assert kept.keep(Kept(now.subject, now.revision, "{}"), "f")
    assert [each.body for each in kept.runs(["f"])] == ["{}"]
    assert [each.body for each in kept.runs(["g", "f"])] == ["{}"]
    assert [each.body for each in kept.runs(["g"])] == [None]
    assert kept.runs(["f"], only="another") == []
    whole.add_verdicts([verdict(ATTEMPT, "q9")])
    assert [each.body for each in kept.runs(["f"])] == [None]
    kept.drop()
    assert not kept.keep(Kept(now.subject, now.revision, "{}"), "f")


def test_a_store_from_before_has_its_runs_counted_from_now_on(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    connection = sqlite3.connect(path, isolation_level=None)
    before = next(step.number for step in steps() if step.name == "standings") - 1
    migrations.migrate(connection, path, steps()[:before])
    row = (RUN.id, RUN.created_at.isoformat(), RUN.model_dump_json())
    connection.execute("INSERT INTO runs VALUES (?, ?, ?)", row)
    connection.close()
    with open_store(path) as store:
        assert revision(store) == 0
        store.start_trajectory(draft(RUN))
        assert revision(store) == 1


def test_what_is_read_of_a_run_is_what_the_whole_trajectories_hold(store: Repository) -> None:
    run = explore(store, model_run(1, "one", trials=2), turns={"01": 3, "02": 1})
    found = explored(store, run.id)
    whole = store.trajectories(run.id)
    assert [each.model_copy(update={"turns": ()}) for each in whole] == found.trajectories
    assert found.turns == {each.id: len(each.turns) for each in whole}

    def by_role(calls: list[str]) -> list[str]:
        return sorted(calls)

    assert by_role([c.model_dump_json() for c in found.calls]) == by_role(
        [c.model_dump_json() for each in whole for c in each.calls]
    )


def test_of_attempts_that_were_explored_again_nothing_is_read(store: Repository) -> None:
    run = model_run(1, "one")
    store.add_run(run)
    for stop, cost in ((StopReason.PROVIDER_ERROR, 9.0), (StopReason.FINISHED, 1.0)):
        mine = store.start_trajectory(draft(run))
        store.add_turn(mine.id, asked(1, call(cost=cost)))
        store.add_failed_call(mine.id, call(cost=cost))
        store.end_trajectory(mine.id, stop, ended_at=START + timedelta(seconds=1))
    found = explored(store, run.id)
    assert [each.attempt for each in found.trajectories] == [2]
    assert [made.usage.cost_usd for made in found.calls] == [1.0, 1.0]
