"""Many writers at once: each on disk before it goes on, in few transactions, none harmed by another."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from core.errors import StoreError
from core.trajectory import Trajectory
from server.store import Repository, Writer, open_store
from tests.server.support import draft, insight, spec, turn

WRITERS = 16
TURNS = 20


@pytest.fixture
def begun(store: Repository) -> list[str]:
    """An open attempt for each writer; their ids."""
    run = spec(entity_ids=tuple(f"{n:02}" for n in range(WRITERS)))
    store.add_run(run)
    return [store.start_trajectory(draft(run, entity)).id for entity in run.entity_ids]


def adds(mine: str, index: int, text: str = "") -> Callable[[Repository], None]:
    """The writing of one turn."""
    return lambda store: store.add_turn(mine, turn(index, text))


def begins(told: Trajectory) -> Callable[[Repository], Trajectory]:
    """The beginning of an attempt."""
    return lambda store: store.start_trajectory(told)


@contextmanager
def counted(store: Repository) -> Iterator[list[str]]:
    """Every transaction that begins, by its thread's name."""
    seen: list[str] = []

    def note(*_: object) -> None:
        seen.append(threading.current_thread().name)

    event.listen(store._engine, "begin", note)
    try:
        yield seen
    finally:
        event.remove(store._engine, "begin", note)


def test_turns_of_many_writers_are_kept_whole_and_in_order_in_few_transactions(
    store: Repository, begun: list[str]
) -> None:
    async def write(writer: Writer, mine: str) -> None:
        for index in range(1, TURNS + 1):
            await writer.keep(adds(mine, index, mine))

    async def work() -> None:
        with Writer(store) as writer:
            await asyncio.gather(*(write(writer, mine) for mine in begun))

    with counted(store) as transactions:
        asyncio.run(work())
    assert set(transactions) == {"store"}
    assert len(transactions) < WRITERS * TURNS / 2
    for mine in begun:
        found = store.trajectory(mine).turns
        assert [(t.index, t.text) for t in found] == [(n, mine) for n in range(1, TURNS + 1)]


def test_whoever_goes_on_finds_its_turn_in_the_file(store: Repository, begun: list[str]) -> None:
    async def work() -> None:
        with Writer(store) as writer:
            for index in (1, 2, 3):
                await writer.keep(adds(begun[0], index))
                with closing(sqlite3.connect(store.path)) as another:
                    (count,) = another.execute("SELECT count(*) FROM turns").fetchone()
                assert count == index

    asyncio.run(work())


def test_what_an_act_returns_comes_back(store: Repository) -> None:
    run = spec()
    store.add_run(run)

    async def work() -> list[str]:
        with Writer(store) as writer:
            acts = [begins(draft(run, entity)) for entity in run.entity_ids]
            begun = await asyncio.gather(*map(writer.keep, acts))
            return [each.entity_id for each in begun]

    assert asyncio.run(work()) == list(run.entity_ids)


def test_a_write_that_is_refused_leaves_those_beside_it_alone(
    store: Repository, begun: list[str]
) -> None:
    """The second turn 1 is the fault of one writer; the others' turns came at the same time."""
    store.add_turn(begun[3], turn(1, "first"))

    async def work() -> list[BaseException | None]:
        with Writer(store) as writer:
            kept = [writer.keep(adds(mine, 1, "new")) for mine in begun]
            return await asyncio.gather(*kept, return_exceptions=True)

    done = asyncio.run(work())
    assert isinstance(done[3], StoreError)
    assert "turn 1 of" in str(done[3])
    assert [each for place, each in enumerate(done) if place != 3] == [None] * (WRITERS - 1)
    assert [store.trajectory(m).turns[0].text for m in begun] == [
        "first" if place == 3 else "new" for place in range(WRITERS)
    ]


def test_one_alone_that_is_refused_is_tried_once(store: Repository, begun: list[str]) -> None:
    tried = 0

    def refuse(kept: Repository) -> None:
        nonlocal tried
        tried += 1
        kept.add_turn("nowhere", turn(1))

    async def work() -> None:
        with Writer(store) as writer:
            await writer.keep(refuse)

    with pytest.raises(StoreError, match="no trajectory nowhere"):
        asyncio.run(work())
    assert tried == 1


def test_a_cancelled_writer_has_its_turn_kept_before_what_it_says_last(
    store: Repository, begun: list[str]
) -> None:
    mine = begun[0]

    async def work() -> None:
        with Writer(store) as writer:
            writing = asyncio.create_task(writer.keep(adds(mine, 1)))
            await asyncio.sleep(0)
            writing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await writing
            await writer.keep(lambda kept: kept.add_insight(insight(mine, 1)))

    asyncio.run(work())
    found = store.trajectory(mine)
    assert (len(found.turns), len(found.insights)) == (1, 1)


def test_leaving_waits_for_what_nobody_awaited(store: Repository, begun: list[str]) -> None:
    async def work() -> None:
        with Writer(store) as writer:
            writing = [asyncio.create_task(writer.keep(adds(mine, 1))) for mine in begun]
            await asyncio.sleep(0)
        assert not any(each.done() for each in writing)

    asyncio.run(work())
    assert [len(store.trajectory(mine).turns) for mine in begun] == [1] * WRITERS


def test_what_is_written_together_is_kept_as_one_or_not_at_all(
    store: Repository, begun: list[str], tmp_path: Path
) -> None:
    def write(fails: bool) -> None:
        with store.together() as joined:
            joined.add_turn(begun[0], turn(1))
            joined.add_insight(insight(begun[0], 1))
            with open_store(tmp_path / "store.sqlite3") as another:
                assert another.trajectory(begun[0]).turns == ()
            if fails:
                raise StoreError("no")

    with pytest.raises(StoreError):
        write(fails=True)
    assert store.trajectory(begun[0]).turns == ()
    write(fails=False)
    found = store.trajectory(begun[0])
    assert (len(found.turns), len(found.insights)) == (1, 1)
