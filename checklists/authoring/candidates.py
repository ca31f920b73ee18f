"""Find candidate facts: ask every template of all entities at once, and rank what stands out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checklists.authoring.asking import Cells, Table, ask, first, over_all
from checklists.authoring.population import Population
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
    table = ask([template], subject, connection)[template.name]
    return among(template, table, over_all([template], subject, connection)[template.name], allowed)


def find_all(
    templates: Sequence[Template],
    subject: Subject,
    needs: Mapping[str, str],
    connection: duckdb.DuckDBPyConnection,
) -> list[Candidate]:
    """Every template's candidates, in the templates' order."""
    fulfil = {
        need: {str(row[0]) for row in connection.execute(sql).fetchall()}
        for need, sql in needs.items()
    }
    tables = ask(templates, subject, connection)
    market = over_all(templates, subject, connection)
    found: list[Candidate] = []
    for template in templates:
        allowed = fulfil[template.needs] if template.needs else None
        found += among(template, tables[template.name], market[template.name], allowed)
    return found


def among(
    template: Template,
    table: Table,
    market: Mapping[str | None, float],
    allowed: Collection[str] | None,
) -> list[Candidate]:
    """The candidates in one template's answers."""
    population = Population(template, table)
    found = []
    for entity_id, cells in table.items():
        group = first(template, cells, template.floor)
        if (allowed is not None and entity_id not in allowed) or group not in cells:
            continue
        value = cells[group].value
        found.append(
            Candidate(
                template=template,
                entity_id=entity_id,
                group=group,
                value=value,
                market=market.get(group),
                standing=population.standing(entity_id, group, value),
                passers=population.passers(entity_id, group, tolerance(template.figure, value)),
                fault=_fault(template, cells, group, market.get(group)),
            )
        )
    return found


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
    return _doubtfulfirst(template, cells, group) if template.per else None


def _doubtfulfirst(template: Template, cells: Cells, group: str | None) -> str | None:
    """Why it is not clear which group stands first."""
    if not template.floor:
        sizes = [size for size in GROUP_SIZES if size <= cells[group].support]
        firsts = {first(template, cells, least) for least in (*sizes, template.min_support)}
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
