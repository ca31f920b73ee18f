"""What model calls took together, told apart from what nobody knows of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.trajectory import NO_USAGE, ModelCall, Usage
from core.wording import counted


@dataclass(frozen=True)
class Spending:
    """The sum over some model calls, of any role. Where a call's part is unknown, the sum is a
    lower bound: it is shown as 'at least', or not at all where no part is known."""

    calls: int
    usage: Usage
    """The sum in which one unknown part makes the whole unknown."""
    known: Usage
    """The sum of the parts that are known; None where none is."""
    unpriced: int
    """Calls whose cost is not known."""

    @property
    def cost(self) -> str:
        """'$0.0123', 'at least $0.0123 (2 of 9 calls: no price)', '- (no price)'; '' without calls."""
        if not self.calls:
            return ""
        why = self.usage.cost_reason
        if self.known.cost_usd is None:
            return f"- ({why})" if why else "-"
        dollars = f"${self.known.cost_usd:.4f}"
        if not self.unpriced:
            return dollars
        some = f"{self.unpriced:,} of {counted(self.calls, 'call')}"
        return f"at least {dollars} ({some}: {why or 'unknown'})"

    @property
    def tokens(self) -> str:
        """Tokens in and out: '1,200 / 30', 'at least 900 / -'; '' without calls."""
        if not self.calls:
            return ""
        parts = (self._count("input_tokens"), self._count("output_tokens"))
        return " / ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """For --json: the sum with its nulls, and what is known of it; no usage without calls."""
        return {
            "calls": self.calls,
            "usage": self.usage.model_dump() if self.calls else None,
            "known_cost_usd": self.known.cost_usd,
            "calls_without_cost": self.unpriced,
        }

    def _count(self, name: str) -> str:
        known: int | None = getattr(self.known, name)
        if known is None:
            return "-"
        return f"{known:,}" if getattr(self.usage, name) is not None else f"at least {known:,}"


def spent(calls: Iterable[ModelCall]) -> Spending:
    """What these calls took; those that were recalled took nothing, and are not counted."""
    listed = [call for call in calls if not call.is_recalled]
    usages = [call.usage for call in listed]
    return Spending(
        calls=len(listed),
        usage=sum(usages, NO_USAGE),
        known=_known(usages),
        unpriced=sum(usage.cost_usd is None for usage in usages),
    )


def _known(usages: list[Usage]) -> Usage:
    sums: dict[str, Any] = {}
    for name in Usage.model_fields:
        parts = [part for usage in usages if (part := getattr(usage, name)) is not None]
        if parts and name != "cost_reason":
            sums[name] = sum(parts)
    return Usage(**sums)
