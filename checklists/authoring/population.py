"""Where one entity stands among the others, by one template: deviations, and whose figure would pass."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from checklists.authoring.asking import Cells, Table, first
from checklists.authoring.template import Template

_ENOUGH = 5
"""Other entities in the same group; with fewer, entities are compared each in its own first group."""


@dataclass(frozen=True)
class _Others:
    """Values by entity, to be compared with one at a time without that one."""

    values: Mapping[str, float]
    log: bool

    @cached_property
    def _scaled(self) -> tuple[Mapping[str, float], bool]:
        values = self.values
        if self.log and min(values.values(), default=0) > 0:
            return {entity: math.log(value) for entity, value in values.items()}, True
        return values, False

    @cached_property
    def _moments(self) -> tuple[int, float, float]:
        values = self._scaled[0].values()
        mean = math.fsum(values) / len(values)
        return len(values), mean, math.fsum((value - mean) ** 2 for value in values)

    def without(self, entity_id: str) -> int:
        return len(self.values) - (entity_id in self.values)

    def deviations(self, entity_id: str, value: float) -> float:
        """How far the value is from the mean of the others, in their standard deviations."""
        number = self.without(entity_id)
        if number < 3:
            return 0.0
        scaled, is_log = self._scaled
        if is_log and value <= 0:
            return 0.0
        here = math.log(value) if is_log else value
        count, mean, squares = self._moments
        if entity_id in scaled:
            own = scaled[entity_id]
            squares = max(0.0, squares - (own - mean) ** 2 * count / number)
            mean = (count * mean - own) / number
        spread = math.sqrt(squares / (number - 1))
        return (here - mean) / spread if spread > 1e-12 * max(1.0, abs(mean)) else 0.0


class Population:
    """The entities of one template's table."""

    def __init__(self, template: Template, table: Table) -> None:
        self.template = template
        self.table = table
        self._grouped: dict[str | None, dict[str, float]] = {}
        self._supported: dict[str | None, dict[str, float]] = {}
        for entity, cells in table.items():
            for group, cell in cells.items():
                self._grouped.setdefault(group, {})[entity] = cell.value
                if cell.support >= template.min_support:
                    self._supported.setdefault(group, {})[entity] = cell.value
        self._others: dict[str | None, _Others] = {}
        self._ranked: dict[str | None, list[tuple[float, str]]] = {}

    @cached_property
    def _firsts(self) -> _Others:
        """Each entity in the group that stands first with it."""
        found: dict[str, float] = {}
        for entity, cells in self.table.items():
            group = first(self.template, cells, self.template.floor)
            if group in cells and cells[group].support >= self.template.min_support:
                found[entity] = cells[group].value
        return _Others(found, self.template.figure.log)

    @property
    def _share_of_group(self) -> bool:
        """Whether an entity without the group has 0 of it."""
        return self.template.figure.statistic == "share" and self.template.per is not None

    def standing(self, entity_id: str, group: str | None, value: float) -> float:
        """How far a value stands from the other entities', in standard deviations across them."""
        if group not in self._others:
            values = self._supported.get(group, {})
            if self._share_of_group:
                there = self._grouped.get(group, {})
                values = {entity: there.get(entity, 0.0) for entity in self.table}
            self._others[group] = _Others(values, self.template.figure.log)
        others = self._others[group]
        if others.without(entity_id) < _ENOUGH:
            others = self._firsts
        return others.deviations(entity_id, value)

    def passers(self, entity_id: str, group: str | None, reach: float) -> tuple[str, ...]:
        """The other entities whose own figure would pass for this one's, by entity."""
        value = self.table[entity_id][group].value
        if group not in self._ranked:
            there: Iterable[tuple[str, float]] = self._grouped.get(group, {}).items()
            if self.template.figure.statistic == "share":
                mine = self._grouped.get(group, {})
                there = ((entity, mine.get(entity, 0.0)) for entity in self.table)
            self._ranked[group] = sorted((found, entity) for entity, found in there)
        ranked = self._ranked[group]
        low = bisect_left(ranked, (value - reach, ""))
        high = bisect_right(ranked, value + reach, key=lambda pair: pair[0])
        return tuple(sorted(entity for _, entity in ranked[low:high] if entity != entity_id))

    def cells(self, entity_id: str) -> Cells:
        """One entity's own cells; none where it has no figure."""
        return self.table.get(entity_id, {})
