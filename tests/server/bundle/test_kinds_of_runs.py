"""Runs of every kind travel: of agents from outside, of other programs' logs, of our own with a sandbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import UsageError
from core.run import RunSpec
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.bundle.keeping import Kept, keep_bundle
from server.bundle.writing import Written, write_bundle
from server.contacts import Contacts
from server.ddr_bench_logs.keeping import keep_logs
from server.enrolment import enrol_again
from server.foreign_logs.keeping import keep_log
from server.settings import Settings
from server.store import Repository, open_store
from server.store.callbook import CallBook
from server.store.handed_in import HandedIn
from tests.server.bundle.conftest import parts_of
from tests.server.ddr_bench_logs.written import Log, usual
from tests.server.exploring import World, begin_one
from tests.server.foreign_logs.test_reading import lines
from tests.server.store.outside import PATH, Book
from tests.server.support import START, insight


class Homes:
    """One that sends, with nothing in it, and one that receives."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sends, self.receives = Settings(folder / "one"), Settings(folder / "two")
        self.store = open_store(self.sends.store_path)
        self.there = open_store(self.receives.store_path)

    def carry(self, spec: RunSpec) -> tuple[Written, Kept]:
        """A run from the one to the other."""
        path = self.folder / "run.zip"
        written = write_bundle(
            [spec], self.store, self.sends, path, now=START, with_restricted=True
        )
        return written, keep_bundle(path, self.there, self.receives)


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    return Homes(tmp_path)


def test_an_agent_from_outside_keeps_its_calls_and_leaves_its_seat_behind(homes: Homes) -> None:
    book = Book(homes.store, has_shell=True, has_web=False)
    run = homes.store.run("last")
    spec = run.model_copy(update={"outside": book.rules.outside})
    homes.store.amend_run(spec)
    book.call("get_task")
    book.call()
    book.begin()  # overlaps with the one after it
    book.call()
    HandedIn(homes.store).insight(insight(book.trajectory_id, 2), most=9)
    homes.store.end_trajectory(book.trajectory_id, StopReason.FINISHED, ended_at=book.tick())
    written, _ = homes.carry(spec)
    mine, theirs = homes.store.all_attempts(spec.id), homes.there.all_attempts(spec.id)
    assert theirs == mine
    assert len(theirs[0].turns) >= 1
    name = theirs[0].id
    assert CallBook(homes.there).calls(name) == CallBook(homes.store).calls(name)
    assert homes.there.run(spec.id).agent_class == "outside with shell"
    assert any("seats" in each.what for each in written.manifest.left_out)
    assert all(PATH.encode() not in content for content in parts_of(written.path).values())
    assert Contacts(homes.there.run(spec.id), homes.there).seats == []
    with pytest.raises(UsageError, match="came in a bundle"):
        enrol_again(homes.there.run(spec.id), homes.there, now=START)


def test_lines_of_another_program_keep_turns_that_nobody_told(
    homes: Homes, flights: InstalledScenario, tmp_path: Path
) -> None:
    mine = {"entity": 1, "insights": ["One.", {"text": "Two.", "turn": 4}], "report": "All."}
    path = lines(tmp_path / "mine.jsonl", mine)
    spec = keep_log(path, "jsonl", flights, homes.store, now=START, agent="mine").spec
    homes.carry(spec)
    assert homes.there.all_attempts(spec.id) == homes.store.all_attempts(spec.id)
    there = homes.there.run(spec.id)
    assert (there.agent_class, there.origin) == ("undeclared", spec.imported)


def test_logs_of_the_released_code_keep_their_attempts(
    homes: Homes, flights: InstalledScenario, tmp_path: Path
) -> None:
    for stamp, text in (("1", "first"), ("2", "second")):
        log = Log().call("I look.", "SELECT 1", {}, f"the {text}").finish(f"FINISH: {text}")
        log.write(tmp_path / "logs" / "company_01", f"20260131_00000{stamp}")
    usual().write(tmp_path / "logs" / "05")
    spec = keep_logs(tmp_path / "logs", flights, homes.store, now=START).spec
    homes.carry(spec)
    mine = homes.store.all_attempts(spec.id)
    assert homes.there.all_attempts(spec.id) == mine
    assert [each.attempt for each in mine] == [1, 2, 1]
    assert homes.there.run(spec.id).agent_class == spec.agent_class == "built-in"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Repository]:
    with open_store(tmp_path / "store.sqlite3") as opened:
        yield opened


def test_what_our_own_runner_explored_travels(
    world: World, store: Repository, tmp_path: Path
) -> None:
    spec = begin_one(world)
    world.run(spec)
    receives = Settings(tmp_path / "two")
    path = tmp_path / "run.zip"
    write_bundle([spec], store, Settings(tmp_path), path, now=START, with_restricted=True)
    with open_store(receives.store_path) as there:
        keep_bundle(path, there, receives)
        assert there.all_attempts(spec.id) == store.all_attempts(spec.id)
        assert [len(each.turns) for each in there.all_attempts(spec.id)] == [2]
