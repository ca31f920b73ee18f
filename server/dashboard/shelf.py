"""Checklists as they are in their files now, parsed once for each time that a file changes."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from checklists.canonical import items_hash
from checklists.loader import FOLDER, load
from core.checklist import Checklist, ChecklistItem
from core.errors import UnknownNameError
from server.settings import Settings

_LONGEST: Final = 200
"""Bytes of a name; file systems refuse to look for much longer ones."""
_MOST: Final = 16
"""Parsed at the same time; the largest that is shipped takes 20 MB of memory."""


def taken(name: str, settings: Settings) -> Checklist:
    """The checklist of that id: of this home, or shipped. Never a file by its path.

    Raises UnknownNameError, ChecklistError.
    """
    if "/" in name or name.startswith(".") or len(name.encode()) > _LONGEST:
        raise UnknownNameError("checklist", name, ())
    for folder in (settings.checklists, FOLDER):
        path = folder / f"{name}.json"
        if path.is_file():
            stat = path.stat()
            return _parsed(path, (stat.st_mtime_ns, stat.st_size, stat.st_ino))
    raise UnknownNameError("checklist", name, ())


def mark(item: ChecklistItem) -> str:
    """What an item looks like to whoever decides on it: a form about another state is refused."""
    return items_hash([item])[:16]


@lru_cache(maxsize=_MOST)
def _parsed(path: Path, _state: tuple[int, int, int]) -> Checklist:
    return load(path)
