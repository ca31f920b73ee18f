"""The book of an outside agent's calls: numbered, counted as turns, held to the limits, answered once."""

from __future__ import annotations

import sqlite3
import threading
from typing import Any

import pytest

from core.errors import EndedError
from core.outside import UNANSWERED, Caller, OutsideCall
from core.run import Limits
from core.trajectory import RUN_LIMIT, Client, StopReason
from server.store import Repository, open_store
from server.store.callbook import (
    ENDED,
    MOST_BESIDE,
    MOST_CALLS,
    MOST_LAST,
    Begun,
)
from server.store.seats import Seats
from tests.server.store.outside import PATH, Book, result
from tests.server.support import START, spec

CLIENT = Client(name="codex", version="0.171.0")


def kinds(*begun: Begun) -> list[str | None]:
    return [None if each.refusal is None else each.refusal[0] for each in begun]


# Turns


def test_calls_are_numbered_from_one_and_exploring_ones_are_turns(store: Repository) -> None:
    book = Book(store)
    names = ("get_task", "execute_query", "submit_insight", "execute_code", "execute_query")
    begun = [book.call(name) for name in names]
    assert [each.call.position for each in begun] == [1, 2, 3, 4, 5]
    assert [each.call.turn for each in begun] == [None, 1, None, 2, 3]
    assert [each.turn for each in begun] == [0, 1, 1, 2, 3]
    assert len(store.heads(spec().id)) == 1
    assert [turn.index for turn in store.trajectory(book.trajectory_id).turns] == [1, 2, 3]
    assert store.turns_stored(spec().id) == 3


def test_calls_that_overlap_share_a_turn_as_long_as_one_of_them_goes_on(store: Repository) -> None:
    book = Book(store)
    first, second = book.begin(), book.begin()
    book.end(first)
    third = book.begin()
    book.end(second)
    book.end(third)
    after = book.call()
    assert [each.turn for each in (first, second, third, after)] == [1, 1, 1, 2]
    assert [len(turn.tool_calls) for turn in store.trajectory(book.trajectory_id).turns] == [3, 1]


def test_a_call_beside_that_goes_on_makes_no_two_turns_one(store: Repository) -> None:
    book = Book(store)
    beside = book.begin("get_task")
    assert [book.call().turn, book.call().turn] == [1, 2]
    book.end(beside)


def test_an_answer_is_kept_as_it_is_given_and_only_once(store: Repository) -> None:
    book = Book(store)
    begun = book.begin(arguments='{"query": "SELECT \'é\\u0000\'"}')
    assert store.trajectory(book.trajectory_id).turns[0].tool_results[0].error_kind == UNANSWERED
    text = '{"turn":1,"rows":[["\u2028 Zürich"]]}'
    book.end(begun, text)
    book.end(begun, "another")
    (call,) = book.calls.calls(book.trajectory_id)
    assert call.result == result(begun, text)
    assert call.arguments == '{"query": "SELECT \'é\\u0000\'"}'


def test_what_is_known_of_the_caller_is_kept_with_each_call(store: Repository) -> None:
    book = Book(store)
    caller = Caller(client=CLIENT, request_id="17", meta={"callId": "c1", "deep": {"a": [1]}})
    book.call(caller=caller)
    (call,) = book.calls.calls(book.trajectory_id)
    assert call.caller == caller
    assert store.head(book.trajectory_id).client == CLIENT


def test_the_client_of_a_queue_is_the_next_trajectorys_too(store: Repository) -> None:
    book = Book(store, ("01", 1), ("02", 1))
    book.call(caller=Caller(client=CLIENT))
    store.end_trajectory(book.trajectory_id, StopReason.FINISHED, ended_at=START)
    book.call("get_task")
    assert store.head(book.trajectory_id).entity_id == "02"
    assert store.head(book.trajectory_id).client == CLIENT


# Limits


def test_past_max_turns_calls_are_refused_and_make_no_turn(store: Repository) -> None:
    book = Book(store, limits=Limits(max_turns=2))
    begun = [book.call() for _ in range(4)]
    assert kinds(*begun) == [None, None, RUN_LIMIT, RUN_LIMIT]
    assert [each.call.turn for each in begun] == [1, 2, None, None]
    assert [each.turn for each in begun] == [1, 2, 2, 2]
    assert kinds(book.call("get_task"), book.call("submit_insight")) == [None, None]
    assert book.calls.met_limit(book.trajectory_id)
    assert book.calls.turns(book.trajectory_id) == 2


def test_a_call_that_overlaps_the_last_turn_is_part_of_it(store: Repository) -> None:
    book = Book(store, limits=Limits(max_turns=1))
    under_way = book.begin()
    assert book.call().turn == 1
    book.end(under_way)
    assert kinds(book.call()) == [RUN_LIMIT]


def test_past_max_seconds_tools_are_refused_and_the_rest_is_not(store: Repository) -> None:
    book = Book(store, limits=Limits(max_seconds=60))
    assert kinds(book.call(), book.call(after_s=58), book.call(after_s=2)) == [
        None,
        None,
        RUN_LIMIT,
    ]
    assert kinds(book.call("submit_insight"), book.call("finish")) == [None, None]


