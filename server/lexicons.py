"""The words of each entity's database, for the audit of a checklist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from checklists.audit.lexicon import Lexicon, read_lexicon
from databases.catalog import InstalledScenario
from databases.connection import open_readonly

Progress = Callable[[str, float], None]


def lexicons_of(
    installed: InstalledScenario, progress: Progress = lambda text, share: None
) -> dict[str, Lexicon]:
    """By entity; entities that share a database share its words. Empty where it is not a built file.

    Raises ScenarioError where the database is not what was built.
    """
    if not installed.is_built() or not installed.manifest.is_filled_here:
        return {}
    installed.check()
    found: dict[str, Lexicon] = {}
    read: dict[str, Lexicon] = {}
    entities = installed.entities()
    for number, entity in enumerate(entities):
        progress("reading the words of the database", number / len(entities))
        place = installed.target_for(entity.id).location
        if place not in read:
            with open_readonly(Path(place)) as connection:
                read[place] = read_lexicon(connection)
        found[entity.id] = read[place]
    return found
