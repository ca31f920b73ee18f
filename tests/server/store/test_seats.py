"""What agents from outside were given, how far they are, and what else was heard of them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.errors import StoreError
from core.trajectory import Client, Preamble, StopReason, Usage
from server.store import Repository
from server.store.seats import CANCEL_S, MOST_CONTACTS, Seats
from tests.server.store.outside import PATH, Book, begin, seat
from tests.server.support import START, spec

CLIENT = Client(name="codex", version="0.171.0", protocol="2025-06-18")
OTHER = Client(name="gemini", version="0.61.0")


@pytest.fixture
def seats(store: Repository) -> Seats:
    """Of the small run, with none given out yet."""
    store.add_run(spec())
    return Seats(store)


def hear(seats: Seats, method: str = "initialize", after_s: float = 0, path: str = PATH) -> None:
    seats.hear(path, method, CLIENT, START + timedelta(seconds=after_s), begin)


def test_seats_are_found_by_path_and_by_run_in_the_order_in_which_they_were_given(
    seats: Seats,
) -> None:
    first, second = seat(path="b"), seat(("02", 1), ("01", 1), path="a")
    seats.add([first])
    seats.add([second])
    assert [state.seat for state in seats.of_run(spec().id)] == [first, second]
    state = seats.at("a")
    assert state is not None
    assert (state.seat, state.key, state.trajectory_id) == (second, ("02", 1), None)
    assert (state.heard_at, state.is_closed) == (None, False)
    assert seats.at("c") is None


def test_no_path_is_given_out_twice(seats: Seats) -> None:
    seats.add([seat()])
    with pytest.raises(StoreError, match="stored already"):
        seats.add([seat(path="new"), seat()])
    assert [state.seat.path for state in seats.of_run(spec().id)] == [PATH]


def test_the_first_message_begins_the_trajectory_and_the_others_are_counted(
    seats: Seats, store: Repository
) -> None:
    seats.add([seat()])
    hear(seats, "initialize", 1)
    hear(seats, "tools/list", 2)
    hear(seats, "tools/list", 5)
    (head,) = store.heads(spec().id)
    state = seats.at(PATH)
    assert state is not None
    assert (state.trajectory_id, head.client, head.entity_id) == (head.id, CLIENT, "01")
    assert state.heard_at == START + timedelta(seconds=5)
    first, second = seats.contacts(PATH)
    assert (first.method, first.count, first.client) == ("initialize", 1, CLIENT)
    assert (second.method, second.count) == ("tools/list", 2)
    assert second.first_at == START + timedelta(seconds=2)
    assert second.last_at == START + timedelta(seconds=5)


def test_the_first_client_that_says_its_name_is_the_trajectorys(
    seats: Seats, store: Repository
) -> None:
    seats.add([seat()])
    for client in (None, CLIENT, OTHER):
        seats.hear(PATH, "ping", client, START, begin)
    assert store.heads(spec().id)[0].client == CLIENT
    assert {contact.client for contact in seats.contacts(PATH)} == {None, CLIENT, OTHER}


def test_a_call_is_a_message_too(store: Repository) -> None:
    book = Book(store)
    seats = Seats(store)
    hear(seats)
    book.call(after_s=100)
    state = seats.at(PATH)
    assert state is not None
    assert state.heard_at == START + timedelta(seconds=100.5)  # as its answer was there
    assert state.asked_at is None
    assert seats.in_use()[0].heard_at == state.heard_at
    hear(seats, after_s=200)
    (state,) = seats.of_run(spec().id)
    assert state.heard_at == START + timedelta(seconds=200)


def test_a_call_that_has_no_answer_yet_is_told_by_when_it_began(store: Repository) -> None:
    book = Book(store)
    first, second = book.begin(), book.begin()
    (state,) = Seats(store).in_use()
    assert state.asked_at == state.heard_at == START + timedelta(seconds=2)
    book.end(second)
    (state,) = Seats(store).in_use()
    assert state.asked_at == START + timedelta(seconds=1)
    book.end(first)
    (state,) = Seats(store).in_use()
    assert state.asked_at is None


def test_past_the_most_kinds_of_messages_the_rest_are_others(seats: Seats) -> None:
    seats.add([seat()])
    for number in range(MOST_CONTACTS + 7):
        hear(seats, f"made/up{number}", number)
    contacts = seats.contacts(PATH)
    assert len(contacts) == MOST_CONTACTS + 1
    assert [(each.method, each.count) for each in contacts if each.client is None] == [("other", 7)]


def test_what_is_heard_is_told_by_the_key_that_was_explored(store: Repository) -> None:
    book = Book(store, ("01", 1), ("02", 1))
    seats = Seats(store)
    hear(seats)
    store.end_trajectory(book.trajectory_id, StopReason.FINISHED, ended_at=START)
    book.call("get_task")
    hear(seats, "tools/list")
    assert [each.method for each in seats.contacts(PATH, place=0)] == ["initialize"]
    assert [each.method for each in seats.contacts(PATH, place=1)] == ["tools/list"]
    assert len(seats.contacts(PATH)) == 2


def test_a_seat_that_was_taken_back_hears_nothing(seats: Seats, store: Repository) -> None:
    seats.add([seat(), seat(("02", 1), path="other")])
    seats.close(spec().id, paths=[PATH])
    hear(seats)
    hear(seats, path="other")
    assert [state.is_closed for state in seats.of_run(spec().id)] == [True, False]
    assert [head.entity_id for head in store.heads(spec().id)] == ["02"]
    assert seats.contacts(PATH) == []
    seats.close(spec().id)
    assert all(state.is_closed for state in seats.of_run(spec().id))


def test_in_use_is_what_was_met_and_has_not_ended(seats: Seats, store: Repository) -> None:
    paths = ("never", "ended", "closed", "open")
    seats.add([seat(("01", n), path=path) for n, path in enumerate(paths, 1)])
    for path in paths[1:]:
        hear(seats, path=path)
    ended = seats.at("ended")
    assert ended is not None
    assert ended.trajectory_id is not None
    store.end_trajectory(ended.trajectory_id, StopReason.FINISHED, ended_at=START)
    seats.close(spec().id, paths=["closed"])
    assert [state.seat.path for state in seats.in_use()] == ["open"]


def test_what_became_known_is_kept_and_checked(seats: Seats, store: Repository) -> None:
    seats.add([seat()])
    hear(seats)
    (head,) = store.heads(spec().id)
    preamble, usage = Preamble(start_prompt="Explore."), Usage(input_tokens=5)
    seats.amend(head.id, reported_agent="x 1", reported_usage=usage)
    seats.amend(head.id, preamble=preamble)
    kept = store.head(head.id)
    assert (kept.reported_agent, kept.reported_usage, kept.preamble) == ("x 1", usage, preamble)
    with pytest.raises(StoreError, match="no trajectory"):
        seats.amend("nobody's", reported_agent="x")
    with pytest.raises(ValueError, match="reported_agent"):
        seats.amend(head.id, reported_agent=5)
    assert store.head(head.id) == kept


def test_a_cancel_notice_is_found_by_its_time_and_forgotten_after_a_minute(seats: Seats) -> None:
    seats.cancel("p", "1", START)
    seats.cancel("p", "2", START + timedelta(seconds=10))
    assert seats.cancelled(START + timedelta(seconds=5)) == [
        ("p", "2", START + timedelta(seconds=10))
    ]
    seats.cancel("p", "1", START + timedelta(seconds=20))
    assert {each[1] for each in seats.cancelled(START + timedelta(seconds=5))} == {"1", "2"}
    seats.cancel("q", "1", START + timedelta(seconds=CANCEL_S + 15))
    assert {each[:2] for each in seats.cancelled(START)} == {("p", "1"), ("q", "1")}
