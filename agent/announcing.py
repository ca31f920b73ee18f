"""Tell an agent before each of its turns what is left of its limits: only where that was asked for."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from agent.limits import Meter
from core.run import Limits
from core.wording import counted

_WORDING: Final = Path(__file__).parent / "wordings" / "budget.txt"
"""None of the Prompts: a run that is told nothing has the same prompts as ever."""


def has_budget(limits: Limits) -> bool:
    """Whether there is anything to tell."""
    spendable = (limits.max_turns, limits.max_tokens, limits.max_cost_usd, limits.max_seconds)
    return any(limit is not None for limit in spendable)


def announced(meter: Meter) -> str | None:
    """What is left, in a sentence; None where there is nothing to tell."""
    told = list(_parts(meter))
    return _wording().replace("{left}", ", ".join(told)) if told else None


@cache
def _wording() -> str:
    return _WORDING.read_text("utf-8").strip()


def _parts(meter: Meter) -> list[str]:
    left = meter.left()
    parts = []
    if left.turns is not None:
        parts.append(counted(left.turns, "turn"))
    if left.tokens is not None:
        parts.append(f"{counted(left.tokens, 'token')}, where what is sent again counts again")
    if left.cost_usd is not None:
        parts.append(f"${left.cost_usd:.4f}")
    if left.seconds is not None:
        parts.append(f"{left.seconds:.0f} s")
    return parts
