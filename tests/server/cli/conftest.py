"""Run a command in this process, in a home of the test's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.cli.main import main
from server.store import open_store
from tests.server.support import START, draft, insight, spec, turn

RUN = "20260131-flights-ab12"
"""The run of `explored`."""


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The last line of stdout, which --json promises to be one object."""
        return json.loads(self.out.rstrip("\n").splitlines()[-1])


Ddr = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty DDR_HOME."""
    path = tmp_path / "home"
    monkeypatch.setenv("DDR_HOME", str(path))
    return path


@pytest.fixture
def built_home(home: Path, flights_home: Path) -> Path:
    """A DDR_HOME in which flights is built."""
    home.mkdir(mode=0o700)
    (home / "scenarios").symlink_to(flights_home / "scenarios")
    return home


@pytest.fixture
def explored(built_home: Path, flights: InstalledScenario) -> Path:
    """A DDR_HOME with one run: carriers 01 and 02 of flights, with one insight each."""
    with open_store(built_home / "store.sqlite3") as store:
        run = spec(RUN, scenario_id="flights", scenario_fingerprint=flights.scenario.fingerprint)
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            store.add_turn(mine.id, turn(1))
            store.add_insight(insight(mine.id, 1, f"Carrier {entity_id} exists."))
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return built_home


@pytest.fixture
def ddr(home: Path, capsys: pytest.CaptureFixture[str]) -> Ddr:
    """`ddr(...)` in this process."""

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        code = main(arguments)
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run
