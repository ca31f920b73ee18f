"""Explore a scenario's entities by profilers of different patience, and judge their reports by rules."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import agent.profiler
import evaluator
from agent.profiler.agent import ProfilerAgent
from bench.answered import Answered, Answers
from checklists.loader import checklist_for
from core.checklist import Checklist
from core.evaluation import Verdict
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import Trajectory
from databases.build import build
from databases.catalog import InstalledScenario
from server.authoring import author_checklist
from server.build import make_checker, open_tools
from server.runner import Setting, explore, utc_now
from server.settings import Settings
from server.store import open_store

MOST: tuple[int | None, ...] = (2, 5, 10, None)
"""Questions about the entity that a profiler may put; None: until it stops by itself."""

Shares = Mapping[str, float]
"""Per entity: the share of its items that the report supports."""


@dataclass(frozen=True)
class Field:
    """A scenario that is explored, with what it is built of."""

    base: str
    options: Mapping[str, Any] | None = None
    """None: the real data; else those of a generated twin."""

    @property
    def name(self) -> str:
        """What it is called where it is built."""
        return self.base if self.options is None else f"{self.base}-ranked"

    def built(self, home: Path) -> tuple[InstalledScenario, Checklist]:
        """The scenario and its checklist, made where they are not there yet."""
        if self.options is None:
            return build(self.base, home), checklist_for(self.base)
        made = {"synthetic": True, **self.options}
        scenario = build(self.base, home, options=made, name=self.name)
        kept = Settings(home).checklists / f"{self.name}.json"
        if kept.exists():
            return scenario, checklist_for(self.name, kept.parent)
        found = author_checklist(scenario, Settings(home), lambda text, share: None)
        if found is None:
            raise AssertionError(f"{self.base} has a book of templates")
        return scenario, found


def shares(
    field: Field,
    home: Path,
    most: int | None,
    *,
    of: int | None = None,
    answers: Answers,
    tell: Callable[[str], None],
) -> Shares:
    """What one profiler's reports support, for the first `of` entities; a whole run, each turn stored.

    What was explored before, with the same content, checklist, profiler and rules, is not explored
    again. `answers`: of this field's database, shared by the profilers: they ask much alike.
    """
    scenario, checklist = field.built(home)
    entities = scenario.entities()[:of]
    stamp = f"{(scenario.scenario.fingerprint or '')[:12]}-{checklist.hash[:12]}-{_code()[:12]}"
    kept = home / f"ranked-{field.name}-{most}-{len(entities)}-{stamp}.json"
    if not kept.exists():
        tell(f"{field.name}: {len(entities)} entities, {most or 'all'} questions each")
        found = _explored((scenario, checklist), entities, home, most, answers)
        kept.write_text(json.dumps(found), encoding="utf-8")
    told: dict[str, float] = json.loads(kept.read_text(encoding="utf-8"))
    return told


def _explored(
    field: tuple[InstalledScenario, Checklist],
    entities: Sequence[Entity],
    home: Path,
    most: int | None,
    answers: Answers,
) -> dict[str, float]:
    scenario, checklist = field
    store_path = home / f"ranked-{scenario.scenario.id}-{most}.sqlite3"
    store_path.unlink(missing_ok=True)
    spec = RunSpec(
        id=f"ranked-{scenario.scenario.id}-{most}",
        scenario_id=scenario.scenario.id,
        scenario_fingerprint=scenario.scenario.fingerprint or "",
        entity_ids=tuple(entity.id for entity in entities),
        agent="profiler",
        tools="sql",
        concurrency=2,
        created_at=utc_now(),
    )
    with open_store(store_path) as store:
        store.add_run(spec)
        setting = Setting(
            scenario=scenario,
            store=store,
            locks=home / "locks",
            make_agent=lambda _key: ProfilerAgent(most=most),
            open_tools=lambda session, entity: Answered(
                open_tools(scenario, "sql", None, session, entity_id=entity), answers
            ),
        )
        asyncio.run(explore(spec, setting))
        found = {
            each.entity_id: _share(scenario, checklist, each)
            for each in store.trajectories(spec.id)
        }
    store_path.unlink()
    return found


def _code() -> str:
    """What the profiler and the rules are made of."""
    digest = hashlib.sha256()
    for package in (agent.profiler, evaluator):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _share(scenario: InstalledScenario, checklist: Checklist, trajectory: Trajectory) -> float:
    items = checklist.of(trajectory.entity_id)
    checker = make_checker("matching", scenario.entities())

    async def judged() -> list[Verdict]:
        return [each async for each in checker.check(items, trajectory, evaluation_id="ranked")]

    verdicts = [each for each in asyncio.run(judged()) if each.level == "trajectory"]
    return sum(each.label == "supported" for each in verdicts) / len(verdicts)
