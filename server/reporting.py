"""Collect a run's records and write its report to a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from analysis.report import render_report
from analysis.report_data import ReportData
from checklists.loader import NoChecklistError, checklist_for, load
from core.checklist import Checklist
from core.contact import Met
from core.errors import StoreError, UsageError
from core.evaluation import Evaluation
from core.run import RunSpec
from core.scenario import Scenario
from core.trajectory import Trajectory
from databases.catalog import open_scenario
from server import proofs
from server.contacts import Contacts
from server.judged import own_evaluations, read
from server.remarks import remarks
from server.settings import Settings
from server.store import Repository
from server.store.attempts import counting


def collect(
    spec: RunSpec,
    store: Repository,
    settings: Settings,
    *,
    checklist: Checklist | None = None,
    now: datetime | None = None,
) -> ReportData:
    """Everything that the report shows: the latest evaluation, or none yet."""
    installed = open_scenario(spec.scenario_id, settings.home)
    entities = installed.entities()
    judged = own_evaluations(store.evaluations(spec.id))
    latest = judged[-1] if judged else None
    facts = checklist or _checklist(spec, latest, settings, installed.scenario)
    found = None
    if latest is not None and latest.checklist_hash == facts.hash:
        found = read(spec, store, facts, entities, latest.id)
    attempts = store.all_attempts(spec.id)
    return ReportData(
        run=spec,
        scenario=installed.scenario,
        entities=entities,
        checklist=facts,
        trajectories=attempts,
        evaluation=found.evaluation if found else None,
        verdicts=found.verdicts if found else (),
        scores=found.scores if found else (),
        reachable=found.reachable if found else None,
        others=found.others if found else {},
        own_words=found.in_own_words if found else (),
        remarks=remarks(found) if found else (),
        contacts=_contacts(spec, store, attempts),
        verification=proofs.kept(settings, facts.hash, spec.scenario_fingerprint),
        gated=found.gated if found else {},
        generated_at=now,
    )


def _contacts(spec: RunSpec, store: Repository, attempts: Sequence[Trajectory]) -> dict[str, Met]:
    if spec.outside is None:
        return {}
    contacts = Contacts(spec, store)
    return {each.id: contacts.of(each) for each in counting(attempts)}


def not_judged(data: ReportData) -> int:
    """How many ended trajectories the report's evaluation has no verdict on: they ended after it."""
    if data.evaluation is None:
        return 0
    judged = {verdict.trajectory_id for verdict in data.verdicts}
    ended = [t for t in counting(data.trajectories) if t.stop_reason is not None]
    return len([t for t in ended if t.id not in judged and data.checklist.of(t.entity_id)])


def write(data: ReportData, path: Path) -> Path:
    """Write the page beside its final name first, so that no reader meets half of it."""
    text = render_report(data)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(text, "utf-8")
        fresh.replace(path)
    except OSError as exc:
        with suppress(OSError):
            fresh.unlink()
        raise StoreError(f"the report cannot be written to {path}: {exc.strerror}") from exc
    return path


def _checklist(
    spec: RunSpec, latest: Evaluation | None, settings: Settings, scenario: Scenario
) -> Checklist:
    """The one that the run was judged by, where it is shipped; else the scenario's; else an empty one."""
    if latest is not None:
        try:
            named = load(latest.checklist_id, settings.checklists)
        except UsageError:  # an id of no file here
            named = None
        if named is not None and named.scenario_id == spec.scenario_id:
            return named
    try:
        return checklist_for(spec.scenario_id, settings.checklists)
    except NoChecklistError:
        if latest is not None:  # it was judged by one that has to be named
            raise
        # What was done can be read all the same.
        return Checklist(
            id="none",
            version="0",
            scenario_id=scenario.id,
            hash="",
            license=scenario.license,
            items=(),
        )
