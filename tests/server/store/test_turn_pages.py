"""A trajectory some turns at a time is the whole one, cut."""

from __future__ import annotations

import pytest

from core.errors import StoreError
from core.trajectory import Turn
from server.store import Repository
from server.store.turn_pages import turn_page
from tests.server.store.outside import Book
from tests.server.support import draft, insight, spec, turn


def own(store: Repository, turns: int) -> str:
    """A trajectory of an agent of ours."""
    store.add_run(spec())
    mine = store.start_trajectory(draft(spec()))
    for index in range(1, turns + 1):
        store.add_turn(mine.id, turn(index, f"thought {index}"))
        store.add_insight(insight(mine.id, index))
    return mine.id


def outside(store: Repository, calls: int) -> str:
    """One of an agent from outside, with a look at its task before each query."""
    book = Book(store)
    for _ in range(calls):
        for name in ("get_task", "execute_query"):
            begun = book.begin(name)
            book.end(begun)
    return store.trajectories(spec().id)[0].id


@pytest.mark.parametrize("make", [own, outside])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
def test_the_pages_together_are_the_whole(store: Repository, make: object, count: int) -> None:
    assert callable(make)
    name = make(store, 7)
    whole = store.trajectory(name)
    found: list[Turn] = []
    first: int | None = 1
    while first is not None:
        page = turn_page(store, name, first=first, count=count)
        assert 0 < len(page.trajectory.turns) <= count
        assert page.trajectory.model_copy(update={"turns": whole.turns}) == whole
        found += page.trajectory.turns
        first = page.next_turn
    assert tuple(found) == whole.turns and len(found) == 7


def test_behind_the_last_turn_there_is_nothing(store: Repository) -> None:
    name = own(store, 2)
    page = turn_page(store, name, first=3, count=10)
    assert page.trajectory.turns == () and page.next_turn is None
    assert len(page.trajectory.insights) == 2


def test_a_trajectory_without_turns_has_one_empty_page(store: Repository) -> None:
    name = own(store, 0)
    page = turn_page(store, name, first=1, count=10)
    assert page.trajectory == store.trajectory(name) and page.next_turn is None


def test_what_is_not_there_is_named_without_a_path(store: Repository) -> None:
    with pytest.raises(StoreError, match=r"^no trajectory x$"):
        turn_page(store, "x", first=1, count=1)
