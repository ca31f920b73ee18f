"""Find candidate facts: ask every template of all entities at once, and rank what stands out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checklists.authoring.template import Figure, Subject, Template

if TYPE_CHECKING:
    import duckdb

REL_TOL = 0.02
"""A claim's figure may be off by this share of the value, or by half the printed unit."""
GROUP_SIZES = (1, 5, 10, 20, 30, 50, 100)
"""A group stands first only if it does so whichever of these sizes a group must have."""
LEAST_PRINTED = 10
"""A figure of fewer half printed units is next to nothing: rounding would eat it."""
LEAST_CORRELATION = 0.1
"""Correlations closer to 0 say little."""


@dataclass(frozen=True)
class Cell:
    """The value of one entity in one group."""

    value: float
    support: int


@dataclass(frozen=True)
class Candidate:
    """A fact that an entity could be asked for, and how good a fact it is."""

    template: Template
    entity_id: str
    group: str | None
    value: float
    market: float | None
    """The same figure over all entities together."""
    standing: float
    """How far the entity stands from the others, in standard deviations across entities."""
    passers: tuple[str, ...]
    """Other entities whose own figure would pass for this one's."""
    fault: str | None
    """Why it is left out; None where it may be chosen."""


def tolerance(figure: Figure, value: float) -> float:
    """How far a claim may be from a value: 2 %, or half the unit in which it is printed.

    Whole counts have no half units: 47 destinations are not 46.
    """
    printed = 0.5 * 10.0**-figure.digits
    counted = figure.digits == 0 and figure.kind in {"count", "extreme"}
    relative = 0.0 if figure.exact else REL_TOL * abs(value)
    return relative if counted else max(relative, printed)


def find(
    template: Template,
    subject: Subject,
    connection: duckdb.DuckDBPyConnection,
    allowed: set[str] | None = None,
) -> list[Candidate]:
    """One candidate per entity that has the figure, by entity; `allowed` = all when None."""
    table = _cells(connection, subject.for_all(template))
    market = _market(connection, subject.over_all(template))
    found = []
    for entity_id, cells in table.items():
        group = _first(template, cells, template.floor)
        if (allowed is not None and entity_id not in allowed) or group not in cells:
            continue
        found.append(
            Candidate(
                template=template,
                entity_id=entity_id,
                group=group,
                value=cells[group].value,
                market=market.get(group),
                standing=_standing(template, table, entity_id, group),
                passers=_passers(template, table, entity_id, group),
                fault=_fault(template, cells, group, market.get(group)),
            )
        )
    return found


Cells = Mapping[str | None, Cell]


def _cells(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, dict[str | None, Cell]]:
    found: dict[str, dict[str | None, Cell]] = {}
    for entity, group, value, support in connection.execute(sql).fetchall():
        if value is None or not math.isfinite(value):
            continue
        name = None if group is None else str(group)
        found.setdefault(entity, {})[name] = Cell(float(value), int(support or 0))
    return found


def _market(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str | None, float]:
    rows = connection.execute(sql).fetchall()
    return {
        None if group is None else str(group): float(value)
        for group, value in rows
        if value is not None
    }


def _first(template: Template, cells: Cells, least: int) -> str | None:
    """The group that stands first among those with at least so many rows."""
    if template.per is None:
        return None
    sign = -1 if template.pick == "max" else 1
    ranked = sorted(
        (sign * cell.value, str(group)) for group, cell in cells.items() if cell.support >= least
    )
    return ranked[0][1] if ranked else None


def _fault(template: Template, cells: Cells, group: str | None, market: float | None) -> str | None:
    """Why a figure makes no good fact, whatever the other entities have."""
    cell, figure = cells[group], template.figure
    reach = tolerance(figure, cell.value)
    if cell.support < template.min_support:
        return f"only {cell.support} rows"
    least = LEAST_CORRELATION if figure.kind == "correlation" else LEAST_PRINTED * reach_of(figure)
    if abs(cell.value) < least or (template.positive and cell.value <= 0):
        return "the figure is next to nothing"
    if (
        "{market}" in template.answer
        and market is not None
        and abs(cell.value - market) <= 2 * reach
    ):
        return "it is true of all entities together"
    return _doubtful_first(template, cells, group) if template.per else None


def _doubtful_first(template: Template, cells: Cells, group: str | None) -> str | None:
    """Why it is not clear which group stands first."""
    if not template.floor:
        sizes = [size for size in GROUP_SIZES if size <= cells[group].support]
        firsts = {_first(template, cells, least) for least in (*sizes, template.min_support)}
        if firsts != {group}:
            return "which group stands first hangs on how small a group may be"
    rivals = [c.value for g, c in cells.items() if g != group and c.support >= template.floor]
    if not rivals:
        return "there is one group only"
    margin = min(abs(cells[group].value - value) for value in rivals)
    if margin <= 2 * tolerance(template.figure, cells[group].value):
        return "the runner-up is within two tolerances"
    return None


def reach_of(figure: Figure) -> float:
    """Half the unit in which a figure is printed."""
    return 0.5 * 10.0**-figure.digits


def _same(
    template: Template,
    table: Mapping[str, Cells],
    entity_id: str,
    group: str | None,
) -> dict[str, float]:
    """The other entities' values in the same group; a share that they lack is 0."""
    found = {}
    for other, cells in table.items():
        if other == entity_id:
            continue
        if cell := cells.get(group):
            found[other] = cell.value
        elif template.figure.statistic == "share":
            found[other] = 0.0
    return found


def _passers(
    template: Template, table: Mapping[str, Cells], entity_id: str, group: str | None
) -> tuple[str, ...]:
    value = table[entity_id][group].value
    reach = tolerance(template.figure, value)
    same = _same(template, table, entity_id, group)
    return tuple(other for other, found in same.items() if abs(found - value) <= reach)


def _standing(
    template: Template, table: Mapping[str, Cells], entity_id: str, group: str | None
) -> float:
    value = table[entity_id][group].value
    others = [
        cells[group].value
        for other, cells in table.items()
        if other != entity_id and group in cells and cells[group].support >= template.min_support
    ]
    if template.figure.statistic == "share" and template.per is not None:
        others = list(_same(template, table, entity_id, group).values())
    if len(others) < 5:
        others = _firsts(template, table, entity_id)
    return _deviations(value, others, template.figure.log)


def _firsts(template: Template, table: Mapping[str, Cells], entity_id: str) -> list[float]:
    found = []
    for other, cells in table.items():
        group = _first(template, cells, template.floor)
        if other != entity_id and group in cells and cells[group].support >= template.min_support:
            found.append(cells[group].value)
    return found


def _deviations(value: float, others: Sequence[float], log: bool) -> float:
    if log and value > 0 and min(others, default=0) > 0:
        value, others = math.log(value), [math.log(other) for other in others]
    if len(others) < 3:
        return 0.0
    spread = statistics.stdev(others)
    return (value - statistics.fmean(others)) / spread if spread else 0.0


def find_all(
    templates: Iterable[Template],
    subject: Subject,
    needs: Mapping[str, str],
    connection: duckdb.DuckDBPyConnection,
) -> list[Candidate]:
    """Every template's candidates, in the templates' order."""
    fulfil = {
        need: {str(row[0]) for row in connection.execute(sql).fetchall()}
        for need, sql in needs.items()
    }
    found: list[Candidate] = []
    for template in templates:
        allowed = fulfil[template.needs] if template.needs else None
        found += find(template, subject, connection, allowed)
    return found
