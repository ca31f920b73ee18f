"""The smallest prefix of a trajectory's message-wise insights that supports an item."""

from __future__ import annotations

from core.record import Record, UtcTime
from core.trajectory import ModelCall


class Sufficiency(Record):
    """Found by judging prefixes again; the verdict that it belongs to stays as it is (DDR-11)."""

    evaluation_id: str
    """Whose verdict said that all insights together support the item."""
    trajectory_id: str
    item_id: str
    turn: int | None
    """The last turn of the prefix; None = a prefix could not be judged, unscored_reason says why."""
    discovered_at: int | None
    """The first supporting turn that the verdict names."""
    judged: int
    """Prefixes that were judged on the way; 0 where only one turn has an insight."""
    unscored_reason: str | None = None
    calls: tuple[ModelCall, ...] = ()
    """What was asked for it; () where no model judges."""
    created_at: UtcTime
