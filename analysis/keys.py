"""Name the places of a report so that links to them last: 'carrier-03/turn-12/item-delay'."""

from __future__ import annotations

import re

from core.scenario import Scenario
from core.trajectory import Trajectory

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


def slug(text: str) -> str:
    """The text as part of a fragment: safe in a URL, and different for different texts."""
    return _UNSAFE.sub(lambda match: f"~{ord(match.group()):x}~", text)


def entity_key(scenario: Scenario, entity_id: str) -> str:
    """The fragment of an entity, as 'carrier-03'."""
    return f"{slug(scenario.entity_noun)}-{slug(entity_id)}"


def trajectory_key(scenario: Scenario, trajectory: Trajectory) -> str:
    """The fragment of a trajectory; the entity's own for the first trial."""
    own = entity_key(scenario, trajectory.entity_id)
    return own if trajectory.trial == 1 else f"{own}/trial-{trajectory.trial}"


def below(place: str, name: str) -> str:
    """The fragment of something inside a place; on a page of one trajectory its key is ''."""
    return f"{place}/{name}" if place else name


def turn_key(trajectory: str, index: int) -> str:
    """The fragment of a turn."""
    return below(trajectory, f"turn-{index}")


def item_key(trajectory: str, item_id: str) -> str:
    """The fragment of an item beside a trajectory."""
    return below(trajectory, f"item-{slug(item_id)}")


def quote_key(place: str, item_id: str) -> str:
    """The fragment of the passage that decided an item; `place` is a turn's or report's key."""
    return f"{place}/item-{slug(item_id)}"
