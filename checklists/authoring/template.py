"""A template: one kind of fact, asked of every entity by one statement, of one by another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.sql import literal

Groups = tuple[tuple[str, ...], ...]
Statistic = Literal["mean", "median", "share", "count", "distinct", "max", "min", "rank"]
Kind = Literal["level", "share", "count", "change", "rank", "correlation", "extreme"]
Comparator = Literal["time", "group", "threshold"]
Pick = Literal["max", "min"]


@dataclass(frozen=True)
class Figure:
    """What is computed, and how it is printed and compared."""

    value: str
    """Aggregate SQL over the relation; {whole} = the window that spans the entity."""
    support: str = "count(*)"
    """How many rows stand behind it."""
    kind: Kind = "level"
    statistic: Statistic | None = None
    unit: str = ""
    digits: int = 1
    exact: bool = False
    """The printed figure itself is asked for: no relative tolerance."""
    signed: bool = False
    """A difference: the claim must say which way."""
    comparator: Comparator | None = None
    log: bool = False
    """A size: entities are compared on a log scale."""


@dataclass(frozen=True)
class Key:
    """What a template groups by, where it looks for an entity's highest or lowest group."""

    sql: str
    words: Callable[[str], str]
    """A group's name in a sentence: 'July 2016', 'A017'."""
    aliases: Callable[[str], tuple[str, ...]]
    """What a claim may call the group."""
    slot: Literal["period", "scope"]


@dataclass(frozen=True)
class Template:
    """One kind of fact. Texts may hold {entity}, {value}, {market}, {group} and {higher}."""

    name: str
    theme: str
    """An entity gets one item per theme: facts of one theme say nearly the same."""
    category: str
    difficulty: Literal["easy", "medium", "hard"]
    figure: Figure
    question: str
    answer: str
    metric: tuple[str, ...]
    disorder: str
    """The perturbation that takes away what the fact rests on."""
    plain: bool = False
    """Within reach of one table or one join and simple statistics."""
    relation: str = ""
    """What stands in FROM; empty = the table of the entity's column."""
    ctes: str = ""
    """Common table expressions that the relation uses, without WITH."""
    where: str = "true"
    min_support: int = 20
    positive: bool = False
    """Only a value above 0 is the fact that the texts speak of."""
    per: Key | None = None
    pick: Pick = "max"
    floor: int = 0
    """Rows that a group must have to be compared; the question says so."""
    scope: Groups = ()
    insight_type: Literal["descriptive", "diagnostic"] = "descriptive"
    needs: str = ""
    """A condition on the entity, by name (aircraft on record, ...)."""


@dataclass(frozen=True)
class Subject:
    """What the entities of a scenario are, in SQL and in words."""

    scenario_id: str
    column: str
    """The entity's id in every template's relation, qualified."""
    noun: str

    @property
    def table(self) -> str:
        """Where the entities' own rows are."""
        return self.column.split(".", maxsplit=1)[0]

    def _relation(self, template: Template) -> str:
        return template.relation or self.table

    def for_all(self, template: Template, *more: Template) -> str:
        """One statement for all entities: entity, group (or NULL), then each one's value and support.

        Those that are asked together must read the same rows and group them alike.
        """
        group = template.per.sql if template.per else "NULL"
        whole = f"PARTITION BY {self.column}"
        asked = ", ".join(
            f"{each.figure.value.format(whole=whole)} AS value{number or ''}, "
            f"{each.figure.support} AS support{number or ''}"
            for number, each in enumerate((template, *more))
        )
        return (
            f"{_with(template.ctes)}SELECT {self.column} AS entity, {group} AS grp, {asked} "
            f"FROM {self._relation(template)} "
            f"WHERE {template.where} GROUP BY entity, grp ORDER BY entity, grp"
        )

    def over_all(self, template: Template, *more: Template) -> str:
        """The same figures over the rows of all entities together: group, then each one's value."""
        group = template.per.sql if template.per else "NULL"
        asked = ", ".join(
            f"{each.figure.value.format(whole='')} AS value{number or ''}"
            for number, each in enumerate((template, *more))
        )
        return (
            f"{_with(template.ctes)}SELECT {group} AS grp, {asked} "
            f"FROM {self._relation(template)} WHERE {template.where} GROUP BY grp ORDER BY grp"
        )

    def for_one(self, template: Template, entity_id: str, group: str | None) -> str:
        """The evidence of one entity: one row with one value.

        Where the fact names a group, the value is 0 if another group stands first: then the
        evidence proves the name and the figure.
        """
        where = f"{self.column} = {literal(entity_id)}"
        if template.where != "true":
            where += f" AND {template.where}"
        value = template.figure.value.format(whole="")
        if template.per is None:
            return (
                f"{_with(template.ctes)}SELECT {value} AS value FROM {self._relation(template)} "
                f"WHERE {where}"
            )
        ctes = f"{template.ctes}, " if template.ctes else ""
        having = f" HAVING {template.figure.support} >= {template.floor}" if template.floor else ""
        order = "DESC" if template.pick == "max" else "ASC"
        return (
            f"WITH {ctes}groups AS (SELECT CAST({template.per.sql} AS VARCHAR) AS grp, "
            f"{value} AS value FROM {self._relation(template)} WHERE {where} GROUP BY grp{having}) "
            f"SELECT CASE WHEN grp = {literal(group or '')} THEN value ELSE 0 END AS value FROM groups "
            f"WHERE value IS NOT NULL ORDER BY groups.value {order}, grp LIMIT 1"
        )


def _with(ctes: str) -> str:
    return f"WITH {ctes} " if ctes else ""
