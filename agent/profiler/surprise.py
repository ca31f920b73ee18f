"""How much a figure tells, on one scale: about two where it stands out, ten at most.

The unit is the robust standard deviation among entities where entities are compared, and is
brought to the same scale where an entity is compared with itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from agent.profiler.reply import number, whole

STANDS_OUT = 2.0
CAP = 10.0
_SEVERAL = 5
"""Entities of which a median and its deviation say something."""


def among(own: float, centre: float, spread: float, error: float) -> float:
    """Distance from the entities' median, in robust sd units widened by the own standard error."""
    scale = math.hypot(1.4826 * spread, error)
    distance = abs(own - centre)
    if distance <= 1e-12 * max(abs(own), abs(centre)):
        return 0.0
    return min(CAP, distance / scale) if scale > 0 else CAP


def of_rank(surprise: float, above: int, entities: int) -> float:
    """A rank's part of its level's surprise: a middling one tells little, however far the level is."""
    extreme = min(above, entities - 1 - above)
    return surprise * (0.9 if extreme == 0 else 0.6 if extreme <= 2 else 0.25)


def apart(own: float, rest: float, deviation: float, error: float) -> float:
    """Distance of two means in standard deviations of the values, less what chance allows."""
    if deviation <= 0:
        return 0.0
    return min(CAP, 5 * max(0.0, abs(own - rest) - 2 * error) / deviation)


def level(
    own: float,
    rest: float,
    rows: int,
    deviation: float,
    among_all: Mapping[str, Any],
    *,
    is_share: bool = False,
) -> float:
    """Distance of an entity's mean from the other entities' (entities, centre and spread of a reply's row),
    or from the rest's where they are too few."""
    centre, spread = number(among_all.get("centre")), number(among_all.get("spread"))
    error = deviation / math.sqrt(rows)
    if whole(among_all.get("entities")) < _SEVERAL or centre is None or spread is None:
        return apart(own, rest, deviation, error)
    # Far from the others where the others are close together is still little if it is little.
    matters = 20 * abs(own - rest) / deviation if deviation else 0.0
    if is_share:
        matters = max(matters, 2.5 * abs(math.log2((own + 0.01) / (rest + 0.01))))
    return min(matters, among(own, centre, spread, error))


def swing(high: float, low: float, deviation: float, rows: tuple[float, float]) -> float:
    """Distance of an entity's highest and lowest group."""
    error = deviation * math.sqrt(sum(1 / max(1.0, n) for n in rows))
    return apart(high, low, deviation, error)


def share_swing(high: float, low: float, rows: tuple[float, float]) -> float:
    """Distance of two shares of an entity's own, each taken towards the other by two errors."""
    if high < low:
        high, low, rows = low, high, (rows[1], rows[0])
    near = high - 2 * math.sqrt(max(high * (1 - high), 0.0) / max(1.0, rows[0]))
    far = low + 2 * math.sqrt(max(low * (1 - low), 0.0) / max(1.0, rows[1]))
    if near <= far:
        return 0.0
    return min(CAP, math.log2((near + 0.01) / (far + 0.01)) + 3 * (near - far))


def shares(own: float, rest: float, rows: float) -> float:
    """Two shares of one value: doubling counts one, and so does a third of all rows."""
    noise = 2 * math.sqrt(max(own * (1 - own), 0.0) / max(rows, 1.0))
    near = own - math.copysign(min(noise, abs(own - rest)), own - rest)
    return min(CAP, abs(math.log2((near + 0.01) / (rest + 0.01))) + 3 * abs(near - rest))


def extreme(value: float, middle: float, edge: float) -> float:
    """A highest or lowest value, against how far the 99th (1st) percentile is from the median."""
    reach = abs(edge - middle)
    return min(CAP, math.log2(1 + abs(value - edge) / reach)) if reach > 0 else 1.0


def together(r: float, r_rest: float | None, rows: float) -> float:
    """A correlation: its strength beyond chance, and its difference from the rest's."""
    strength = max(0.0, abs(r) - 2 / math.sqrt(max(rows, 4.0)))
    difference = abs(r - r_rest) if r_rest is not None and strength else 0.0
    return min(CAP, 5 * strength + 8 * difference)


def share_deviation(share: float) -> float:
    """The standard deviation of a yes or no."""
    return math.sqrt(max(share * (1 - share), 1e-4))
