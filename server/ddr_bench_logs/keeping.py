"""Keep the sessions of a folder of logs as one run in the store: all of them, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from core.errors import UsageError
from core.run import Imported, ModelSpec, RunSpec
from core.trajectory import Client, Insight, Preamble, Trajectory
from databases.catalog import InstalledScenario
from server.build import run_id
from server.ddr_bench_logs.calls import Caller, reported
from server.ddr_bench_logs.exploring import Explored, explore
from server.ddr_bench_logs.finding import SessionFiles, find
from server.ddr_bench_logs.messages import Session, read_session
from server.store import Repository

AGENT: Final = "ddr-bench"
"""The name of the agent whose runs these are; nobody can be asked to go on under it."""

Progress = Callable[[str, float], None]


@dataclass(frozen=True)
class Kept:
    """What came of a folder of logs."""

    spec: RunSpec
    sessions: int
    turns: int
    insights: int
    """Message-wise ones with a text."""
    without_insight: int
    """Turns of which the model had nothing to say (NO INSIGHT)."""
    stop_reasons: dict[str, int]
    """Of the last session of each entity, which counts."""
    strangers: tuple[str, ...]
    """Folders that are no entity's."""
    missing: tuple[str, ...]
    """Entities of the scenario without a log; in the run where all were asked for."""
    notes: tuple[str, ...]
    """What logs leave open, with the session's name before it."""

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "run": self.spec.id,
            "scenario": self.spec.scenario_id,
            "entities": len(self.spec.entity_ids),
            "sessions": self.sessions,
            "turns": self.turns,
            "insights": self.insights,
            "without_insight": self.without_insight,
            "stop_reasons": self.stop_reasons,
            "unknown_folders": list(self.strangers),
            "entities_without_log": list(self.missing),
            "notes": list(self.notes),
        }


def keep_logs(
    folder: Path,
    installed: InstalledScenario,
    store: Repository,
    *,
    now: datetime,
    model: ModelSpec | None = None,
    everybody: bool = False,
    mark: str | None = None,
    progress: Progress = lambda text, share: None,
) -> Kept:
    """Make a run of a folder of logs.

    Several sessions of one entity are its attempts, of which the last one counts. `model`: whose
    logs they are, for they do not say. `everybody`: entities without a log belong to the run too,
    and count as never run. `mark`: a sha-256 of the logs, by which their run is found again. Raises LogError, ScenarioError, UsageError; nothing is kept then.
    """
    from providers.catalog import model_name

    installed.check()
    fingerprint = installed.scenario.fingerprint
    if fingerprint is None:
        raise UsageError(f"scenario {installed.scenario.id} is not built")
    known = [entity.id for entity in installed.entities()]
    found = find(folder, set(known))
    caller = Caller(model_name(model) if model else AGENT)
    told: list[tuple[SessionFiles, Session, Explored]] = []
    for number, files in enumerate(found.sessions):
        progress(f"reading {files.name}", 0.5 * number / len(found.sessions))
        session = read_session(files)
        told.append((files, session, explore(session, caller)))
    logged = {files.entity_id for files, _, _ in told}
    spec = RunSpec(
        id=run_id(installed.scenario.id, now, [run.id for run in store.runs()]),
        scenario_id=installed.scenario.id,
        scenario_fingerprint=fingerprint,
        entity_ids=tuple(each for each in known if everybody or each in logged),
        agent=AGENT,
        model=model,
        tools=_hands([explored for _, _, explored in told]),
        sandbox="unknown",
        protocol="ddr",
        imported=Imported(form=AGENT, source=folder.resolve().name, sha256=mark),
        created_at=now,
    )
    with store.together() as writing:
        writing.add_run(spec)
        for number, (_, session, explored) in enumerate(told):
            progress(f"keeping {session.files.name}", 0.5 + 0.5 * number / len(told))
            _keep(spec, session, explored, caller, writing)
    last = {files.entity_id: explored for files, _, explored in told}
    noted = [noted for _, _, explored in told for noted in explored.noted]
    return Kept(
        spec=spec,
        sessions=len(told),
        turns=sum(len(explored.turns) for _, _, explored in told),
        insights=sum(each.text is not None for each in noted),
        without_insight=sum(each.text is None for each in noted),
        stop_reasons=dict(Counter(each.ending.reason.value for each in last.values())),
        strangers=found.strangers,
        missing=tuple(each for each in known if each not in logged),
        notes=tuple(
            f"{files.name}: {note}"
            for files, _, explored in told
            for note in (*explored.notes, *filter(None, [explored.ending.error]))
        ),
    )


def _keep(
    spec: RunSpec, session: Session, explored: Explored, caller: Caller, writing: Repository
) -> None:
    task = session.totals.get("task")
    draft = Trajectory(
        id="",
        run_id=spec.id,
        scenario_id=spec.scenario_id,
        scenario_fingerprint=spec.scenario_fingerprint,
        entity_id=session.files.entity_id,
        model=caller.model if spec.model else None,
        agent=AGENT,
        client=Client(name=AGENT, version=session.files.stamp or "unknown"),
        preamble=Preamble(start_prompt=task) if isinstance(task, str) else None,
        reported_usage=reported(session.totals),
        started_at=explored.started_at,
    )
    mine = writing.start_trajectory(draft).id
    for turn in explored.turns:
        writing.add_turn(mine, turn)
    for nudge in explored.nudges:
        writing.add_nudge(mine, nudge)
    for number, insight in enumerate(_insights(mine, explored, caller), 1):
        writing.add_insight(insight.model_copy(update={"id": f"{mine}.i{number}"}))
    if explored.report_call and not explored.ending.report:
        # What was paid for stays known, though nothing came of it.
        error = explored.ending.error or "an empty report"
        writing.add_failed_call(mine, explored.report_call.model_copy(update={"error": error}))
    writing.end_trajectory(
        mine,
        explored.ending.reason,
        ended_at=explored.ended_at,
        error=explored.ending.error,
        report_forced=explored.ending.forced,
    )


def _insights(trajectory_id: str, explored: Explored, caller: Caller) -> list[Insight]:
    made = [
        Insight(
            id="",
            trajectory_id=trajectory_id,
            level="message",
            turn=noted.turn,
            text=noted.text,
            author=caller.model,
            call=noted.call,
        )
        for noted in explored.noted
    ]
    if explored.ending.report:
        report = Insight(
            id="",
            trajectory_id=trajectory_id,
            level="trajectory",
            text=explored.ending.report,
            author=caller.model,
            call=explored.report_call,
        )
        made.append(report)
    return made


def _hands(told: Sequence[Explored]) -> Literal["sql", "python", "both"]:
    """What the agents had in hand, by what they called."""
    names = {call.name for each in told for turn in each.turns for call in turn.tool_calls}
    python = bool(names & {"execute_code", "list_files", "get_field_description"})
    if python and names & {"execute_query", "get_database_info"}:
        return "both"
    return "python" if python else "sql"
