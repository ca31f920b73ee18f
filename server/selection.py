"""Which entities a run explores: 'all', a list, or a seeded sample."""

from __future__ import annotations

import random
from collections.abc import Sequence

from core.errors import UnknownNameError, UsageError


def pick(
    wanted: str | Sequence[str], known: Sequence[str], *, noun: str, seed: int = 0
) -> tuple[str, ...]:
    """The ids, in the scenario's order, each once.

    `wanted` is 'all', 'sample:N', '01,02' or a list of ids. Raises UnknownNameError with the ids
    that exist, UsageError for a sample that cannot be drawn.
    """
    if isinstance(wanted, str):
        if wanted.strip() == "all":
            return tuple(known)
        if wanted.startswith("sample:"):
            return _sample(wanted.removeprefix("sample:"), known, seed)
        wanted = [part.strip() for part in wanted.split(",") if part.strip()]
    chosen = set(wanted)
    for name in wanted:
        if name not in known:
            raise UnknownNameError(noun, name, known)
    if not chosen:
        raise UsageError(f"no {noun} was named: give all, sample:N, or ids: {', '.join(known)}")
    return tuple(name for name in known if name in chosen)


def _sample(count: str, known: Sequence[str], seed: int) -> tuple[str, ...]:
    # Not isdigit: '²' is a digit too, and no number.
    if not count.isdecimal() or len(count) > 9 or not 1 <= int(count) <= len(known):
        raise UsageError(f"sample:{count}: give a number from 1 to {len(known)}")
    drawn = set(random.Random(seed).sample(list(known), int(count)))
    return tuple(name for name in known if name in drawn)
