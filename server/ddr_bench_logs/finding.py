"""Find the sessions in a folder of logs: one folder per entity, files with a time in their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from core.errors import LogError

KINDS: Final = ("chat_messages", "insights", "message_stats", "session_stats")
_FILE: Final = re.compile(rf"({'|'.join(KINDS)})(?:_(\w+))?\.(csv|json)")
_LOGS: Final = ("chat_messages", "insights", "session_stats")
"""Any of these makes a session; statistics of messages alone tell nothing."""


@dataclass(frozen=True)
class SessionFiles:
    """The files of one session of one entity."""

    entity_id: str
    stamp: str
    """The time in the files' names; empty where they have none."""
    folder: Path
    files: dict[str, Path]
    """By kind."""

    @property
    def name(self) -> str:
        """How it is called in what is told."""
        return f"{self.folder.name} {self.stamp}".strip()


@dataclass(frozen=True)
class Found:
    """What lies in a folder of logs."""

    sessions: tuple[SessionFiles, ...]
    """By entity, the oldest first."""
    strangers: tuple[str, ...]
    """Folders with logs whose names are no entity's of the scenario."""


def find(folder: Path, entity_ids: Collection[str]) -> Found:
    """The sessions below a folder, or in it where it is one entity's own.

    A folder is named after its entity: 'user_INS-W_004', 'company_0000012927', '04'. Raises
    LogError where nothing is found.
    """
    try:
        folders = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    except OSError as exc:
        raise LogError(f"{folder} cannot be read: {exc.strerror}") from exc
    sessions: list[SessionFiles] = []
    strangers: list[str] = []
    for each in folders:
        stamped = _stamped(each)
        if not stamped:
            continue
        entity_id = entity_of(each.resolve().name, entity_ids)
        if entity_id is None:
            strangers.append(each.resolve().name)
            continue
        sessions += (
            SessionFiles(entity_id, stamp, each, files) for stamp, files in sorted(stamped.items())
        )
    if not sessions:
        names = ", ".join(strangers[:5])
        reason = f"; its folders are {names}, none an entity of the scenario" if strangers else ""
        raise LogError(
            f"{folder}: no logs found; the released code writes {', '.join(KINDS)} into a folder "
            f"per entity{reason}"
        )
    return Found(tuple(sorted(sessions, key=lambda s: (s.entity_id, s.stamp))), tuple(strangers))


def entity_of(name: str, entity_ids: Collection[str]) -> str | None:
    """The entity that a folder is named after, with or without a word before it ('company_')."""
    bare = {each.lstrip("0"): each for each in entity_ids if each.isdigit()}
    for told in (name, name.partition("_")[2]):
        if told in entity_ids:
            return told
        if told.isdigit() and told.lstrip("0") in bare:
            return bare[told.lstrip("0")]
    return None


def _stamped(folder: Path) -> dict[str, dict[str, Path]]:
    found: dict[str, dict[str, Path]] = defaultdict(dict)
    try:
        for path in sorted(folder.iterdir()):
            if (match := _FILE.fullmatch(path.name)) and path.is_file():
                found[match[2] or ""][match[1]] = path
    except OSError as exc:
        raise LogError(f"{folder} cannot be read: {exc.strerror}") from exc
    return {stamp: files for stamp, files in found.items() if set(files) & set(_LOGS)}
