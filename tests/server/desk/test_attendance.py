"""Who went silent has abandoned it, whose time is over is ended, and who never came had no contact."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from core.outside import Key, Outside
from core.run import Limits
from core.trajectory import Client, StopReason, Trajectory
from server.attendance import CALL_S, LAST_WORD_S, close_run, end_silent
from server.revision import code_revision
from server.store import Repository
from server.store.seats import Seats
from server.store.tables import RunRow
from tests.server.store.outside import PATH, Book, begin, seat
from tests.server.support import START, spec


def later(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def book(store: Repository, *keys: Any, idle_s: float = 100, **limits: Any) -> Book:
    """The small run with a seat; calls come a second after each other."""
    made = Book(store, *keys, limits=Limits(**limits), idle_s=idle_s)
    run = spec(limits=made.rules.limits, outside=made.rules.outside)
    store.amend_run(run)
    return made


def reasons(store: Repository) -> list[tuple[str, StopReason | None]]:
    return [(head.entity_id, head.stop_reason) for head in store.heads(spec().id)]


# Silence


def test_whoever_says_nothing_for_long_has_abandoned_it(store: Repository) -> None:
    mine = book(store)
    mine.call()  # answered after 1.5 s
    assert end_silent(store, later(101.5)) == 0
    assert end_silent(store, later(102)) == 1
    assert reasons(store) == [("01", StopReason.ABANDONED)]
    assert store.head(mine.trajectory_id).ended_at == later(102)
    assert StopReason.ABANDONED.scored
    assert end_silent(store, later(500)) == 0


def test_calls_alone_show_that_somebody_is_there(store: Repository) -> None:
    mine = book(store)
    Seats(store).hear(PATH, "initialize", None, START, begin)
    for _ in range(5):
        mine.call(after_s=90)
        assert end_silent(store, mine.now) == 0
    assert end_silent(store, mine.now + timedelta(seconds=101)) == 1


def test_whoever_waits_for_an_answer_is_not_silent(store: Repository) -> None:
    mine = book(store, idle_s=10)
    under_way = mine.begin()
    assert end_silent(store, later(60)) == 0
    mine.end(under_way)
    assert end_silent(store, later(60)) == 1


def test_whoever_was_cut_off_with_its_worker_and_never_came_back_is_gone(
    store: Repository,
) -> None:
    mine = book(store, idle_s=10)
    mine.begin()
    assert end_silent(store, later(CALL_S)) == 0
    assert end_silent(store, later(CALL_S + 2)) == 1


def test_other_messages_show_it_too(store: Repository) -> None:
    mine = book(store)
    mine.call()
    Seats(store).hear(PATH, "ping", Client(name="x", version="1"), later(90), begin)
    assert end_silent(store, later(150)) == 0
    assert end_silent(store, later(191)) == 1


def test_who_was_not_met_yet_cannot_be_silent(store: Repository) -> None:
    book(store)
    assert end_silent(store, later(10_000)) == 0
    assert reasons(store) == []


def test_an_open_run_of_our_own_is_left_alone(store: Repository) -> None:
    run = spec("20260131-small-own1")
    store.add_run(run)
    store.start_trajectory(begin(("01", 1)).model_copy(update={"run_id": run.id}))
    assert end_silent(store, later(10**7)) == 0


def test_past_its_time_a_trajectory_is_ended_once_the_last_word_could_be_said(
    store: Repository,
) -> None:
    mine = book(store, idle_s=1000, max_seconds=50)
    mine.call()
    assert end_silent(store, later(50 + LAST_WORD_S)) == 0
    mine.call("submit_insight", after_s=50)
    assert end_silent(store, later(51 + LAST_WORD_S)) == 1
    assert reasons(store) == [("01", StopReason.MAX_SECONDS)]


def test_a_limit_of_many_centuries_is_one_like_any_other(store: Repository) -> None:
    mine = book(store, idle_s=100, max_seconds=1e300)
    mine.call()
    assert end_silent(store, later(50)) == 0
    assert end_silent(store, later(102)) == 1
    assert reasons(store) == [("01", StopReason.ABANDONED)]


def test_a_run_that_cannot_be_read_keeps_the_agents_of_no_other_open(store: Repository) -> None:
    broken = spec("20260131-small-brk1", outside=Outside())
    store.add_run(broken)
    Seats(store).add([seat(path="broken").model_copy(update={"run_id": broken.id})])

    def begin_there(key: Key) -> Trajectory:
        return begin(key).model_copy(update={"run_id": broken.id})

    Seats(store).hear("broken", "ping", None, START, begin_there)
    with store.writing() as session:
        session.execute(update(RunRow).filter_by(id=broken.id).values(body="{}"))
    mine = book(store)
    mine.call()
    assert end_silent(store, later(102)) == 1
    assert store.head(mine.trajectory_id).stop_reason is StopReason.ABANDONED


def test_a_queue_whose_agent_left_between_two_is_not_ended_twice(store: Repository) -> None:
    mine = book(store, ("01", 1), ("02", 1))
    mine.call()
    store.end_trajectory(mine.trajectory_id, StopReason.FINISHED, ended_at=START)
    assert end_silent(store, later(500)) == 0
    mine.call("get_task", after_s=500)
    assert end_silent(store, mine.now + timedelta(seconds=101)) == 1
    assert reasons(store) == [("01", StopReason.FINISHED), ("02", StopReason.ABANDONED)]


# Closing


def close(store: Repository, **how: Any) -> None:
    close_run(store.run(spec().id), store, later(60), **how)


def test_who_never_came_had_no_contact_and_is_not_scored(store: Repository) -> None:
    book(store, ("01", 1), ("02", 1))
    close(store)
    assert reasons(store) == [("01", StopReason.NO_CONTACT), ("02", StopReason.NO_CONTACT)]
    assert not StopReason.NO_CONTACT.scored
    kept = store.trajectories(spec().id)
    assert [(each.turns, each.ended_at) for each in kept] == [((), later(60))] * 2
    assert {each.code_revision for each in kept} == {code_revision()}
    assert Seats(store).of_run(spec().id)[0].is_closed


def test_what_is_open_is_abandoned_and_what_is_left_of_its_queue_had_no_contact(
    store: Repository,
) -> None:
    mine = book(store, ("01", 1), ("02", 1), ("03", 1))
    mine.call()
    store.end_trajectory(mine.trajectory_id, StopReason.FINISHED, ended_at=START)
    mine.call("get_task")
    close(store, error="the agent's process ended")
    assert reasons(store) == [
        ("01", StopReason.FINISHED),
        ("02", StopReason.ABANDONED),
        ("03", StopReason.NO_CONTACT),
    ]
    assert [head.error for head in store.heads(spec().id)] == [
        None,
        "the agent's process ended",
        "the agent's process ended",
    ]


def test_what_nobody_came_to_is_the_next_attempt_where_there_were_earlier_ones(
    store: Repository,
) -> None:
    mine = book(store)
    mine.call()
    store.end_trajectory(mine.trajectory_id, StopReason.CANCELLED, ended_at=START)
    Seats(store).close(spec().id)
    Seats(store).add([seat(("01", 1), path="again"), seat(("01", 2), path="more")])
    close(store, error="it never came")
    heads = store.heads(spec().id)
    assert [(head.id, head.attempt, head.stop_reason) for head in heads] == [
        (f"{spec().id}.01.1.1", 1, StopReason.CANCELLED),
        (f"{spec().id}.01.1.2", 2, StopReason.NO_CONTACT),
        (f"{spec().id}.01.2.1", 1, StopReason.NO_CONTACT),
    ]
    assert (heads[1].started_at, heads[1].ended_at) == (later(60), later(60))
    assert heads[1].error == "it never came"


def test_many_seats_are_given_and_taken_back_in_a_few_statements(
    store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever explores waits meanwhile: the store is locked."""
    book(store)
    asked = list[Any]()
    execute = Session.execute

    def counted(self: Session, statement: Any, *args: Any, **how: Any) -> Any:
        asked.append(statement)
        return execute(self, statement, *args, **how)

    with monkeypatch.context() as patch:
        patch.setattr(Session, "execute", counted)
        Seats(store).add([seat(("02", trial), path=f"path-{trial}") for trial in range(1, 301)])
        close(store)
    assert len(asked) < 20
    assert [reason for _, reason in reasons(store)] == [StopReason.NO_CONTACT] * 301


