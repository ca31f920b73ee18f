"""Build a small twin, let the profiler explore it in this process, and judge what it hands in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.checklist import Checklist
from core.run import Limits, RunSpec
from core.trajectory import Trajectory
from databases.build import build
from databases.catalog import InstalledScenario
from server.authoring import author_checklist
from server.build import make_agent, make_checker, open_tools
from server.evaluate import Judging
from server.judged import Judged
from server.runner import Setting, explore, utc_now
from server.settings import Settings
from server.store import Repository, open_store


@dataclass(frozen=True)
class Twin:
    """A generated scenario in a home of its own."""

    home: Path
    scenario: InstalledScenario

    @classmethod
    def built(cls, home: Path, base: str, name: str, **options: Any) -> Twin:
        """Generated with these options."""
        return cls(home, build(base, home, options={"synthetic": True, **options}, name=name))

    def checklist(self) -> Checklist:
        """What `ddr scenarios build` authors after the build."""
        found = author_checklist(self.scenario, Settings(self.home), lambda text, share: None)
        assert found is not None
        return found

    def reports(self, entity_ids: Sequence[str], *, max_turns: int) -> dict[str, str]:
        """What the profiler reports of each, after so many turns at most."""
        with open_store(self.home / f"{self.scenario.scenario.id}.sqlite3") as store:
            spec = self.explored(store, entity_ids, Limits(max_turns=max_turns))
            return {t.entity_id: _report(t) for t in store.trajectories(spec.id)}

    def judged(self, checklist: Checklist, entity_ids: Sequence[str]) -> Judged:
        """The profiler's whole explorations of these, and their shuffled baseline."""
        entities = self.scenario.entities()
        with open_store(self.home / f"{self.scenario.scenario.id}.sqlite3") as store:
            spec = self.explored(store, entity_ids, Limits())
            judging = Judging(spec, store, checklist, make_checker("matching", entities))
            return asyncio.run(judging.judge(entities, utc_now()))

    def explored(self, store: Repository, entity_ids: Sequence[str], limits: Limits) -> RunSpec:
        """A whole run of the profiler, in this store."""
        scenario = self.scenario
        spec = RunSpec(
            id=f"run-{scenario.scenario.id}",
            scenario_id=scenario.scenario.id,
            scenario_fingerprint=scenario.scenario.fingerprint or "",
            entity_ids=tuple(entity_ids),
            agent="profiler",
            tools="sql",
            limits=limits,
            concurrency=2,
            created_at=utc_now(),
        )
        store.add_run(spec)
        setting = Setting(
            scenario=scenario,
            store=store,
            locks=self.home / "locks",
            make_agent=lambda _key: make_agent("profiler"),
            open_tools=lambda session, entity: open_tools(
                scenario, "sql", None, session, entity_id=entity
            ),
        )
        asyncio.run(explore(spec, setting))
        return spec


def _report(trajectory: Trajectory) -> str:
    return "\n".join(i.text or "" for i in trajectory.insights if i.level == "trajectory")
