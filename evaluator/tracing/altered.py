"""The same claims with other figures: what an invented number would be found by."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

from evaluator.tracing.claimed import Claimed, Claims

LEAST: Final = 0.05
MOST: Final = 0.5
"""By which share of itself a number is moved, up or down; by its printed unit at least."""


def altered(claims: Claims, seed: str) -> Claims:
    """Each number moved, and printed as finely as before. The same seed gives the same."""
    chance = random.Random(seed)
    return Claims(tuple(_moved(number, chance) for number in claims.numbers), claims.left_out)


def _moved(number: Claimed, chance: random.Random) -> Claimed:
    size = max(abs(number.value) * chance.uniform(LEAST, MOST), number.step)
    steps = max(round(size / number.step), 1)
    up = chance.random() < 0.5 or number.value == 0 or steps * number.step >= abs(number.value)
    by = steps * number.step * (1 if up else -1) * (-1 if number.value < 0 else 1)
    low, high = number.window
    return replace(number, value=number.value + by, window=(low + by, high + by))
