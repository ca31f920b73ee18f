"""A booth: which pairs one person is offered, in which order, and how a form names a pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from core.run import RunSpec
from core.trajectory import StopReason
from server.ballots import Booth
from server.runner import utc_now
from server.standings_summary import Summary
from server.store import Repository
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict

ENTITIES = tuple(f"{k:02}" for k in range(12))


def explored(
    store: Repository, number: int, who: str, *, silent: tuple[str, ...] = (), **ruling: str
) -> tuple[RunSpec, Summary]:
    """A run in which each trajectory has one used insight and one novel one."""
    run = spec(f"20260131-small-r{number}", entity_ids=ENTITIES)
    store.add_run(run)
    own = f"{run.id}.e1"
    store.add_evaluation(evaluation(run, own))
    said = []
    for entity in ENTITIES:
        mine = store.start_trajectory(draft(run, entity))
        for index in (1, 2):
            store.add_turn(mine.id, turn(index))
            text = f"{who} of {entity} no. {index}"
            store.add_insight(insight(mine.id, index, None if entity in silent else text))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
        said.append(verdict(mine.id, "q1", evaluation_id=own, supporting_turns=(1,)))
    store.add_verdicts(said)
    values: Mapping[str, Any] = {
        "run_id": run.id,
        "competitor": who,
        "scenario_id": "small",
        "evaluation_id": own,
        "created_at": START,
        "ruling": ruling,
    }
    return run, Summary.model_validate(values)


@pytest.fixture
def runs(store: Repository) -> list[tuple[RunSpec, Summary]]:
    return [explored(store, 1, "alpha"), explored(store, 2, "beta")]


def all_of(booth: Booth, store: Repository, person: str, runs: Any) -> list[tuple[str, str]]:
    """(entity, side shown first) of every pair, voting a tie on each."""
    found: list[tuple[str, str]] = []
    while (ballot := booth.next()) is not None:
        assert booth.vote(ballot, "tie", "", utc_now())
        found.append((ballot.cell.entity, ballot.shown_first))
        booth = Booth(store, "small", person, runs)
    return found


def test_each_person_has_an_order_of_their_own_and_meets_everything(
    store: Repository, runs: Any
) -> None:
    orders = [all_of(Booth(store, "small", who, runs), store, who, runs) for who in ("ann", "bob")]
    for order in orders:
        assert sorted(entity for entity, _ in order) == list(ENTITIES)
    assert [e for e, _ in orders[0]] != [e for e, _ in orders[1]]
    sides = Counter(side for order in orders for _, side in order)
    assert min(sides["left"], sides["right"]) >= 5


def test_the_next_pair_stays_the_same_until_it_is_voted_on(store: Repository, runs: Any) -> None:
    seen = {Booth(store, "small", "ann", runs).next() for _ in range(3)}
    assert len(seen) == 1


def test_a_set_holds_what_no_item_used_and_names_nobody(store: Repository, runs: Any) -> None:
    ballot = Booth(store, "small", "ann", runs).next()
    assert ballot is not None
    entity = ballot.cell.entity
    assert ballot.left == (f"alpha of {entity} no. 2",)
    assert {ballot.first, ballot.second} == {ballot.left, ballot.right}


def test_pairs_in_which_one_is_silent_are_passed_over(store: Repository) -> None:
    runs = [explored(store, 1, "alpha", silent=ENTITIES[1:]), explored(store, 2, "beta")]
    assert [e for e, _ in all_of(Booth(store, "small", "ann", runs), store, "ann", runs)] == ["00"]


def test_runs_that_rest_on_other_things_never_meet(store: Repository) -> None:
    runs = [explored(store, 1, "alpha", data="a"), explored(store, 2, "beta", data="b")]
    assert Booth(store, "small", "ann", runs).next() is None


def test_runs_of_one_competitor_meet_last(store: Repository) -> None:
    runs = [explored(store, 1, "alpha"), explored(store, 2, "alpha"), explored(store, 3, "beta")]
    found = all_of(Booth(store, "small", "ann", runs), store, "ann", runs)
    # The novel texts of the two alphas are the same, so that nobody has to choose between them.
    assert len(found) == 2 * len(ENTITIES)


def test_a_seal_depends_on_the_person_the_key_and_the_pair(store: Repository, runs: Any) -> None:
    ann, bob = (Booth(store, "small", who, runs) for who in ("ann", "bob"))
    first = ann.next()
    assert first is not None
    cells = [first.cell]
    assert len({ann.seal(c, "k") for c in cells} | {bob.seal(c, "k") for c in cells}) == 2
    assert ann.seal(first.cell, "k") != ann.seal(first.cell, "l")
    assert ann.sealed(ann.seal(first.cell, "k"), "k") == first
    assert ann.sealed(ann.seal(first.cell, "l"), "k") is None
    assert ann.sealed("", "k") is None


@pytest.mark.parametrize("choice", ["first", "second", "tie"])
def test_a_choice_is_turned_back_into_a_side(store: Repository, runs: Any, choice: Any) -> None:
    ballot = Booth(store, "small", "ann", runs).next()
    assert ballot is not None
    winner = ballot.winner(choice)
    if choice == "tie":
        assert winner == "tie"
    else:
        texts = ballot.first if choice == "first" else ballot.second
        assert texts == (ballot.left if winner == "left" else ballot.right)


def test_a_vote_once_given_stands(store: Repository, runs: Any) -> None:
    booth = Booth(store, "small", "ann", runs)
    ballot = booth.next()
    assert ballot is not None
    stale = Booth(store, "small", "ann", runs)
    assert booth.vote(ballot, "first", "x" * 5_000, utc_now())
    # A form that was opened before, sent from another worker that does not know of it yet.
    assert not stale.vote(ballot, "second", "", utc_now())
    (kept,) = Booth(store, "small", "ann", runs).said
    assert kept.winner == ballot.shown_first
    assert len(kept.reason) == 1_000
