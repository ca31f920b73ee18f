"""How facts are worded for the set's cases: the sentences stand in wording.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final, Literal

from core.record import Record

PlaceKind = Literal["weekday", "hour", "month", "day", "agent", "category", "channel"]


class Wording(Record):
    """One kind of fact. {t} is the team, {v} the figure with its unit, {p} where or when, {d} up or
    down.
    """

    sayings: tuple[str, ...]
    """Each states the whole fact."""
    other: str
    """States the same figure of another statistic or measure."""
    topic: str
    """What is asked, for an insight that says nothing of it."""
    decimals: int
    unit: str = ""
    place: PlaceKind | None = None
    ask: str = ""
    """A closed question after the place, or after the direction, alone."""
    halves: tuple[str, str] | None = None
    """The fact in two sentences, neither of which states it all."""
    is_count: bool = False
    """A total, of which a part or a month is another fact in any case."""


@cache
def wordings() -> dict[str, Wording]:
    """By the name of a fact's template."""
    text = Path(__file__).with_name("wording.toml").read_text("utf-8")
    return {name: Wording.model_validate(each) for name, each in tomllib.loads(text).items()}


FILLERS: Final = (
    "The tables were read first: incidents, changes, agents and what is said of them.",
    "Joining incidents to agents by the agent's id loses no row of team {t}.",
    "The time of report is kept to the minute, so that hours and weekdays can be told.",
    "Missing values were counted before anything else was computed for team {t}.",
    "All teams share one set of categories, priorities and channels.",
    "Where a distribution is skewed, a mean alone may mislead.",
)
"""Of any team, and of no fact."""

PERIODS: Final = ("In the last two weeks of the period", "In the first ten days on record")
PARTS: Final = ("Among incidents reported at night", "Among incidents that came from another team")
CHANGE_PARTS: Final = ("Among changes of one single system", "Among changes made in a hurry")
COURSES: Final = ("rises", "falls", "remains almost the same")
