"""A file of another program becomes one run, whole or not at all, and once only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import LogError, UnknownNameError
from databases.catalog import InstalledScenario
from server.foreign_logs.keeping import KeptLog, keep_log
from server.store import Repository, open_store
from server.store.attempts import to_do
from tests.server.foreign_logs.test_reading import lines
from tests.server.support import START


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Repository]:
    with open_store(tmp_path / "store.sqlite3") as opened:
        yield opened


def kept(path: Path, flights: InstalledScenario, store: Repository, **more: Any) -> KeptLog:
    return keep_log(path, "jsonl", flights, store, now=START, **more)


def test_it_is_a_run_whose_trajectories_have_ended(
    tmp_path: Path, flights: InstalledScenario, store: Repository
) -> None:
    mine = {"entity": 1, "insights": ["One.", {"text": "Two.", "turn": 4}], "report": "All."}
    path = lines(tmp_path / "mine.jsonl", mine, {"entity": "nobody", "report": "x"})
    told = kept(path, flights, store, agent="mine")
    (only,) = store.trajectories(told.spec.id)
    assert (only.entity_id, only.agent, only.report) == ("01", "mine", "All.")
    assert [(i.turn, i.text) for i in only.message_insights] == [(None, "One."), (4, "Two.")]
    assert {insight.author for insight in only.insights} == {"mine"}
    assert (told.insights, told.undated, told.strangers) == (2, 1, ("nobody",))
    assert told.spec.entity_ids == ("01",)
    assert told.spec.agent_class == "undeclared"
    assert to_do(told.spec, store.all_attempts(told.spec.id), retry_errors=False) == []


def test_the_same_file_is_the_same_run_and_another_name_another(
    tmp_path: Path, flights: InstalledScenario, store: Repository
) -> None:
    path = lines(tmp_path / "mine.jsonl", {"entity": "01", "report": "x"})
    first, again = kept(path, flights, store), kept(path, flights, store)
    assert (first.is_known, again.is_known) == (False, True)
    assert first.spec.id == again.spec.id
    other = kept(path, flights, store, agent="other")
    lines(path, {"entity": "01", "report": "y"})
    changed = kept(path, flights, store)
    assert len({first.spec.id, other.spec.id, changed.spec.id}) == 3


def test_several_of_one_entity_are_its_trials(
    tmp_path: Path, flights: InstalledScenario, store: Repository
) -> None:
    path = lines(
        tmp_path / "mine.jsonl",
        {"entity": "01", "report": "first"},
        {"entity": "01", "report": "second", "trial": 2},
        {"entity": "01", "report": "third"},
    )
    told = kept(path, flights, store, everybody=True)
    found = {each.trial: each.report for each in store.trajectories(told.spec.id)}
    assert found == {1: "first", 2: "second", 3: "third"}
    assert told.spec.trials == 3
    assert len(told.spec.entity_ids) == len(flights.entities())


@pytest.mark.parametrize(
    ("listed", "fault"),
    [
        ([{"entity": "nobody", "report": "x"}], "no carrier of flights is called so"),
        ([{"entity": "01", "report": "x", "trial": 1}] * 2, "line 2: 01, trial 1, stands"),
    ],
)
def test_of_what_cannot_be_kept_nothing_is(
    tmp_path: Path, flights: InstalledScenario, store: Repository, listed: Any, fault: str
) -> None:
    with pytest.raises(LogError, match=fault):
        kept(lines(tmp_path / "mine.jsonl", *listed), flights, store)
    assert store.runs() == []


def test_another_form_is_told_which_there_are(
    tmp_path: Path, flights: InstalledScenario, store: Repository
) -> None:
    with pytest.raises(UnknownNameError, match="jsonl"):
        keep_log(tmp_path / "x", "jsonlines", flights, store, now=START)
