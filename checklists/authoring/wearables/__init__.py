"""The checklist of the scenario `wearables`: closed items from surveys, and facts that SQL proves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from checklists.authoring import keys
from checklists.authoring.author import Brief, alike
from checklists.authoring.authors import Material, from_templates
from checklists.authoring.book import read_book
from checklists.authoring.template import Key, Subject
from checklists.authoring.wearables.closed import at_most, closed_items
from checklists.canonical import items_hash
from core.checklist import Checklist, ChecklistItem
from core.errors import UnknownNameError
from core.scenario import License

ITEMS: Final = 13
"""SQL-proved facts per participant."""
KINDS: Final = ("closed", "proved", "both")
"""What the option `items` may be."""
_DATED: Final = ("sleep", "steps", "screen", "calls", "bluetooth", "location")
_VERSION: Final = "1"

KEYS: Final[Mapping[str, Key]] = {
    f"{table} {name}": key
    for table in _DATED
    for name, key in (
        ("month", keys.month(f"{table}.day")),
        ("weekday", keys.weekday(f"{table}.day")),
    )
}
"""By the name that a fact's `per` gives."""


BRIEF: Final = Brief(
    subject=Subject(
        scenario_id="wearables", column="participants.participant_id", noun="participant"
    ),
    templates=read_book(Path(__file__).parent, KEYS),
    # All take part for about as long.
    wanted=alike(ITEMS),
    version=_VERSION,
    license=License(name="CC0-1.0", source="facts about generated data"),
)


def written(material: Material) -> Checklist:
    """The checklist of a freshly built database (checklists.authoring.authors.Author).

    Of the owners' data it holds what the surveys say, of a twin the facts that SQL proves; the option
    `items` says otherwise. Raises UnknownNameError where it says anything else.
    """
    twin = bool(material.options["synthetic"])
    kind = str(material.options["items"]) or ("proved" if twin else "closed")
    if kind not in KINDS:
        raise UnknownNameError("kind of items", kind, KINDS)
    items: list[ChecklistItem] = []
    if kind != "closed":
        items += from_templates(BRIEF, material).items
    if kind != "proved":
        most = int(material.options["constructs"])
        items += _closed(material, most)
    # Without an item as well: the checklist of what was built before must not stay.
    items.sort(key=lambda item: item.entity_id)
    return Checklist(
        id=material.scenario_id,
        version=_VERSION,
        scenario_id=material.scenario_id,
        hash=items_hash(tuple(items)),
        scenario_fingerprint=material.fingerprint,
        license=material.license,
        items=tuple(items),
    )


def _closed(material: Material, most: int) -> list[ChecklistItem]:
    """The closed items of every entity; `most` of each, or all where it is 0."""
    found: list[ChecklistItem] = []
    for entity in material.entities:
        documents = material.documents(entity.id)
        mine = list(closed_items(material.scenario_id, entity.id, documents, material.options))
        found += at_most(mine, most) if most else mine
    return found
