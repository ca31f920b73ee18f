"""The kinds of facts that are asked about the teams of the scenario `incidents`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from checklists.authoring import keys
from checklists.authoring.author import Brief, alike
from checklists.authoring.authors import Material, from_templates
from checklists.authoring.book import read_book
from checklists.authoring.template import Key, Subject
from core.checklist import Checklist
from core.scenario import License

ITEMS: Final = 12
"""Per team."""
KEYS: Final[Mapping[str, Key]] = {
    "month": keys.month("incidents.opened_at"),
    "day": keys.day("incidents.opened_at"),
    "weekday": keys.weekday("incidents.opened_at"),
    "hour": keys.hour("incidents.opened_at", "@incidents.opened_at"),
    "agent": keys.named("incidents.agent_id"),
    "category": keys.named("incidents.category_id"),
    "channel": keys.named("incidents.channel"),
}
"""By the name that a fact's `per` gives."""


BRIEF: Final = Brief(
    subject=Subject(scenario_id="incidents", column="incidents.team_id", noun="team"),
    templates=read_book(Path(__file__).parent, KEYS),
    # None is so small that less could be said of it.
    wanted=alike(ITEMS),
    version="1",
    license=License(name="CC0-1.0", source="facts about generated data"),
)


def written(material: Material) -> Checklist:
    """The checklist of a freshly built database (checklists.authoring.authors.Author)."""
    return from_templates(BRIEF, material)
