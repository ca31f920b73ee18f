"""A home with flights in it, runs enrolled there, and what must stand in its store afterwards."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.run import RunSpec
from core.trajectory import StopReason, Trajectory
from databases.catalog import InstalledScenario
from server.cli.main import main
from server.enrolment import Issued, enrol
from server.store import open_store
from server.store.callbook import ENDED, CallBook
from server.store.seats import Seats
from tests.clients.conversation import (
    ENTITY,
    EXPLORING,
    FACTS_FOUND,
    INSIGHT,
    MODEL,
    REPORT,
    deeds,
)

FACTS = 14
"""Items of the checklist about ENTITY."""


@dataclass(frozen=True)
class Place:
    """Where the clients of one session of tests leave their trajectories."""

    home: Path
    installed: InstalledScenario

    def enrol(self, agent: str) -> Issued:
        """A run of its own for an agent, with its one seat."""
        with open_store(self.home / "store.sqlite3") as store:
            now = datetime.now(UTC)
            made = enrol(self.installed, store, agent=agent, now=now, entities=ENTITY, trials=1)
        (seat,) = made.seats
        return seat

    def run_of(self, agent: str) -> RunSpec:
        """The one run of an agent."""
        with open_store(self.home / "store.sqlite3") as store:
            (spec,) = (run for run in store.runs() if run.agent == agent)
        return spec

    def heard_nothing(self, agent: str) -> bool:
        """Whether nobody ever got as far as a run's one seat."""
        run = self.run_of(agent)
        with open_store(self.home / "store.sqlite3") as store:
            (state,) = Seats(store).of_run(run.id)
            return state.heard_at is None and store.heads(run.id) == []

    def check(self, agent: str, protocols: Collection[str], *, looked: bool = False) -> Trajectory:
        """The whole exploration is written down as it was; the trajectory.

        `looked`: the client asked for its task once before it began.
        """
        run = self.run_of(agent)
        with open_store(self.home / "store.sqlite3") as store:
            (mine,) = store.trajectories(run.id)
            calls = CallBook(store).calls(mine.id)
        assert mine.stop_reason is StopReason.FINISHED
        assert (mine.reported_agent, mine.reported_model) == (agent, MODEL)
        assert [call.name for turn in mine.turns for call in turn.tool_calls] == list(EXPLORING)
        assert [turn.index for turn in mine.turns] == list(range(1, len(EXPLORING) + 1))
        (insight,) = (i for i in mine.insights if i.level == "message")
        assert (insight.text, insight.turn) == (INSIGHT, len(EXPLORING))
        (report,) = (i for i in mine.insights if i.level == "trajectory")
        assert report.text == REPORT
        expected = [deed.tool for deed in deeds(agent)]
        assert [call.name for call in calls] == ["get_task"] * looked + expected
        results = [call.result for call in calls[looked:]]
        for deed, result in zip(deeds(agent), results, strict=True):
            assert result, f"{deed.tool} was never answered"
            assert result.is_error == deed.fails, f"{deed.tool}: {result.text}"
            assert all(word in result.text for word in deed.says), result.text
        last = results[-1]
        assert last
        assert last.error_kind == ENDED
        assert mine.client
        assert mine.client.protocol in protocols
        return mine

    def score(self, agent: str, capsys: pytest.CaptureFixture[str]) -> None:
        """`ddr evaluate` finds in it what was handed in, and no more."""
        run = self.run_of(agent)
        capsys.readouterr()
        assert main(["evaluate", run.id, "--checker", "matching", "--json"]) == 0
        said = json.loads(capsys.readouterr().out.splitlines()[-1])
        scores = {
            score["level"]: (score["supported"], score["items"])
            for score in said["scores"]
            if score["competitor"] == agent and score["averaging"] == "item"
        }
        found = (len(FACTS_FOUND), FACTS)
        assert scores == {"message": found, "trajectory": found}