def test_one_call_too_many_at_once_is_refused_until_one_ends(store: Repository) -> None:
    book = Book(store, calls_at_once=2)
    first, second, third = book.begin(), book.begin("get_task"), book.begin()
    assert kinds(first, second, third) == [None, None, "busy"]
    book.end(third)
    book.end(second)
    assert kinds(book.call()) == [None]


def test_the_calls_of_a_second_are_counted_and_one_more_is_refused(store: Repository) -> None:
    book = Book(store, calls_per_s=3)
    begun = [book.call(after_s=0.1) for _ in range(4)]
    assert kinds(*begun) == [None, None, None, "rate"]
    assert kinds(book.call(after_s=1.0)) == [None]


def test_a_clock_that_was_set_back_locks_nobody_out(store: Repository) -> None:
    book = Book(store, calls_per_s=3)
    for _ in range(3):
        book.call()
    assert kinds(book.call(after_s=-3600)) == [None]


def fill(store: Repository, trajectory_id: str, positions: range, *, turn: bool) -> None:
    """Calls that were made and answered, straight into the table."""
    one = OutsideCall(position=1, turn=1, name="x", arguments="{}", started_at=START)
    body = one.model_dump_json()
    connection = sqlite3.connect(store.path)
    with connection:
        connection.executemany(
            "INSERT INTO calls VALUES (?, ?, ?, NULL, 0, ?)",
            ((trajectory_id, at, at if turn else None, body) for at in positions),
        )
    connection.close()


def test_past_the_most_calls_one_more_is_refused_and_counted_and_the_end_can_be_told(
    store: Repository,
) -> None:
    book = Book(store)
    book.call()
    fill(store, book.trajectory_id, range(MOST_CALLS, MOST_CALLS + 1), turn=True)
    begun = [book.call(), book.call("submit_insight"), book.call()]
    assert kinds(*begun) == [RUN_LIMIT] * 3
    assert not any(each.is_kept for each in begun)
    assert begun[0].turn == MOST_CALLS
    (contact,) = Seats(store).contacts(PATH)
    assert (contact.method, contact.count) == ("tools/call", 3)
    assert kinds(book.call("finish")) == [None]
    assert len(book.calls.calls(book.trajectory_id)) == 3


def test_past_the_most_calls_beside_exploring_goes_on_and_the_end_can_be_told(
    store: Repository,
) -> None:
    book = Book(store)
    book.call()
    fill(store, book.trajectory_id, range(2, MOST_BESIDE + 2), turn=False)
    assert kinds(book.call("submit_insight"), book.call("get_task")) == [RUN_LIMIT, RUN_LIMIT]
    assert kinds(book.call(), book.call("finish")) == [None, None]


