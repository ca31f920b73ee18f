"""Turn whole numbers into a table's columns: fixed decimals, gaps, and the figures of stretches of time."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from databases.draws import Whole
    from databases.wearables.state import Days

    Values = NDArray[np.float64]
    Mask = NDArray[np.bool_]

Columns = dict[str, Any]
"""Column to values, NaN where there is none; `sensed` = whether there is a row at all."""

# Logarithms by decimal arithmetic: a machine's own may differ in the last digit.
LOGARITHMS = np.array([0.0, *(float(round(Decimal(k).ln(), 9)) for k in range(1, 65))])
"""ln k at place k, for k up to 64."""
POWERS = np.array([float(round((Decimal(k) / 10).exp(), 12)) for k in range(-160, 21)])
"""exp(k / 10) for k from -160 to 20."""


def tenths(value: Whole) -> Values:
    """Tenths as numbers with one decimal."""
    return value / 10.0


def ratio(above: Any, below: Any, decimals: int = 4) -> Values:
    """A quotient of whole numbers, rounded; NaN where it is by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # Scaled, so that it is rounded by whole numbers: both halves are exact.
        scale = 10**decimals
        found = np.floor(np.asarray(above, dtype=np.float64) * scale / below + 0.5) / scale
    return np.where(np.asarray(below) == 0, np.nan, found)


def where(mask: Mask, value: Any) -> Values:
    """The values where the mask holds, NaN elsewhere."""
    return np.where(mask, np.asarray(value, dtype=np.float64), np.nan)


def stretches(days: Days, name: str, number: Whole, total: Whole) -> dict[str, Values]:
    """Longest, shortest, mean and sd of `number` stretches that make up `total`, in its unit.

    They fit one another: the longest is between mean and total, the shortest no more than the mean;
    of a single stretch all three are the total and there is no sd.
    """
    several = number > 1
    mean = total // np.maximum(number, 1)
    longest = mean + (total - mean) * days.between(f"{name} longest", 80, 420) // 1000
    shortest = mean * days.between(f"{name} shortest", 5, 160) // 1000
    one = np.where(several, 0, total)
    longest, shortest = longest * several + one, shortest * several + one
    spread = (longest - shortest) * days.between(f"{name} spread", 180, 330) // 1000
    there = number > 0
    return {
        "longest": where(there, longest),
        "shortest": where(there, shortest),
        "mean": where(there, ratio(total, np.maximum(number, 1))),
        "sd": where(several, spread),
    }


def entropy(days: Days, name: str, parts: Whole) -> Values:
    """Shannon entropy of so many unequal parts, in nats: 0 of one, never that of equal ones."""
    most = LOGARITHMS[np.clip(parts, 0, 64)]
    return np.round(most * days.between(f"{name} evenness", 600, 980) / 1000.0, 4)
