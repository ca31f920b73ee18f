"""Several models at once, what is said of failures, and a run that has nothing left to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import StoreError
from core.trajectory import StopReason
from server.store import open_store
from server.store.lock import RunLock
from tests.server.cli.conftest import Ddr
from tests.server.cli.test_run_models import DONE, QUERY, explore, script

pytestmark = pytest.mark.real  # whole runs with models

REFUSED = {"error": {"kind": "auth", "status_code": 401, "text": "no such key"}}


def test_the_progress_of_each_model_is_told_under_its_name(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    one = script(tmp_path, QUERY, QUERY, DONE, name="one.jsonl")
    two = script(tmp_path, DONE, name="two.jsonl")
    models = ("--model", one, "--model", two, "--concurrency", "2")
    done = explore(ddr, *models, entities="01,02")
    assert done.code == 0, done.err
    for model in (one, two):
        mine = [line for line in done.err.splitlines() if line.startswith(f"{model} 100 %")]
        assert mine, done.err
        assert "2 of 2 carriers" in mine[-1]
        calls = 10 if model == one else 2  # of the agent, and of its insights, for both carriers
        assert f" {calls} calls;" in mine[-1], mine[-1]


def test_a_failure_of_one_model_fails_the_call_and_leaves_the_other_whole(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    good = script(tmp_path, DONE, name="good.jsonl")
    bad = script(tmp_path, REFUSED, name="bad.jsonl")
    done = explore(ddr, "--model", good, "--model", bad, entities="01,02")
    assert done.code == 1
    assert [run["stop_reasons"] for run in done.json["runs"]] == [
        {"finished": 2},
        {"provider_error": 2},
    ]


def test_after_failures_the_first_step_offered_is_to_try_again(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, REFUSED)
    done = ddr("run", "--scenario", "flights", "--tools", "sql", "--entities", "01,02,03",
               "--model", model)  # fmt: skip
    assert done.code == 1
    assert done.out.count("no such key") == 1
    assert "3 trajectories (01, 02, 03): " in done.out
    steps = [line for line in done.out.splitlines() if line.startswith(("next: ", "  or: "))]
    assert steps[0].endswith("--retry-errors")
    assert steps[0].startswith(f"next: DDR_HOME={built_home} ddr run --resume ")
    assert "3 of 3 ended by a fault" in done.err


def test_a_complete_run_that_is_resumed_says_that_nothing_is_left(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    assert explore(ddr, "--model", script(tmp_path, DONE), entities="01,02").code == 0
    again = ddr("run", "--resume", "last", "--json")
    assert again.code == 0
    assert "nothing is left to do" in again.err
    assert "explores" not in again.err
    assert again.json["attempts"] == 2


def test_a_resume_says_how_much_is_left(ddr: Ddr, built_home: Path, tmp_path: Path) -> None:
    model = script(tmp_path, REFUSED)
    assert explore(ddr, "--model", model, entities="01,02").code == 1
    script(tmp_path, DONE)  # the endpoint is well again
    with open_store(built_home / "store.sqlite3") as store:
        bigger = store.run("last").model_copy(update={"id": "bigger", "trials": 2})
        store.add_run(bigger)
        (ended,) = store.trajectories(store.runs()[0].id)[:1]
        mine = store.start_trajectory(ended.model_copy(update={"run_id": "bigger"}))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=ended.started_at)
    again = ddr("run", "--resume", "bigger")
    assert again.code == 0, again.err
    assert "goes on with 3 of 4 trajectories" in again.err
    assert "next: " in again.out
    assert "next: " not in ddr("run", "--resume", "bigger", "--quiet").out


def test_a_run_that_another_process_works_on_is_refused_beside_others(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    first = explore(ddr, "--model", script(tmp_path, REFUSED), entities="01").json["run"]
    with RunLock(built_home / "locks", first):
        done = ddr("run", "--resume", first, "--retry-errors")
    assert done.code == StoreError.exit_code
    assert first in done.err
