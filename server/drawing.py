"""How many of so many: '30' or '10%', and which."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final, TypeVar

from core.errors import UsageError

T = TypeVar("T")
_SIZE: Final = re.compile(r"(\d{1,9}(?:\.\d+)?)\s*(%?)")


def size_of(asked: str, total: int) -> int:
    """How many of `total` are meant, between 1 and all of them. Raises UsageError."""
    found = _SIZE.fullmatch(asked.strip())
    number = float(found[1]) if found else 0.0
    if found and found[2] and 0 < number <= 100:
        return min(total, max(1, round(total * number / 100)))
    if found and not found[2] and number >= 1 and number.is_integer():
        return min(total, int(number))
    raise UsageError(f"--sample {asked}: give a number (30) or a share (10%)")


def drawn(things: Sequence[T], asked: str | None, *, seed: int) -> list[T]:
    """So many of them, in their own order; the same ones each time. All where nothing is asked."""
    if asked is None:
        return list(things)
    places = random.Random(seed).sample(range(len(things)), size_of(asked, len(things)))
    return [things[place] for place in sorted(places)]
