"""Sessions live by their keys: kept while somebody may come back, ended when they are abandoned."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from core.errors import DatabaseError, ToolError, UsageError
from tests.tools.host.support import Notebook, opening
from tools.host.messages import Opening
from tools.host.sessions import SessionBook

IDLE_S = 100.0


class Shelf:
    """A book, its clock, and everything that it made."""

    def __init__(self, most: int = 512) -> None:
        self.now = 0.0
        self.made: list[Notebook] = []
        self.make: Callable[[Opening], Awaitable[Notebook]] = self._make
        self.book = SessionBook(self._ask, idle_s=IDLE_S, most=most, now=lambda: self.now)

    async def _ask(self, opened: Opening) -> Notebook:
        return await self.make(opened)

    async def _make(self, opened: Opening) -> Notebook:
        self.made.append(Notebook(opened))
        return self.made[-1]


async def _same_key() -> None:
    shelf = Shelf()
    first, created = await shelf.book.open(opening("a"), "client 1")
    shelf.book.leave(first, "client 1")
    again, created_again = await shelf.book.open(opening("a"), "client 2")
    assert (created, created_again) == (True, False)
    assert again is first
    assert len(shelf.made) == 1
    other, _ = await shelf.book.open(opening("b"), "client 2")
    assert other.tools is not first.tools


def test_the_same_key_is_the_same_session_whoever_opens_it() -> None:
    asyncio.run(_same_key())


async def _two_at_once() -> None:
    shelf = Shelf()
    (one, made_one), (two, made_two) = await asyncio.gather(
        shelf.book.open(opening("a"), 1), shelf.book.open(opening("a"), 2)
    )
    assert one is two
    assert (made_one, made_two) == (True, False)
    assert len(shelf.made) == 1


def test_two_clients_that_open_a_key_at_once_share_what_one_of_them_makes() -> None:
    asyncio.run(_two_at_once())


async def _other_words() -> None:
    shelf = Shelf()
    await shelf.book.open(opening("a"), 1)
    for other in (opening("a", python_state="call"), opening("a", names=("execute_query",))):
        with pytest.raises(UsageError, match="another database or other tools"):
            await shelf.book.open(other, 2)


def test_a_key_is_refused_to_who_asks_for_other_tools_with_it() -> None:
    asyncio.run(_other_words())


async def _idle() -> None:
    shelf = Shelf()
    left, _ = await shelf.book.open(opening("left"), 1)
    await shelf.book.open(opening("held"), 2)
    busy, _ = await shelf.book.open(opening("busy"), 3)
    shelf.book.leave(left, 1)
    with shelf.book.call(busy):
        shelf.book.leave(busy, 3)
        shelf.now = IDLE_S - 1
        await shelf.book.sweep()
        assert len(shelf.book) == 3
        shelf.now = IDLE_S
        await shelf.book.sweep()
        assert [tools.closed for tools in shelf.made] == [True, False, False]
        shelf.now = 10 * IDLE_S
        await shelf.book.sweep()
        assert len(shelf.book) == 2
    await shelf.book.sweep()
    assert len(shelf.book) == 2
    shelf.now += IDLE_S
    await shelf.book.sweep()
    assert [tools.closed for tools in shelf.made] == [True, False, True]
    _, created = await shelf.book.open(opening("left"), 1)
    assert created


def test_only_what_nobody_holds_and_nobody_uses_ends_after_its_time() -> None:
    asyncio.run(_idle())


async def _full() -> None:
    shelf = Shelf(most=2)
    old, _ = await shelf.book.open(opening("old"), 1)
    shelf.now = 5
    young, _ = await shelf.book.open(opening("young"), 1)
    with pytest.raises(ToolError, match="all 2 sessions are in use") as caught:
        await shelf.book.open(opening("third"), 1)
    assert caught.value.kind == "limit"
    shelf.book.leave(young, 1)
    shelf.now = 6
    shelf.book.leave(old, 1)
    await shelf.book.open(opening("third"), 1)
    assert [tools.closed for tools in shelf.made] == [False, True, False]


def test_a_full_house_ends_the_longest_abandoned_session_and_never_one_in_use() -> None:
    asyncio.run(_full())


async def _failing() -> None:
    shelf = Shelf()

    async def fail(_: Opening) -> Notebook:
        raise DatabaseError("there is no database")

    works, shelf.make = shelf.make, fail
    for _ in range(2):
        with pytest.raises(DatabaseError):
            await shelf.book.open(opening("a"), 1)
    assert len(shelf.book) == 0
    shelf.make = works
    _, created = await shelf.book.open(opening("a"), 1)
    assert created


def test_a_session_that_could_not_be_made_leaves_its_key_free() -> None:
    asyncio.run(_failing())


async def _going_away() -> None:
    shelf = Shelf()
    gate = asyncio.Event()
    works = shelf.make

    async def slowly(opened: Opening) -> Notebook:
        await gate.wait()
        return await works(opened)

    shelf.make = slowly
    hasty = asyncio.create_task(shelf.book.open(opening("a"), "hasty"))
    patient = asyncio.create_task(shelf.book.open(opening("a"), "patient"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    hasty.cancel()
    gate.set()
    session, _ = await patient
    assert session.clients == {"patient"}


def test_a_client_that_does_not_wait_for_the_opening_takes_it_from_no_other() -> None:
    asyncio.run(_going_away())


async def _closing() -> None:
    shelf = Shelf()
    session, _ = await shelf.book.open(opening("a"), 1)
    await shelf.book.close(session)
    await shelf.book.close(session)
    assert shelf.made[0].closed
    fresh, created = await shelf.book.open(opening("a"), 1)
    assert created
    await shelf.book.close(session)
    assert not fresh.closed
    await shelf.book.open(opening("b"), 1)
    await shelf.book.close_all()
    assert all(tools.closed for tools in shelf.made)
    assert len(shelf.book) == 0


def test_a_closed_session_is_gone_and_its_key_begins_another() -> None:
    asyncio.run(_closing())
