"""What is read for curves is what whole trajectories and verdicts say, act by act."""

from __future__ import annotations

import pytest

from analysis.axes import AXES, Course, course, trail
from analysis.growth import Find, finds, growth
from core.trajectory import StopReason, Trajectory, Usage
from server.store import Repository
from server.store.seats import Seats
from server.store.trails import supported, trails
from tests.analysis.courses import ENDS, FINISH, NUDGE, TEN, Took, asked_turn, call
from tests.analysis.courses import ten_turns as whole
from tests.analysis.factory import item
from tests.server.store.outside import Book
from tests.server.support import START, draft, evaluation, spec, verdict


def explored(store: Repository, *, entity: str = "01") -> Trajectory:
    """The ten turns of tests/analysis, as a run stores them, with every kind of call beside."""
    made = whole()
    run = store.run(spec().id)
    mine = store.start_trajectory(draft(run, entity, started_at=made.started_at))
    for turn in made.turns:
        store.add_turn(mine.id, turn)
    for nudge in made.nudges:
        store.add_nudge(mine.id, nudge)
    for number, insight in enumerate(made.insights):
        own = {"trajectory_id": mine.id, "id": f"{mine.id}.{number}"}
        store.add_insight(insight.model_copy(update=own))
    store.add_failed_call(mine.id, call(Took(None, None, 0, 1, None), at_s=55))
    for failed in made.failed_calls:
        store.add_failed_call(mine.id, failed)
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return store.trajectory(mine.id)


def test_every_act_is_the_one_that_the_whole_trajectory_has(store: Repository) -> None:
    store.add_run(spec())
    one = explored(store)
    other = store.start_trajectory(draft(spec(), "02"))
    store.add_turn(other.id, asked_turn(1, TEN[0]))
    found = trails(store, spec().id, AXES)
    assert found == [trail(one), trail(store.trajectory(other.id))]
    assert len(found[0].acts) == 10 + 1 + 1 + 1  # turns, nudge, failed call, finishing message
    assert found[0].acts[4].input_tokens == NUDGE.input_tokens
    assert found[0].acts[-1].input_tokens == FINISH.input_tokens
    assert found[1].stop_reason is None


def test_by_turns_alone_the_same_places_are_read_without_any_body(store: Repository) -> None:
    store.add_run(spec())
    explored(store)
    (quick,) = trails(store, spec().id, ["turn"])
    (slow,) = trails(store, spec().id, AXES)
    found = [Find(quick.id, f"i{n}", turn) for n, turn in enumerate((2, 5, 5, 9))]
    items = [item(f"i{n}") for n in range(5)]
    by_few, by_all = (growth(items, [each], found, "turn") for each in (quick, slow))
    assert by_few == by_all
    assert by_few.last == ENDS["turn"]


def test_a_run_without_trajectories_has_none_and_other_runs_are_not_read(store: Repository) -> None:
    store.add_run(spec())
    store.add_run(spec("20260131-small-zz99"))
    explored(store)
    assert trails(store, "20260131-small-zz99", AXES) == []
    assert len(trails(store, spec().id, AXES)) == 1


def test_calls_from_outside_are_the_turns_that_they_make(store: Repository) -> None:
    book = Book(store)
    book.call()
    overlapping = [book.begin(after_s=0.1), book.begin(after_s=0.1)]
    for each in overlapping:
        book.end(each)
    book.call("submit_insight")
    book.begin()  # nobody answers it
    use = Usage(input_tokens=70, output_tokens=3, cost_usd=0.5)
    Seats(store).amend(book.trajectory_id, reported_usage=use)
    expected = trail(store.trajectory(book.trajectory_id))
    (found,) = trails(store, spec().id, AXES)
    assert [done.tool_calls for done in found.acts] == [1, 2, 1]
    for mine, theirs in zip(found.acts, expected.acts, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-5)
    assert found.reported == expected.reported == use
    told = course(found, "billed_tokens")
    assert isinstance(told, Course)
    assert (told.source, told.places) == ("reported", {1: 73, 2: 73, 3: 73})
    (by_turns,) = trails(store, spec().id, ["turn"])
    assert growth([], [by_turns], [], "turn") == growth([], [expected], [], "turn")
    assert getattr(course(by_turns, "turn"), "end", None) == 3


def test_the_finds_are_those_of_the_verdicts(store: Repository) -> None:
    store.add_run(spec())
    mine = store.start_trajectory(draft(spec()))
    store.add_evaluation(evaluation(spec()))
    said = [
        verdict(mine.id, "q1"),
        verdict(mine.id, "q2", supporting_turns=()),
        verdict(mine.id, "q3", label="contradicted"),
        verdict(mine.id, "q4", label=None, unscored_reason="unreadable"),
        verdict(mine.id, "q5", level="trajectory", supporting_turns=()),
    ]
    store.add_verdicts(said)
    assert (
        supported(store, "e1") == finds(said) == [Find(mine.id, "q1", 1), Find(mine.id, "q2", None)]
    )
    assert supported(store, "e1", dating="last")[0].turn == 2
    assert supported(store, "e1", level="trajectory") == [Find(mine.id, "q5", None)]
    assert supported(store, "e2") == []
