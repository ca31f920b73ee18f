"""Agents are started for each seat, some at a time, and what they leave open is ended at once."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import StoreError
from core.outside import Outside
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.configurations import CLIENTS
from server.enrolment import Enrolled, break_off, enrol, enrol_again
from server.executing.agents import Ended, Execution, Terms, free_name
from server.executing.order import read_order
from server.executing.process import Reaper
from server.store import Repository
from server.store.seats import Seats
from tests.server.support import START, draft

BASE = "http://127.0.0.1:1"


@pytest.fixture
def reaper() -> Iterator[Reaper]:
    with Reaper() as made:
        yield made


@pytest.fixture
def made(flights: InstalledScenario, store: Repository) -> Enrolled:
    """Two carriers, each once."""
    return enrol(flights, store, agent="mine", now=START, entities="01,02", trials=1)


class Lab:
    """Executes runs in a folder of the test's own."""

    def __init__(self, folder: Path, store: Repository, reaper: Reaper) -> None:
        self.folder, self._store, self._reaper = folder, store, reaper
        self.seen: list[tuple[int, int]] = []

    def execution(
        self,
        enrolled: Enrolled,
        text: str,
        *,
        concurrency: int = 1,
        limit_s: float | None = None,
        client: str | None = None,
    ) -> Execution:
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        order = read_order(
            text, client=CLIENTS[client] if client else None, queue=False, here=self.folder
        )
        terms = Terms(order, BASE, logs, concurrency, limit_s)
        return Execution(
            enrolled.spec,
            self._store,
            terms,
            reaper=self._reaper,
            now=lambda: START,
            watch=lambda done, under_way: self.seen.append((done, under_way)),
        )

    def run(self, enrolled: Enrolled, text: str, **how: object) -> list[Ended]:
        execution = self.execution(enrolled, text, **how)  # type: ignore[arg-type]
        asyncio.run(execution.go(enrolled.seats))
        return execution.ended


@pytest.fixture
def lab(tmp_path: Path, store: Repository, reaper: Reaper) -> Lab:
    return Lab(tmp_path, store, reaper)


def meet(enrolled: Enrolled, store: Repository, number: int) -> None:
    """Have a seat hear a message, as from its agent."""
    seat = enrolled.seats[number].seat
    Seats(store).hear(seat.path, "initialize", None, START, lambda key: draft(enrolled.spec, *key))


def stops(enrolled: Enrolled, store: Repository) -> dict[str, StopReason | None]:
    return {head.entity_id: head.stop_reason for head in store.heads(enrolled.spec.id)}


def test_each_seat_has_an_agent_with_its_own_address_token_and_empty_folder(
    lab: Lab, made: Enrolled
) -> None:
    told = "sh -c 'echo \"$DDR_URL $DDR_TOKEN $DDR_ENTITY $DDR_HOME\"; pwd; ls -A'"
    ended = lab.run(made, told)
    folders = []
    for each, issued in zip(ended, made.seats, strict=True):
        first, folder = each.log.read_text().splitlines()  # and nothing in it
        assert first.split() == [issued.url(BASE), issued.token, issued.seat.keys[0][0]]
        assert each.log.name == f"{issued.label}.log"
        folders.append(Path(folder))
    assert len(set(folders)) == 2
    assert not [folder for folder in folders if folder.exists()]
    assert not [folder for folder in folders if folder.is_relative_to(lab.folder / "home")]


def test_its_folder_holds_the_configuration_that_was_asked_for(lab: Lab, made: Enrolled) -> None:
    (first, _) = lab.run(made, "sh -c 'ls -A; grep -c $DDR_TOKEN {config}'", client="opencode")
    assert first.log.read_text().split() == ["ddr.env", "opencode.json", "1"]


def test_one_that_never_came_has_no_contact_and_its_last_words_are_kept(
    lab: Lab, made: Enrolled, store: Repository
) -> None:
    lab.run(made, "sh -c 'echo no tools; exit 3'")
    assert set(stops(made, store).values()) == {StopReason.NO_CONTACT}
    errors = {head.error for head in store.heads(made.spec.id)}
    assert errors == {
        "its process ended with exit code 3 and never came to the server; its last words: no tools"
    }


