"""Keep checklists that are not ours beside our own, and never one in the place of another unasked."""

from __future__ import annotations

from pathlib import Path

from checklists.loader import FOLDER, load
from core.checklist import Checklist
from core.errors import ChecklistError, UsageError
from server.authoring import keep_checklist
from server.settings import Settings


def keep_new(checklist: Checklist, settings: Settings, *, replace: bool = False) -> Path:
    """Keep a checklist under its id; the same one again changes nothing.

    Raises UsageError where the id is that of a shipped checklist, or of another one of this home
    and `replace` is not set.
    """
    if (FOLDER / f"{checklist.id}.json").is_file():
        raise UsageError(f"{checklist.id!r} is a shipped checklist; give another id (--id)")
    path = settings.checklists / f"{checklist.id}.json"
    if path.is_file() and not replace:
        try:
            same = load(path) == checklist
        except ChecklistError:
            same = False
        if not same:
            raise UsageError(
                f"there is another checklist {checklist.id!r} here; give another id (--id), "
                "or --replace"
            )
    return keep_checklist(checklist, settings)
