"""Put templates to all entities at once: those that group the same rows alike share a statement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checklists.authoring.template import Subject, Template

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Cell:
    """The value of one entity in one group."""

    value: float
    support: int


Cells = Mapping[str | None, Cell]
"""One entity's cells by group; the only group is None where a template has none."""
Table = Mapping[str, Cells]
"""The cells of all entities."""


def ask(
    templates: Iterable[Template], subject: Subject, connection: duckdb.DuckDBPyConnection
) -> dict[str, Table]:
    """What all entities have, by the template's name. A value that is not finite is none."""
    tables: dict[str, Table] = {}
    for shared in _that_share(templates):
        found: list[dict[str, dict[str | None, Cell]]] = [{} for _ in shared]
        for entity, group, *cells in connection.execute(subject.for_all(*shared)).fetchall():
            name = None if group is None else str(group)
            for number, mine in enumerate(found):
                value, support = cells[2 * number : 2 * number + 2]
                if entity is not None and value is not None and math.isfinite(value):
                    mine.setdefault(str(entity), {})[name] = Cell(float(value), int(support or 0))
        for template, mine in zip(shared, found, strict=True):
            tables[template.name] = mine
    return tables


def over_all(
    templates: Iterable[Template], subject: Subject, connection: duckdb.DuckDBPyConnection
) -> dict[str, dict[str | None, float]]:
    """The same figures over the rows of all entities together, by template and group."""
    found: dict[str, dict[str | None, float]] = {}
    for shared in _that_share(templates):
        for template in shared:
            found[template.name] = {}
        for group, *values in connection.execute(subject.over_all(*shared)).fetchall():
            name = None if group is None else str(group)
            for template, value in zip(shared, values, strict=True):
                if value is not None:
                    found[template.name][name] = float(value)
    return found


def first(template: Template, cells: Cells, least: int) -> str | None:
    """The group that stands first among those with at least so many rows, as the evidence finds it."""
    if template.per is None:
        return None
    sign = -1 if template.pick == "max" else 1
    ranked = [
        (sign * cell.value, str(group)) for group, cell in cells.items() if cell.support >= least
    ]
    return min(ranked)[1] if ranked else None


def _that_share(templates: Iterable[Template]) -> list[Sequence[Template]]:
    """Templates by the rows that they read and how these are grouped: one statement for each."""
    groups: dict[tuple[str, ...], list[Template]] = {}
    for template in templates:
        per = template.per.sql if template.per else ""
        key = (template.ctes, template.relation, template.where, per)
        groups.setdefault(key, []).append(template)
    return list(groups.values())
