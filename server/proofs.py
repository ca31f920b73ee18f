"""Verify a checklist, keep what came of it for reports, and take what no longer holds out of the score."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from checklists.authoring.asked import Book
from checklists.canonical import items_hash
from checklists.proof import Progress, Verification, joined, part, summed_up
from checklists.verify import accepted, outcomes_of
from core.checklist import Checklist, ChecklistItem
from core.errors import StoreError
from databases.catalog import InstalledScenario
from databases.connection import open_readonly
from server.authoring import keep_checklist
from server.settings import Settings


def verified(
    checklist: Checklist, installed: InstalledScenario, *, book: Book | None, progress: Progress
) -> Verification:
    """All checks on each accepted item, on the database that the agents of its entity explore.

    `book` says what all entities have, and so is asked of the whole alone.
    """
    items = accepted(checklist)
    places = installed.databases({item.entity_id for item in items})
    shared: dict[Path, list[ChecklistItem]] = {}
    for item in items:
        shared.setdefault(places[item.entity_id], []).append(item)
    shared = shared or {installed.database_path: []}
    found, done = [], 0
    for place, members in shared.items():
        until = done + len(members)
        told = part(progress, done / max(1, len(items)), until / max(1, len(items)))
        known = book if place == installed.database_path else None
        with open_readonly(place) as connection:
            found.append(outcomes_of(members, connection, book=known, progress=told))
        done = until
    return summed_up(items, joined(found))


def keep(settings: Settings, checklist_hash: str, fingerprint: str, found: Verification) -> None:
    """Keep a proof under the two contents that it is about. Raises StoreError."""
    path = _place(settings, checklist_hash, fingerprint)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fresh.write_text(found.model_dump_json(), "utf-8")
        fresh.replace(path)
    except OSError as exc:
        raise StoreError(f"the proof cannot be kept at {path}: {exc.strerror}") from exc


def no_longer_held(found: Verification) -> frozenset[str]:
    """The items whose own evidence gives another value now: the content has drifted from under them."""
    return frozenset(f.item_id for f in found.failures if f.check == "hold")


def keep_stale(
    settings: Settings, checklist: Checklist, fingerprint: str, stale: frozenset[str]
) -> Path:
    """Keep a copy in this home in which these items are stale, for this content; the place of it.

    A stale item is neither proved nor scored. The copy goes before a shipped checklist of its name.
    """
    items = tuple(
        item.model_copy(update={"status": "stale"}) if item.id in stale else item
        for item in checklist.items
    )
    changed = {
        "items": items,
        "hash": items_hash(items),
        "scenario_fingerprint": fingerprint,
    }
    return keep_checklist(checklist.model_copy(update=changed), settings)


@dataclass(frozen=True)
class Proof:
    """Both halves of a verification, in figures."""

    items: int
    hold: int
    fail_when_perturbed: int


def kept(settings: Settings, checklist_hash: str, fingerprint: str) -> Proof | None:
    """The proof of these two contents; None where there is none that can be read."""
    path = _place(settings, checklist_hash, fingerprint)
    try:
        found = Verification.model_validate_json(path.read_text("utf-8"))
    except (OSError, ValidationError):
        return None
    if found.fail_when_perturbed is None:
        return None
    return Proof(found.items, found.hold, found.fail_when_perturbed)


def _place(settings: Settings, checklist_hash: str, fingerprint: str) -> Path:
    return settings.home / "proofs" / f"{checklist_hash[:16]}-{fingerprint[:16]}.json"
