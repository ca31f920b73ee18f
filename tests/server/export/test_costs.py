"""What a run took is part of its export, under names and with an id of its own."""

from __future__ import annotations

from pathlib import Path

from server.export.analyses import ANALYSES, joined
from server.export.scored import Basis
from server.settings import Settings
from server.store import Repository
from tests.server.judged_runs import explore, model_run

COSTS = dict(ANALYSES)["costs"]


def test_the_costs_of_each_run_stand_under_its_id(store: Repository, tmp_path: Path) -> None:
    runs = [explore(store, model_run(number, f"m{number}")) for number in (1, 2)]
    found = [COSTS(Basis(run), store, Settings(tmp_path)) for run in runs]
    tables = {table.name: table for table, _ in joined(found)}
    assert {"costs_roles", "costs_tools", "costs_trajectories", "costs_runs"} <= set(tables)
    assert [row[0] for row in tables["costs_runs"].rows] == [run.id for run in runs]
    assert [ending for ending, _ in found[0].figures] == [""]


def test_what_tells_of_single_entities_stays_with_restricted_data(
    store: Repository, tmp_path: Path
) -> None:
    run = explore(store, model_run(1, "m"))
    found = COSTS(Basis(run), store, Settings(tmp_path)).without_data
    assert [table.name for table in found.tables] == ["roles", "tools", "runs"]
    assert found.figures


def test_a_run_that_explored_nothing_says_so(store: Repository, tmp_path: Path) -> None:
    run = model_run(1, "m")
    store.add_run(run)
    found = COSTS(Basis(run), store, Settings(tmp_path))
    assert (found.tables, found.why_not) == ((), "nothing was explored in it")
