"""What a run that goes on is: which trajectories, under which limits, and what is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core.errors import StoreError, UsageError
from core.run import BUNDLE, Imported, Limits, ModelSpec, RunSpec
from core.trajectory import Nudge, Preamble, StopReason, Trajectory
from server.after_finish import (
    check,
    continuation,
    continuations,
    finished,
    gone_on_from,
    said_before,
)
from server.after_finish_estimate import estimate_after_finish
from server.store import Repository
from tests.server.support import START, draft, insight, spec, turn

LATER = START + timedelta(days=1)
MODEL = ModelSpec(provider="scripted", name="/x.jsonl")


def stored(
    store: Repository,
    *ends: tuple[str, int, StopReason | None],
    insights: bool = True,
    preamble: bool = True,
    **changes: Any,
) -> RunSpec:
    """A run with a trajectory of two turns for each (entity, trial, ending)."""
    fields: dict[str, Any] = {"agent": "react", "model": MODEL, "trials": 2, **changes}
    run = spec(**fields)
    store.add_run(run)
    for entity_id, trial, reason in ends:
        sent = Preamble(system_prompt="Explore.", start_prompt=f"Carrier {entity_id}.")
        given = {"preamble": sent} if preamble else {}
        mine = store.start_trajectory(draft(run, entity_id, trial, **given))
        for number, tokens in ((1, 100), (2, 160)):
            store.add_turn(mine.id, turn(number, tokens=tokens))
            if insights:
                store.add_insight(insight(mine.id, number))
        if reason is not None:
            store.end_trajectory(mine.id, reason, ended_at=START)
    return run


FINISHED = StopReason.FINISHED
THREE = (("01", 1, FINISHED), ("02", 1, StopReason.MAX_TURNS), ("02", 2, FINISHED))


def test_it_goes_on_from_what_ended_by_itself_and_from_nothing_else(store: Repository) -> None:
    run = stored(store, *THREE, ("01", 2, None), limits=Limits(max_turns=9, max_tokens=500))
    onward = continuation(run, 4, store, LATER)
    assert onward.keys == (("01", 1), ("02", 2))
    assert onward.continues is not None and onward.continues.run_id == run.id
    assert [t.id for t in finished(run, store)] == [
        each.trajectory_id for each in onward.continues.trajectories
    ]
    assert onward.limits == Limits(max_turns=4, max_tokens=500)
    assert (onward.model, onward.created_at, onward.trials) == (run.model, LATER, 2)
    assert onward.id != run.id
    assert continuations(run, store) == [], "it is not stored before it is begun"


def test_what_was_asked_for_later_is_asked_for_now_and_no_budget_is_announced(
    store: Repository,
) -> None:
    run = stored(
        store, *THREE, insights=True, announced_budget=True, limits=Limits(max_turns=9)
    ).model_copy(update={"insights": "later"})
    onward = continuation(run, 4, store, LATER, budget_usd=2.0, concurrency=3)
    assert (onward.insights, onward.announced_budget) == ("per-turn", False)
    assert (onward.budget_usd, onward.concurrency) == (2.0, 3)


def test_one_that_is_stored_is_taken_again_until_more_has_finished(store: Repository) -> None:
    run = stored(store, *THREE)
    first = continuation(run, 4, store, LATER)
    store.add_run(first)
    assert continuation(run, 4, store, LATER) == first
    assert continuation(run, 5, store, LATER).id != first.id
    mine = store.start_trajectory(
        draft(run, "01", 2, preamble=Preamble(system_prompt="E", start_prompt="C"))
    )
    store.end_trajectory(mine.id, FINISHED, ended_at=START)
    again = continuation(run, 4, store, LATER)
    assert again.id != first.id and again.keys == (("01", 1), ("01", 2), ("02", 2))


def test_each_exploration_is_handed_its_own_original(store: Repository) -> None:
    run = stored(store, *THREE)
    onward = continuation(run, 4, store, LATER)
    found = gone_on_from(onward, ("02", 2), store)
    assert found is not None and (found.entity_id, found.trial) == ("02", 2)
    assert gone_on_from(run, ("02", 2), store) is None
    with pytest.raises(StoreError, match="goes on from no trajectory of 01, trial 2"):
        gone_on_from(onward, ("01", 2), store)
    assert said_before(onward, ("01", 1), store) == {"agent": 2}
    assert said_before(run, ("01", 1), store) == {}


def test_an_original_that_was_deleted_is_told_before_anything_begins(store: Repository) -> None:
    run = stored(store, *THREE)
    onward = continuation(run, 4, store, LATER)
    check(run, store)
    check(onward, store)
    store.delete_run(run.id)
    with pytest.raises(StoreError, match="is not stored any more"):
        check(onward, store)


LOGS = Imported(form="jsonl", source="x")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"agent": "profiler", "model": None}, "only the agent react has a conversation"),
        ({"model": ModelSpec(provider="replay", name="r0")}, "it replays run r0"),
        ({"imported": LOGS}, "its agent is none of ours"),
        (
            {"imported": Imported(form=BUNDLE, source="x", before=LOGS)},
            "its agent is none of ours",
        ),
        (
            {"imported": Imported(form=BUNDLE, source="x")},
            "came in a bundle, which does not tell where its model was asked; go on from it in the home"
            " that explored it, with .*ddr stopping .* --after-finish 4, and have both runs sent in one",
        ),
    ],
)
def test_what_cannot_be_asked_to_go_on_is_refused(
    store: Repository, changes: dict[str, Any], why: str
) -> None:
    run = stored(store, *THREE, **changes)
    with pytest.raises(UsageError, match=why):
        continuation(run, 4, store, LATER)


def test_what_goes_on_is_not_gone_on_from(store: Repository) -> None:
    run = stored(store, *THREE)
    onward = continuation(run, 4, store, LATER)
    with pytest.raises(UsageError, match=f"it goes on from run {run.id} itself"):
        continuation(onward, 4, store, LATER)


@pytest.mark.parametrize(
    ("ends", "options", "why"),
    [
        ((("01", 1, StopReason.MAX_TURNS),), {}, "none of its trajectories has ended by itself"),
        (THREE, {"insights": False}, "has no message-wise insights"),
        (THREE, {"preamble": False}, "does not hold what its agent was sent"),
    ],
)
def test_what_would_have_no_worth_is_refused_with_the_reason(
    store: Repository, ends: tuple[Any, ...], options: dict[str, bool], why: str
) -> None:
    run = stored(store, *ends, **options)
    with pytest.raises(UsageError, match=why):
        continuation(run, 4, store, LATER)


def test_an_estimate_grows_each_request_as_the_original_grew(store: Repository) -> None:
    run = stored(store, ("01", 1, FINISHED))
    found = estimate_after_finish(run, 3, store, None)
    # 100 tokens, then 160: 60 more for each turn.
    assert found["agent"].input_tokens == 220 + 280 + 340
    assert (found["agent"].calls, found["agent"].output_tokens) == (3, 0)
    assert (found["agent"].basis, found["agent"].from_calls) == ("measured", 2)
    assert (found["insight"].calls, found["insight"].basis) == (3, "assumed")


def test_where_no_tokens_were_told_an_estimate_goes_by_characters(store: Repository) -> None:
    run = spec(agent="react", model=MODEL, entity_ids=("01",))
    store.add_run(run)
    sent = Preamble(system_prompt="x" * 400, start_prompt="y" * 400)
    mine = store.start_trajectory(draft(run, preamble=sent))
    told = turn(1, tokens=1, result="z" * 4000)
    assert told.call is not None
    silent = told.call.model_copy(
        update={"usage": told.call.usage.model_copy(update={"input_tokens": None})}
    )
    store.add_turn(mine.id, told.model_copy(update={"call": silent}))
    store.end_trajectory(mine.id, FINISHED, ended_at=START)
    found = estimate_after_finish(run, 1, store, None)
    # Some 800 characters before the turn and 4,800 behind it, in tokens of four; the next grows as much.
    assert 2200 < found["agent"].input_tokens < 2600


def test_nudges_are_replies_that_a_script_has_given_too(store: Repository) -> None:
    run = stored(store, ("01", 1, None))
    (open_,) = store.trajectories(run.id)
    call = open_.turns[0].call
    assert call is not None
    store.add_nudge(open_.id, Nudge(after_turn=2, text="hm", call=call))
    store.end_trajectory(open_.id, FINISHED, ended_at=START)
    onward = continuation(run, 4, store, LATER)
    assert said_before(onward, ("01", 1), store)["agent"] == 3


def test_the_original_is_the_same_after_it_was_gone_on_from(store: Repository) -> None:
    run = stored(store, *THREE)
    before: list[Trajectory] = store.trajectories(run.id)
    store.add_run(continuation(run, 4, store, LATER))
    assert store.trajectories(run.id) == before
