"""What Python cells draw is kept beside their turns, and found again by the call that drew it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from core.protocols import Finish, Observation, Tools
from core.scenario import Task
from server.store import Repository, figures
from server.store.figures import Figures
from tests.server.exploring import Step, World, begin_one, called, only
from tests.server.support import draft, spec

PNG = b"\x89PNG\r\n\x1a\n of the test's own"
TEXT = json.dumps({"note": "1 figure was drawn (PNG)."})


async def drawn(arguments: Mapping[str, Any]) -> Observation:
    """Each cell draws its own picture, and all of them answer alike."""
    number = int(arguments["code"])
    images = tuple(PNG + bytes([number, k]) for k in range(number))
    return Observation(text=TEXT, data=json.loads(TEXT), images=images)


async def three_cells(task: Task, tools: Tools) -> AsyncIterator[Step]:
    """The first draws once, the second nothing, the third twice."""
    for index, number in enumerate((1, 0, 2), 1):
        seen = await tools.call("execute_code", {"code": str(number)})
        assert seen.images == ()
        yield called(index, seen, "execute_code")
    yield Finish(report="Done.")


def test_the_figures_of_an_agent_of_ours_are_kept_and_it_is_told_in_words_alone(
    store: Repository, tmp_path: Path
) -> None:
    world = World(store, tmp_path, three_cells)
    world.answers["execute_code"] = drawn
    world.run(begin_one(world))
    trajectory = only(world)
    assert all(turn.tool_results[0].text == TEXT for turn in trajectory.turns)
    kept = Figures(store)
    found = kept.of(trajectory)
    assert sorted(len(each) for each in found.values()) == [1, 2]
    assert found[1, 1] == ((1, 1),)
    assert kept.png(trajectory.id, (1, 1)) == PNG + bytes([1, 0])
    assert kept.png(trajectory.id, (2, 2)) == PNG + bytes([2, 1])
    assert kept.png(trajectory.id, (3, 1)) is None


def test_no_more_is_kept_of_one_trajectory_than_there_is_room_for(
    store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "MOST_BYTES", 25)
    run = spec()
    store.add_run(run)
    mine = store.start_trajectory(draft(run))
    other = store.start_trajectory(draft(run, "02"))
    kept = Figures(store)
    assert kept.add(mine.id, "a", [b"x" * 10, b"y" * 10, b"z" * 10]) == 2
    assert kept.add(mine.id, "b", [b"x" * 10]) == 0
    assert kept.add(other.id, "b", [b"x" * 10]) == 1


def test_a_run_that_is_deleted_takes_its_figures_along(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    mine = store.start_trajectory(draft(run))
    Figures(store).add(mine.id, "a", [PNG])
    store.delete_run(run.id)
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("SELECT count(*) FROM figures").fetchone() == (0,)
