"""What is counted of attempts is what they hold, and the attempt that counts is the latest."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.outside import OutsideCall
from core.trajectory import Insight, ModelCall, Nudge, StopReason, ToolResult, Usage
from server.store import Repository
from server.store.closeups import Wanted, closeups, evaluations_of, verdicts_on
from server.store.glances import Taken, glances, kept_summaries, moment, revision
from server.store.records import to_json
from server.store.tables import CallRow
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict


def call(cost: float | None, *, is_recalled: bool = False) -> ModelCall:
    return ModelCall(
        role="agent",
        model_asked="m",
        usage=Usage(cost_usd=cost),
        started_at=START,
        duration_s=1.0,
        is_recalled=is_recalled,
    )


def test_turns_insights_and_costs_are_counted(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    mine = store.start_trajectory(draft(run))
    store.add_turn(mine.id, turn(1).model_copy(update={"call": call(0.5)}))
    store.add_turn(mine.id, turn(2).model_copy(update={"call": call(None)}))
    store.add_nudge(mine.id, Nudge(after_turn=2, text="hm", call=call(0.25)))
    store.add_insight(insight(mine.id, 1).model_copy(update={"call": call(2.0)}))
    store.add_insight(insight(mine.id, 2, None))
    store.add_insight(
        Insight(
            id="r",
            trajectory_id=mine.id,
            level="trajectory",
            text="All.",
            author="a",
            call=call(9.0, is_recalled=True),
        )
    )
    ended = START + timedelta(seconds=5)
    store.end_trajectory(mine.id, StopReason.MAX_TURNS, ended_at=ended, error="why")
    (found,) = glances(store, run.id, run.entity_ids).values()
    assert (found.turns, found.insights, found.has_report) == (2, 1, True)
    assert (found.stop, found.error, found.ended_at) == (StopReason.MAX_TURNS, "why", ended)
    assert found.taken == Taken(calls=4, priced=3, cost_usd=2.75)


def test_they_are_what_reading_everything_comes_to(store: Repository) -> None:
    run = spec(trials=2)
    store.add_run(run)
    for entity_id in run.entity_ids:
        for trial in (1, 2):
            for attempt in range(2):
                mine = store.start_trajectory(draft(run, entity_id, trial))
                for index in range(1, 2 + attempt + trial):
                    store.add_turn(mine.id, turn(index, tokens=10))
                    store.add_insight(insight(mine.id, index, "x" if index % 2 else None))
                store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    found = glances(store, run.id, run.entity_ids)
    whole = {(t.entity_id, t.trial): t for t in store.trajectories(run.id)}
    assert set(found) == set(whole)
    for key, each in whole.items():
        glance = found[key]
        assert glance.attempt == each.attempt == 2
        assert glance.turns == len(each.turns)
        assert glance.insights == sum(bool(i.text) for i in each.message_insights)
        assert glance.taken.calls == len(each.calls)


def test_calls_of_an_agent_from_outside_are_turns(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    mine = store.start_trajectory(draft(run))
    with store.writing() as session:
        for position, index in ((1, 1), (2, 1), (3, 2), (4, None)):
            made = OutsideCall(
                position=position,
                turn=index,
                name="execute_query",
                arguments="{}",
                started_at=START,
                result=ToolResult(call_id="c", name="execute_query", text="", duration_s=0.0),
            )
            session.add(
                CallRow(
                    trajectory_id=mine.id,
                    position=position,
                    turn=index,
                    worker=None,
                    started_at=0.0,
                    body=to_json(made),
                )
            )
    (found,) = glances(store, run.id, run.entity_ids).values()
    assert found.turns == 2
    (close,) = closeups(store, [Wanted(run.id, ("01", 1))])
    assert close is not None
    assert close.trajectory == store.trajectory(mine.id)
    assert len(close.trajectory.turns) == 2


def test_of_what_nobody_began_there_is_nothing(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    assert glances(store, run.id, run.entity_ids) == {}
    assert glances(store, run.id, ()) == {}
    assert closeups(store, [Wanted(run.id, ("01", 1))]) == [None]


@pytest.mark.parametrize(
    ("one", "other", "total"),
    [
        (Taken(), Taken(), Taken(0, 0, None)),
        (Taken(1, 0, None), Taken(1, 1, 0.5), Taken(2, 1, 0.5)),
        (Taken(2, 2, 1.0), Taken(1, 1, 0.5), Taken(3, 3, 1.5)),
    ],
)
def test_what_is_unknown_is_no_zero(one: Taken, other: Taken, total: Taken) -> None:
    assert one + other == total


def test_a_moment_passes_with_everything_that_is_kept(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    seen = [moment(store, run.id)]
    mine = store.start_trajectory(draft(run))
    seen.append(moment(store, run.id))
    store.add_turn(mine.id, turn(1))
    seen.append(moment(store, run.id))
    store.add_insight(insight(mine.id, 1))
    seen.append(moment(store, run.id))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    seen.append(moment(store, run.id))
    assert len(set(seen)) == 5
    assert moment(store, run.id) == seen[-1]


def test_a_finished_run_has_another_revision_once_it_is_judged(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    before = revision(store, run.id)
    store.add_evaluation(evaluation(run))
    assert revision(store, run.id) == before + 1
    assert revision(store, "none") == 0
    assert kept_summaries(store, [run.id], "any") == {}


def test_attempts_are_read_whole_in_the_order_in_which_they_are_wanted(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    made = {}
    for entity_id in ("02", "01"):
        mine = store.start_trajectory(draft(run, entity_id))
        store.add_turn(mine.id, turn(1, f"of {entity_id}"))
        store.add_nudge(mine.id, Nudge(after_turn=1, text="hm", call=call(None)))
        store.add_insight(insight(mine.id, 1))
        made[entity_id] = store.trajectory(mine.id)
    found = closeups(store, [Wanted(run.id, (each, 1)) for each in ("01", "02", "03")])
    assert [each and each.trajectory for each in found] == [made["01"], made["02"], None]
    (bare,) = closeups(store, [Wanted(run.id, ("01", 1))], without_turns=True)
    assert bare is not None
    assert (bare.trajectory.turns, bare.trajectory.nudges) == ((), ())
    assert bare.trajectory.insights == made["01"].insights


def test_verdicts_and_evaluations_are_read_for_those_alone(store: Repository) -> None:
    run, other = spec(), spec("20260131-small-cd34")
    for each in (run, other):
        store.add_run(each)
        store.add_evaluation(evaluation(each, f"{each.id}.e1"))
    mine, another = (store.start_trajectory(draft(run, e)) for e in ("01", "02"))
    store.add_verdicts(
        verdict(t.id, item, evaluation_id=f"{run.id}.e1") for t in (mine, another) for item in "ba"
    )
    found = verdicts_on(store, [(f"{run.id}.e1", mine.id)])
    assert [(v.trajectory_id, v.item_id) for v in found[mine.id]] == [
        (mine.id, "a"),
        (mine.id, "b"),
    ]
    assert set(found) == {mine.id}
    assert verdicts_on(store, []) == {}
    assert [e.run_id for e in evaluations_of(store, [other.id])[other.id]] == [other.id]
