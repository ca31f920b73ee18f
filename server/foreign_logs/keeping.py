"""Keep what another program's log tells as one run in the store: all of it, or nothing."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from core.errors import LogError, UnknownNameError, UsageError
from core.run import Imported, ModelSpec, RunSpec
from core.trajectory import Insight, Trajectory
from databases.catalog import InstalledScenario
from server.build import run_id
from server.foreign_logs.inspect_log import read_inspect
from server.foreign_logs.lines import read_lines
from server.foreign_logs.told import Told, entity_meant
from server.store import Repository

READERS: Final[dict[str, Callable[[Path], list[Told]]]] = {
    "jsonl": read_lines,
    "inspect": read_inspect,
}
"""Form of a log -> its reader."""


@dataclass(frozen=True)
class KeptLog:
    """What came of a log."""

    spec: RunSpec
    trajectories: int
    turns: int
    insights: int
    """Message-wise ones."""
    undated: int
    """Of these, without a turn."""
    reports: int
    stop_reasons: dict[str, int]
    strangers: tuple[str, ...]
    """Names that are no entity's; what they did is left out."""
    missing: tuple[str, ...]
    """Entities of the scenario that the log does not have."""
    is_known: bool = False
    """Whether this very file was kept before: then that run is this one."""

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "run": self.spec.id,
            "scenario": self.spec.scenario_id,
            "entities": len(self.spec.entity_ids),
            "trajectories": self.trajectories,
            "turns": self.turns,
            "insights": self.insights,
            "insights_without_turn": self.undated,
            "reports": self.reports,
            "stop_reasons": self.stop_reasons,
            "unknown_entities": list(self.strangers),
            "entities_without_log": list(self.missing),
            "was_kept_before": self.is_known,
        }


def keep_log(
    path: Path,
    form: str,
    installed: InstalledScenario,
    store: Repository,
    *,
    now: datetime,
    agent: str | None = None,
    model: ModelSpec | None = None,
    everybody: bool = False,
) -> KeptLog:
    """Make a run of one file.

    `agent`: how its row is called, the form's name unless given; `model`: whose words they are;
    `everybody`: entities that it lacks belong to the run too, and count as never run. The same file
    under the same names is kept once. Raises LogError, ScenarioError, UsageError, UnknownNameError;
    nothing is kept then.
    """
    if form not in READERS:
        raise UnknownNameError("form of logs", form, READERS)
    installed.check()
    fingerprint = installed.scenario.fingerprint
    if fingerprint is None:
        raise UsageError(f"scenario {installed.scenario.id} is not built")
    told = READERS[form](path)
    known = [entity.id for entity in installed.entities()]
    meant = [(entity_meant(each.entity, known), each) for each in told]
    mine = [(entity, each) for entity, each in meant if entity is not None]
    strangers = tuple(dict.fromkeys(each.entity for entity, each in meant if entity is None))
    if not mine:
        raise LogError(
            f"{path.name}: {', '.join(strangers[:5])}: no {installed.scenario.entity_noun} of "
            f"{installed.scenario.id} is called so; known are {', '.join(known[:5])}, ..."
        )
    logged = {entity for entity, _ in mine}
    trials = _trials(mine)
    draft = RunSpec(
        id=run_id(installed.scenario.id, now, [run.id for run in store.runs()]),
        scenario_id=installed.scenario.id,
        scenario_fingerprint=fingerprint,
        entity_ids=tuple(each for each in known if everybody or each in logged),
        agent=agent or form,
        model=model,
        sandbox="unknown",
        trials=max(trials),
        imported=Imported(
            form=form, source=path.name, sha256=hashlib.sha256(path.read_bytes()).hexdigest()
        ),
        created_at=now,
    )
    spec = _kept_before(draft, store) or draft
    if spec is draft:
        with store.together() as writing:
            writing.add_run(spec)
            for (entity_id, each), trial in zip(mine, trials, strict=True):
                _keep(spec, entity_id, trial, each, writing)
    return KeptLog(
        spec=spec,
        trajectories=len(mine),
        turns=sum(len(each.turns) for _, each in mine),
        insights=sum(len(each.insights) for _, each in mine),
        undated=sum(turn is None for _, each in mine for turn, _ in each.insights),
        reports=sum(each.report is not None for _, each in mine),
        stop_reasons=dict(Counter(each.stop_reason.value for _, each in mine)),
        strangers=strangers,
        missing=tuple(each for each in known if each not in logged),
        is_known=spec is not draft,
    )


def _trials(mine: Sequence[tuple[str, Told]]) -> list[int]:
    """The trial of each: as the log says, else the next one of its entity. Raises LogError for twins."""
    found: list[int] = []
    taken: set[tuple[str, int]] = set()
    said = {(entity, each.trial) for entity, each in mine if each.trial is not None}
    for entity, each in mine:
        trial = each.trial or 1
        while each.trial is None and ((entity, trial) in taken or (entity, trial) in said):
            trial += 1
        if (entity, trial) in taken:
            raise LogError(f"{each.where}: {entity}, trial {trial}, stands in the log twice")
        taken.add((entity, trial))
        found.append(trial)
    return found


def _kept_before(draft: RunSpec, store: Repository) -> RunSpec | None:
    """The run that was made of the same file for the same."""
    ours = {"id", "created_at", "trials"}
    wanted = draft.model_dump(exclude=ours)
    runs = (run for run in store.runs() if run.imported is not None)
    return next((run for run in runs if run.model_dump(exclude=ours) == wanted), None)


def _keep(spec: RunSpec, entity_id: str, trial: int, told: Told, writing: Repository) -> None:
    draft = Trajectory(
        id="",
        run_id=spec.id,
        scenario_id=spec.scenario_id,
        scenario_fingerprint=spec.scenario_fingerprint,
        entity_id=entity_id,
        trial=trial,
        agent=spec.agent,
        reported_model=told.model,
        reported_usage=told.usage,
        preamble=told.preamble,
        started_at=told.started_at,
    )
    mine = writing.start_trajectory(draft).id
    for turn in told.turns:
        writing.add_turn(mine, turn)
    for nudge in told.nudges:
        writing.add_nudge(mine, nudge)
    texts = [*told.insights, *([(None, told.report)] if told.report else [])]
    for number, (turn_number, text) in enumerate(texts, 1):
        is_report = bool(told.report) and number == len(texts)
        insight = Insight(
            id=f"{mine}.i{number}",
            trajectory_id=mine,
            level="trajectory" if is_report else "message",
            turn=None if is_report else turn_number,
            text=text,
            author=told.model or spec.agent,
        )
        writing.add_insight(insight)
    writing.end_trajectory(
        mine,
        told.stop_reason,
        ended_at=max(told.ended_at, told.started_at),
        error=told.error,
    )