def test_past_the_most_bytes_nothing_is_kept_but_the_end_and_the_next_begins_with_none(
    store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.store.callbook.MOST_BYTES", 50_000)
    book = Book(store, ("01", 1), ("02", 1))
    long = "é" * 5_000
    begun: list[Begun] = []
    while not begun or begun[-1].refusal is None:
        begun.append(book.begin(arguments=long))
        book.end(begun[-1], long)
        assert len(begun) < 10
    # Each takes 20,000 bytes and a little more; the latest answer is counted with the next call.
    assert [each.is_kept for each in begun] == [True, True, True, True, False]
    assert kinds(book.call("submit_insight"), book.call("finish")) == [RUN_LIMIT, None]
    store.end_trajectory(book.trajectory_id, StopReason.FINISHED, ended_at=START)
    assert kinds(book.call("get_task"), book.call()) == [None, None]


def test_attempts_at_the_end_have_an_end_too(store: Repository) -> None:
    book = Book(store)
    book.call()
    fill(store, book.trajectory_id, range(2, MOST_BESIDE + MOST_LAST + 1), turn=False)
    assert kinds(book.call("finish"), book.call("finish")) == [None, RUN_LIMIT]


# Ends


def test_after_the_end_everything_is_refused_and_still_written_down(store: Repository) -> None:
    book = Book(store)
    book.call()
    store.end_trajectory(book.trajectory_id, StopReason.FINISHED, ended_at=START)
    names = ("execute_query", "get_task", "submit_insight", "finish")
    begun = [book.call(name) for name in names]
    assert kinds(*begun) == [ENDED] * 4
    assert {each.stop_reason for each in begun} == {StopReason.FINISHED}
    kept = book.calls.calls(book.trajectory_id)
    assert [call.name for call in kept[1:]] == list(names)
    assert {call.result.error_kind for call in kept[1:] if call.result} == {ENDED}
    assert len(store.trajectory(book.trajectory_id).turns) == 1


def test_the_next_of_a_queue_comes_by_get_task_alone(store: Repository) -> None:
    book = Book(store, ("01", 1), ("02", 1))
    book.call()
    first = book.trajectory_id
    store.end_trajectory(first, StopReason.FINISHED, ended_at=START)
    refused = [book.call("execute_query"), book.call("finish"), book.call("submit_insight")]
    assert kinds(*refused) == [ENDED] * 3
    assert all("get_task" in each.refusal[1] for each in refused if each.refusal)
    next_one = book.call("get_task")
    assert (next_one.key, next_one.turn) == (("02", 1), 0)
    assert next_one.trajectory_id != first
    assert next_one.call.position == 1
    assert book.call().turn == 1
    store.end_trajectory(book.trajectory_id, StopReason.FINISHED, ended_at=START)
    assert kinds(book.call("get_task")) == [ENDED]
    assert len(book.calls.calls(first)) == 4


def test_a_seat_that_was_taken_back_refuses_and_writes_down_what_comes(store: Repository) -> None:
    book = Book(store, ("01", 1), ("02", 1))
    book.call()
    Seats(store).close(spec().id)
    store.end_trajectory(book.trajectory_id, StopReason.ABANDONED, ended_at=START)
    begun = [book.call(), book.call("get_task")]
    assert kinds(*begun) == [ENDED, ENDED]
    assert all("taken back" in each.refusal[1] for each in begun if each.refusal)
    assert len(book.calls.calls(book.trajectory_id)) == 3


def test_a_seat_that_was_taken_back_before_anybody_came_begins_nothing(store: Repository) -> None:
    book = Book(store)
    Seats(store).close(spec().id)
    with pytest.raises(EndedError, match="taken back"):
        book.begin()
    assert store.heads(spec().id) == []


def test_a_path_that_nobody_was_given_begins_nothing(store: Repository) -> None:
    book = Book(store)
    store.delete_run(spec().id)
    with pytest.raises(EndedError):
        book.begin()


# Workers


def test_a_dead_workers_call_holds_nobody_up_and_shares_no_turn(store: Repository) -> None:
    book = Book(store, calls_at_once=1, dead=("gone",))
    lost = book.begin(worker="gone")
    begun = [book.call(), book.call()]
    assert kinds(*begun) == [None, None]
    assert [lost.turn, *(each.turn for each in begun)] == [1, 2, 3]
    first, second, _ = store.trajectory(book.trajectory_id).turns
    assert first.tool_results[0].error_kind == UNANSWERED
    assert second.tool_results[0].error_kind is None


def test_another_workers_call_counts_as_ones_own_does(store: Repository) -> None:
    book = Book(store, calls_at_once=2)
    book.begin(worker="other")
    assert book.begin().turn == 1
    assert kinds(book.call()) == ["busy"]


def test_python_was_used_where_a_call_of_it_was_carried_out(store: Repository) -> None:
    book = Book(store, limits=Limits(max_turns=2))

    def used() -> bool:
        return book.calls.made(book.trajectory_id, "execute_code", without="me")

    book.call("execute_query")
    assert not used()
    mine = book.begin("execute_code")
    assert not used()  # it is the very call that asks
    book.end(mine)
    assert used()


def test_python_that_was_refused_or_is_another_workers_is_told_apart(store: Repository) -> None:
    book = Book(store, limits=Limits(max_turns=1))
    under_way = book.begin("execute_code", worker="other")
    assert book.calls.made(book.trajectory_id, "execute_code", without="me")
    book.end(under_way)
    assert book.calls.made(book.trajectory_id, "execute_code", without="other")


def test_refused_python_used_nothing(store: Repository) -> None:
    book = Book(store, limits=Limits(max_turns=1))
    book.call()
    assert kinds(book.call("execute_code")) == [RUN_LIMIT]
    assert not book.calls.made(book.trajectory_id, "execute_code", without="me")


def test_workers_that_begin_at_once_get_numbers_of_their_own(store: Repository) -> None:
    """Four workers on one store file, each with 25 calls, one of which begins the trajectory."""
    Book(store, calls_per_s=1000)
    gate = threading.Barrier(4)
    begun: list[Begun] = []
    failed: list[Exception] = []

    def work(name: str) -> None:
        try:
            with open_store(store.path) as mine:
                book = Book(mine, worker=name, is_new=False, calls_per_s=1000)
                gate.wait()
                begun.extend(book.call() for _ in range(25))
        except Exception as exc:  # noqa: BLE001 - told below
            failed.append(exc)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(each.call.position for each in begun) == list(range(1, 101))
    (head,) = store.heads(spec().id)
    turns = store.trajectory(head.id).turns
    assert [turn.index for turn in turns] == list(range(1, len(turns) + 1))
    assert sum(len(turn.tool_calls) for turn in turns) == 100
    assert sorted({each.turn for each in begun}) == [turn.index for turn in turns]


def test_a_run_that_is_forgotten_takes_its_seats_calls_and_contacts_along(
    store: Repository,
) -> None:
    book = Book(store)
    book.call()
    Seats(store).hear(PATH, "tools/list", CLIENT, START, book.rules.draft)
    store.delete_run(spec().id)
    connection = sqlite3.connect(store.path)
    counted: dict[str, Any] = {
        table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("runs", "trajectories", "seats", "calls", "contacts")
    }
    connection.close()
    assert set(counted.values()) == {0}