def test_to_close_twice_is_to_close_once(store: Repository) -> None:
    mine = book(store)
    mine.call()
    close(store)
    kept = store.heads(spec().id)
    close(store)
    assert store.heads(spec().id) == kept


def test_the_seats_of_other_keys_stay_open(store: Repository) -> None:
    book(store)
    Seats(store).add([seat(("02", 1), path="other")])
    close(store, keys=frozenset({("02", 1)}), reason=StopReason.CANCELLED)
    assert [state.is_closed for state in Seats(store).of_run(spec().id)] == [False, True]
    assert reasons(store) == [("02", StopReason.NO_CONTACT)]


def test_closing_is_done_whole_or_not_at_all(
    store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = book(store, ("01", 1), ("02", 1))
    mine.call()
    miss = Seats.miss

    def fail_late(self: Seats, missed: Sequence[Trajectory], **how: Any) -> None:
        miss(self, missed, **how)
        raise RuntimeError("killed in the middle")

    with monkeypatch.context() as patch:
        patch.setattr(Seats, "miss", fail_late)
        with pytest.raises(RuntimeError):
            close(store)
    assert reasons(store) == [("01", None)]
    assert not Seats(store).of_run(spec().id)[0].is_closed
    close(store)
    assert reasons(store) == [("01", StopReason.ABANDONED), ("02", StopReason.NO_CONTACT)]
