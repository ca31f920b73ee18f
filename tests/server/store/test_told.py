"""What a run told comes without its turns, and is otherwise what the store reads whole."""

from __future__ import annotations

from core.trajectory import StopReason
from server.store import Repository
from server.store.told import told
from tests.server.support import START, draft, insight, spec, turn

RUN = spec()


def _explored(store: Repository, entity: str, insights: int, **more: int) -> str:
    kept = store.start_trajectory(draft(RUN, entity, **more))
    store.add_turn(kept.id, turn(1))
    for number in range(1, insights + 1):
        store.add_insight(insight(kept.id, number, f"Fact {number} of {entity}."))
    return kept.id


def test_it_is_what_is_stored_but_for_the_turns(store: Repository) -> None:
    store.add_run(RUN)
    for entity, insights in (("01", 12), ("02", 0)):
        own = _explored(store, entity, insights)
        store.end_trajectory(own, StopReason.FINISHED, ended_at=START)
    found = told(store, RUN.id)
    assert all(each.turns == () for each in found)
    assert found == [each.model_copy(update={"turns": ()}) for each in store.trajectories(RUN.id)]
    assert [len(each.insights) for each in found] == [12, 0]


def test_an_attempt_that_was_replaced_tells_nothing(store: Repository) -> None:
    store.add_run(RUN)
    first = _explored(store, "01", 3)
    store.end_trajectory(first, StopReason.CANCELLED, ended_at=START)
    second = _explored(store, "01", 1)
    (found,) = told(store, RUN.id)
    assert found.id == second
    assert [each.text for each in found.insights] == ["Fact 1 of 01."]


def test_a_run_without_trajectories_and_another_runs_tell_nothing(store: Repository) -> None:
    store.add_run(RUN)
    other = spec("20260131-small-cd34")
    store.add_run(other)
    _explored(store, "01", 2)
    assert told(store, other.id) == []
