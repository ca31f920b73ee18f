"""What the generated incidents are about: names, categories, channels, sites, sentences."""

from __future__ import annotations

from typing import Final

CATEGORIES: Final = {
    "Access": 2, "Applications": 4, "Database": 3, "Email": 2,
    "Hardware": 6, "Network": 3, "Printing": 5, "Telephony": 4,
}  # fmt: skip
"""Name to the time within which an incident should be resolved, days."""
CHANNELS: Final = ("chat", "email", "phone", "portal")
SITES: Final = ("East", "Harbour", "North", "Old Mill", "Riverside", "West")
COVER: Final = ("around the clock", "office hours")
GRADES: Final = ("junior", "senior", "lead")
OUTCOMES: Final = ("successful", "rolled back")
SUMMARIES: Final = (
    "{} does not respond",
    "{} is slow since this morning",
    "{}: error message on start",
    "request about {}",
    "{} stopped after an update",
    "{} works for some users only",
    "{} fails now and then",
    "question about {}",
)
"""What people write when they report; {} is the category in small letters."""
NAMES: Final = (
    "Alder", "Anchor", "Aster", "Beacon", "Birch", "Bluff", "Brook", "Cedar", "Cinder", "Clover",
    "Copper", "Coral", "Crane", "Delta", "Drift", "Ember", "Falcon", "Fern", "Flint", "Gale",
    "Glade", "Granite", "Hazel", "Heath", "Holly", "Indigo", "Iris", "Ivory", "Jasper", "Kestrel",
    "Lagoon", "Lark", "Linden", "Maple", "Marsh", "Meadow", "Merlin", "Moss", "Nettle", "Oak",
    "Onyx", "Orchid", "Osprey", "Pebble", "Pine", "Poplar", "Raven", "Reed", "Ridge", "Robin",
    "Rowan", "Sable", "Sage", "Slate", "Sparrow", "Spruce", "Summit", "Swift", "Teal", "Thorn",
    "Tundra", "Vale", "Willow", "Wren",
)  # fmt: skip
"""Teams are called after these; from the 65th on with a number."""


def team_name(number: int) -> str:
    """The name of the team that is so many places down the shuffled list (from 0)."""
    round_, place = divmod(number, len(NAMES))
    return NAMES[place] if not round_ else f"{NAMES[place]} {round_ + 1}"