def test_one_that_ends_without_finishing_has_abandoned_it(
    lab: Lab, made: Enrolled, store: Repository
) -> None:
    meet(made, store, 0)
    lab.run(made, "false")
    assert stops(made, store) == {"01": StopReason.ABANDONED, "02": StopReason.NO_CONTACT}
    abandoned = store.heads(made.spec.id)[0]
    assert abandoned.error is None  # its items are scored, as those of every silent agent


def test_at_the_time_limit_what_was_begun_ends_by_the_limit(
    lab: Lab, made: Enrolled, store: Repository
) -> None:
    meet(made, store, 0)
    ended = lab.run(made, "sleep 600", limit_s=0.3, concurrency=2)
    assert [each.exit.timed_out for each in ended] == [True, True]
    assert stops(made, store) == {"01": StopReason.MAX_SECONDS, "02": StopReason.NO_CONTACT}


def test_what_an_agent_finished_stays_finished(lab: Lab, made: Enrolled, store: Repository) -> None:
    meet(made, store, 0)
    store.end_trajectory(f"{made.spec.id}.01.1.1", StopReason.FINISHED, ended_at=START)
    lab.run(made, "true")
    assert stops(made, store)["01"] is StopReason.FINISHED


def test_no_seat_is_left_open(lab: Lab, made: Enrolled, store: Repository) -> None:
    lab.run(made, "true")
    assert all(state.is_closed for state in Seats(store).of_run(made.spec.id))


def test_of_a_queue_what_was_not_reached_was_never_met(
    lab: Lab, flights: InstalledScenario, store: Repository
) -> None:
    outside = Outside(queue=True)
    made = enrol(
        flights, store, agent="mine", now=START, entities="01,02,03", trials=1, outside=outside
    )
    meet(made, store, 0)
    (ended,) = lab.run(made, "true")
    assert ended.log.name == "queue-1.log"
    assert stops(made, store) == {
        "01": StopReason.ABANDONED,
        "02": StopReason.NO_CONTACT,
        "03": StopReason.NO_CONTACT,
    }


def test_so_many_at_a_time_and_no_more(
    lab: Lab, flights: InstalledScenario, store: Repository
) -> None:
    made = enrol(flights, store, agent="mine", now=START, entities="01,02,03,04,05", trials=1)
    lab.run(made, "sleep 0.05", concurrency=2)
    assert max(under_way for _, under_way in lab.seen) == 2
    assert lab.seen[-1] == (5, 0)


def test_a_server_that_ends_ends_the_agents_and_is_told(
    lab: Lab, made: Enrolled, store: Repository
) -> None:
    async def gone() -> None:
        await asyncio.sleep(0.1)
        raise StoreError("the server has ended")

    with pytest.raises(StoreError, match="has ended"):
        asyncio.run(lab.execution(made, "sleep 600", concurrency=2).go(made.seats, gone()))
    assert set(stops(made, store).values()) <= {None}


def test_what_was_broken_off_is_explored_again_beside_its_first_log(
    lab: Lab, made: Enrolled, store: Repository
) -> None:
    async def interrupted() -> None:
        going = asyncio.create_task(lab.execution(made, "sleep 600").go(made.seats))
        while not (lab.folder / "logs" / "01-1.log").exists():
            await asyncio.sleep(0.02)
        meet(made, store, 0)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going

    asyncio.run(interrupted())
    break_off(made.spec, store, now=START)
    assert stops(made, store) == {"01": StopReason.CANCELLED}
    again = enrol_again(made.spec, store, now=START)
    names = [each.log.name for each in lab.run(again, "true")]
    assert names == ["01-1.2.log", "02-1.log"]
    assert [(h.entity_id, h.attempt) for h in store.heads(made.spec.id)] == [
        *(("01", 1), ("01", 2), ("02", 1))
    ]


def test_a_folder_for_logs_that_is_gone_is_told_as_one(lab: Lab, made: Enrolled) -> None:
    execution = lab.execution(made, "true")
    (lab.folder / "logs").rmdir()
    with pytest.raises(StoreError, match="cannot be written"):
        asyncio.run(execution.go(made.seats))


def test_no_folder_of_an_agent_is_left(
    lab: Lab, made: Enrolled, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = lab.folder / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    lab.run(made, "sh -c 'mkdir -p a/b; touch a/b/c'")
    assert list(place.iterdir()) == []


def test_a_free_name_counts_on(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        path = free_name(tmp_path, "01-1")
        path.touch()
        names.append(path.name)
    assert names == ["01-1.log", "01-1.2.log", "01-1.3.log"]
