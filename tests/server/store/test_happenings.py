"""What happened in a run is told once, in order, and from any place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.outside import OutsideCall
from core.trajectory import Insight, StopReason, Trajectory
from server.store import Repository, happenings
from server.store.callbook import Begun
from server.store.happenings import Cursor, Happening, happened
from tests.server.store.outside import Book
from tests.server.support import START, insight, spec

RUN = spec().id


def told(found: list[Happening]) -> list[str]:
    """Each in a word: a call's position and name, an insight's text, an end's reason."""
    words = []
    for each in found:
        match each.record:
            case OutsideCall():
                state = "" if each.record.result else "?"
                words.append(f"{each.record.position} {each.record.name}{state}")
            case Insight():
                words.append(str(each.record.text))
            case Trajectory():
                words.append(str(each.record.stop_reason))
    return words


def mine(store: Repository) -> str:
    (found,) = store.trajectories(RUN)
    return found.id


def called(book: Book, name: str = "execute_query") -> Begun:
    """A call that is answered at once."""
    begun = book.begin(name)
    book.end(begun)
    return begun


# The cursor


@given(
    calls=st.integers(0, 10**18 - 1),
    pending=st.lists(st.integers(0, 10**18 - 1), max_size=8, unique=True).map(tuple),
    insights=st.integers(0, 10**18 - 1),
    ended=st.integers(0, 2**2000),
)
def test_a_cursor_is_read_as_it_was_written(
    calls: int, pending: tuple[int, ...], insights: int, ended: int
) -> None:
    cursor = Cursor(calls, pending, insights, ended)
    assert Cursor.read(str(cursor)) == cursor


@given(text=st.text(max_size=30))
def test_any_other_text_is_none(text: str) -> None:
    try:
        found = Cursor.read(text)
    except ValueError:
        return
    assert Cursor.read(str(found)) == found


@pytest.mark.parametrize(
    "text", ["", "1", "1..2", "1..2.", "1..2.G", "٣..0.0", "1.2-.0.0", "1..2.0\n"]
)
def test_what_looks_like_one_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="no place in a run's events"):
        Cursor.read(text)


# What is told


def test_of_a_run_that_nobody_came_to_there_is_nothing(store: Repository) -> None:
    store.add_run(spec())
    assert happened(store, RUN, Cursor()) == happened(store, "none", Cursor()) == []


def test_calls_insights_and_the_end_are_told_once(store: Repository) -> None:
    book = Book(store)
    called(book, "get_task")
    called(book)
    first = happened(store, RUN, Cursor())
    assert told(first) == ["1 get_task", "2 execute_query"]
    store.add_insight(insight(mine(store), 1, "It is so."))
    called(book)
    store.end_trajectory(mine(store), StopReason.FINISHED, ended_at=START)
    rest = happened(store, RUN, first[-1].after)
    assert told(rest) == ["3 execute_query", "It is so.", "finished"]
    assert happened(store, RUN, rest[-1].after) == []
    assert {(each.entity_id, each.trial) for each in (*first, *rest)} == {("01", 1)}


def test_each_place_has_the_rest_behind_it(store: Repository) -> None:
    book = Book(store)
    for _ in range(3):
        called(book)
    store.add_insight(insight(mine(store), 1, "a"))
    store.add_insight(insight(mine(store), 2, "b"))
    store.end_trajectory(mine(store), StopReason.FINISHED, ended_at=START)
    whole = happened(store, RUN, Cursor())
    assert len(whole) == 6
    for place, each in enumerate(whole, start=1):
        assert happened(store, RUN, Cursor.read(str(each.after))) == whole[place:]


def test_a_call_under_way_is_told_when_it_is_answered_and_holds_up_none(store: Repository) -> None:
    book = Book(store)
    slow = book.begin("execute_query")
    called(book)
    first = happened(store, RUN, Cursor())
    assert told(first) == ["2 execute_query"] and len(first[-1].after.pending) == 1
    assert happened(store, RUN, first[-1].after) == []
    book.end(slow)
    second = happened(store, RUN, first[-1].after)
    assert told(second) == ["1 execute_query"] and second[-1].after.pending == ()


def test_a_call_that_nobody_will_answer_is_told_before_the_end(store: Repository) -> None:
    book = Book(store)
    book.begin("execute_query")
    assert happened(store, RUN, Cursor()) == []
    store.end_trajectory(mine(store), StopReason.ABANDONED, ended_at=START)
    assert told(happened(store, RUN, Cursor())) == ["1 execute_query?", "abandoned"]


def test_what_comes_after_the_end_is_told_no_more(store: Repository) -> None:
    book = Book(store)
    called(book)
    store.end_trajectory(mine(store), StopReason.FINISHED, ended_at=START)
    last = happened(store, RUN, Cursor())[-1].after
    called(book)
    store.add_late_insight(insight(mine(store), 1, "late"))
    assert happened(store, RUN, last) == []


def test_another_trajectory_of_the_run_goes_on_behind_the_end_of_one(store: Repository) -> None:
    book = Book(store, ("01", 1), ("02", 1))
    called(book)
    store.end_trajectory(mine(store), StopReason.FINISHED, ended_at=START)
    last = happened(store, RUN, Cursor())[-1].after
    called(book, "get_task")
    called(book)
    rest = happened(store, RUN, last)
    assert told(rest) == ["1 get_task", "2 execute_query"]
    assert {each.entity_id for each in rest} == {"02"}


def test_so_many_are_told_in_one_look_and_the_end_waits_for_the_last(
    store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(happenings, "MOST", 3)
    book = Book(store)
    for _ in range(7):
        called(book)
    store.end_trajectory(mine(store), StopReason.FINISHED, ended_at=START)
    cursor, looks = Cursor(), []
    while found := happened(store, RUN, cursor):
        looks.append(told(found))
        cursor = found[-1].after
    assert [len(look) for look in looks] == [3, 3, 2] and looks[-1][-1] == "finished"


def test_so_many_calls_are_waited_for_and_the_next_is_told_unanswered(
    store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(happenings, "MOST_PENDING", 2)
    book = Book(store)
    for _ in range(3):
        book.begin("execute_query")
    found = happened(store, RUN, Cursor())
    assert told(found) == ["3 execute_query?"] and len(found[-1].after.pending) == 2


def test_runs_are_told_apart(store: Repository) -> None:
    book = Book(store)
    called(book)
    store.add_run(spec("20260131-small-zz99"))
    assert happened(store, "20260131-small-zz99", Cursor()) == []
