"""After a build: author the checklist of a scenario that brings its own facts, and keep it in this home."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from checklists.authoring.authors import Material, checklist_of
from checklists.canonical import to_json
from checklists.loader import load
from core.checklist import Checklist
from core.document import Document
from core.errors import ChecklistError, UsageError
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from databases.documents import Documents
from databases.files import replace_file
from server.settings import Settings

Progress = Callable[[str, float], None]


def author_checklist(
    installed: InstalledScenario, settings: Settings, progress: Progress, *, anew: bool = False
) -> Checklist | None:
    """Author, prove and keep the checklist of a built scenario; None where it brings none.

    One that is kept already and was proved on this content stays, with what people decided on it,
    unless `anew` is said.
    """
    if not installed.manifest.is_filled_here:
        return None  # another engine answers for it, and evidence is proved on DuckDB
    if not anew and (known := _kept(installed, settings)) is not None:
        return known
    kept = Documents(settings.home, installed.scenario.id)

    def documents(entity_id: str) -> tuple[Document, ...]:
        return kept.of(entity_id) if kept.exist() else ()

    section = installed.manifest.build
    with open_readonly(installed.database_path) as connection:
        material = Material(
            scenario_id=installed.scenario.id,
            entities=installed.entities(),
            connection=connection,
            fingerprint=installed.scenario.fingerprint or "",
            documents=documents,
            options=section.options if section else {},
            license=installed.scenario.license,
            progress=progress,
        )
        checklist = checklist_of(installed.base, material)
    if checklist is not None:
        keep_checklist(checklist, settings)
    return checklist


def _kept(installed: InstalledScenario, settings: Settings) -> Checklist | None:
    try:
        known = load(settings.checklists / f"{installed.scenario.id}.json")
    except (ChecklistError, UsageError):  # it cannot be read, or is not there
        return None
    return known if known.scenario_fingerprint == installed.scenario.fingerprint else None


def keep_checklist(checklist: Checklist, settings: Settings) -> Path:
    """Put a checklist among this home's own, where no agent reaches it: mode 0600 in a 0700 folder."""
    folder = settings.checklists
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(to_json(checklist))
        replace_file(fresh, folder / f"{checklist.id}.json")
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    return folder / f"{checklist.id}.json"
