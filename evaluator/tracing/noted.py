"""Numbers of a report that message-wise insights state, which were traced to their own turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from evaluator.tracing.claimed import Claimed
from evaluator.tracing.shown import Index
from evaluator.tracing.tracing import LUCK, Traced


class Noted:
    """What the insights of single turns state for sure: a report that repeats it has it from there."""

    def __init__(self, traced: Iterable[Traced]) -> None:
        """Those that are not sure are passed over."""
        by_unit: dict[str, list[Traced]] = defaultdict(list)
        self._exact: dict[tuple[float, str, float], Traced] = {}
        for each in traced:
            if each.is_sure and each.turn is not None:
                by_unit[each.number.unit].append(each)
                self._exact.setdefault(_key(each.number), each)
        self._near = {
            unit: Index([e.number.value for e in mine], [e.turn or 0 for e in mine])
            for unit, mine in by_unit.items()
        }

    def settle(self, found: Traced) -> Traced:
        """The same, or where its number was noted, if that is surer and no accident."""
        if found.is_sure or found.state == "asked":
            return found
        noted = self._exact.get(_key(found.number))
        if noted is None or noted.turn is None:
            return found
        luck = self._near[found.number.unit].luck(*found.number.window, 1 << 30)
        if luck > LUCK:
            return found
        how = f"noted at turn {noted.turn}: {noted.how}"
        return replace(noted, number=found.number, how=how, luck=luck)


def _key(number: Claimed) -> tuple[float, str, float]:
    return number.value, number.unit, number.step
