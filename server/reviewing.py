"""Take people's decisions into a checklist of this home, one process at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from checklists.loader import FOLDER, load
from checklists.review.agreement import Agreement, agreement
from checklists.review.deciding import is_in_conflict, reviewed, standing
from checklists.review.sheet import decisions_in
from core.checklist import Checklist, ChecklistItem, Decision
from core.errors import DdrError, UsageError
from core.record import Record
from server.authoring import keep_checklist
from server.settings import Settings
from server.store import RunLock

ID: Final = r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}"
"""Of a checklist of one's own. It names files: no path may be made of it."""


class Standing(Record):
    """How a review stands."""

    statuses: dict[str, int]
    agreement: Agreement
    conflicts: tuple[str, ...]
    """Items that some accept and others reject: they wait, and do not score."""


def standing_of(checklist: Checklist) -> Standing:
    """The statuses, how far people agree, and where they do not."""
    ratings = [{w: d.status for w, d in standing(item).items()} for item in checklist.items]
    return Standing(
        statuses=dict(sorted(Counter(item.status for item in checklist.items).items())),
        agreement=agreement(ratings),
        conflicts=tuple(item.id for item in checklist.items if is_in_conflict(item)),
    )


def checklist_lock(settings: Settings, checklist_id: str) -> RunLock:
    """Held while a checklist of one's own is read and written anew."""
    return RunLock(settings.locks, f"checklist-{checklist_id}")


def take(
    checklist_id: str,
    sheets: Sequence[Path],
    settings: Settings,
    *,
    who: str | None,
    now: datetime,
    new_id: str | None = None,
) -> tuple[Checklist, int]:
    """The checklist with the decisions of these sheets, kept, and how many they were.

    Nothing is kept where one of them is wrong. Raises ChecklistError with file, line and column,
    UsageError where a copy is needed.
    """
    found: list[tuple[str, Decision]] = []

    def decide(mine: Checklist) -> Checklist:
        found.extend(
            decision for sheet in sheets for decision in decisions_in(sheet, mine, who=who, now=now)
        )
        return reviewed(mine, found)

    return change(checklist_id, decide, settings, new_id=new_id), len(found)


def change(
    checklist_id: str,
    made: Callable[[Checklist], Checklist],
    settings: Settings,
    *,
    new_id: str | None = None,
) -> Checklist:
    """Read a checklist of this home, change it and keep it, while nobody else does; as it is now.

    `new_id`: keep a copy of that name instead. Raises UsageError where a copy is needed, StoreError
    where another process is at it, and what `made` raises; nothing is kept then.
    """
    name = new_id or checklist_id
    _refuse_unkeepable(name, checklist_id, new_id, settings)
    with checklist_lock(settings, name):
        mine = made(load(checklist_id, settings.checklists))
        changed = mine.model_copy(update={"id": name})
        keep_checklist(changed, settings)
    return changed


def may_be_changed(checklist_id: str, settings: Settings) -> bool:
    """Whether people decide on it as it is; of any other they decide on a copy."""
    try:
        _refuse_unkeepable(checklist_id, checklist_id, None, settings)
    except DdrError:
        return False
    return True


def chosen(checklist: Checklist, only: str | None) -> tuple[ChecklistItem, ...]:
    """The items for a sheet: all, or those of one status."""
    return tuple(item for item in checklist.items if only is None or item.status == only)


def _refuse_unkeepable(
    name: str, checklist_id: str, new_id: str | None, settings: Settings
) -> None:
    if not re.fullmatch(ID, name):
        raise UsageError(
            f"{name!r} cannot be kept: an id has letters, digits, - and _; give --id NEW"
        )
    if (FOLDER / f"{name}.json").is_file():
        raise UsageError(f"{name!r} is a shipped checklist: decide on a copy of it, by --id NEW")
    place = settings.checklists / f"{name}.json"
    if new_id is not None and new_id != checklist_id and place.exists():
        raise UsageError(f"there is a checklist {new_id!r} here already; give another --id")
    if new_id is None:
        mine = load(checklist_id, settings.checklists)
        if mine.id == mine.scenario_id:
            raise UsageError(
                f"{name!r} is written anew by each build of {mine.scenario_id}, and decisions would be "
                "lost: decide on a copy of it, by --id NEW"
            )
        if mine.id != checklist_id or not place.is_file():
            raise UsageError(
                f"{checklist_id} is no checklist of this home; keep a copy, by --id NEW"
            )
