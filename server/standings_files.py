"""What of the leaderboard files decide: checklists and scenarios that are there, and whether any has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from checklists.loader import FOLDER, checklist_ids, load
from core.checklist import Checklist
from core.errors import DdrError
from core.evaluation import Evaluation
from core.run import RunSpec
from core.scenario import Entity
from databases.catalog import open_scenario
from server.settings import Settings
from server.standings_summary import Facts


def facts_of(settings: Settings) -> Facts:
    """The checklists and entities of this home; each is read once."""
    read: dict[str, Checklist | str] = {}
    known: dict[str, Sequence[Entity] | str] = {}

    def facts(spec: RunSpec, evaluation: Evaluation) -> tuple[Checklist, Sequence[Entity]] | str:
        name, scenario = evaluation.checklist_id, spec.scenario_id
        if name not in read:
            read[name] = _checklist(name, settings)
        if scenario not in known:
            known[scenario] = entities_of(scenario, settings)
        checklist, entities = read[name], known[scenario]
        if isinstance(checklist, str):
            return checklist
        if isinstance(entities, str):
            return entities
        if checklist.hash != evaluation.checklist_hash:
            return (
                f"the checklist {name} is no longer the one that {evaluation.id} was judged by; "
                "judge again"
            )
        return checklist, entities

    return facts


def entities_of(scenario_id: str, settings: Settings) -> Sequence[Entity] | str:
    """Or why they are not to be had."""
    try:
        return open_scenario(scenario_id, settings.home).entities()
    except DdrError as exc:
        return str(exc)


def stamp_of(settings: Settings) -> str:
    """Another one once a checklist or a scenario comes, goes or changes: by name, size and time of change."""
    digest = hashlib.sha256()
    for path in _files(settings):
        with suppress(OSError):  # it has just gone
            state = path.stat()
            told = f"{path}\0{state.st_size}\0{state.st_mtime_ns}\n"
            digest.update(told.encode("utf-8", "replace"))
    return digest.hexdigest()


def _checklist(name: str, settings: Settings) -> Checklist | str:
    # By its id alone: an imported record may hold any text, and no path in it is to be followed.
    if name not in checklist_ids(settings.checklists):
        return f"no checklist {name!r} is here"
    try:
        return load(name, settings.checklists)
    except DdrError as exc:
        return str(exc)


def _files(settings: Settings) -> Iterator[Path]:
    for folder in (FOLDER, settings.checklists):
        yield from (path for path in _listed(folder) if path.suffix == ".json")
    for scenario in _listed(settings.home / "scenarios"):
        yield scenario
        yield from _listed(scenario)


def _listed(folder: Path) -> list[Path]:
    """What lies in it, by name; nothing where it is no folder."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
