"""Ways to put an entity's rows into groups, and how a sentence names a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from agent.profiler.probe import Scene, filled
from agent.profiler.reply import text
from agent.profiler.roles import Column, Role
from agent.profiler.schema import Kind
from agent.profiler.wording import month, weekday


@dataclass(frozen=True)
class Grouping:
    """An expression that puts a row into a group."""

    key: str
    words: str
    """What the groups are: months, scheduled hours."""
    expr: str
    columns: tuple[Column, ...]
    name: Callable[[str], str]
    """The phrase for a group's value: "in July 2019"."""
    weight: float
    """How telling such groups are wont to be."""
    few: bool
    """Whether there are few enough groups for each to be well filled."""
    timed: bool = False
    daily: bool = False

    def where(self, value: Any) -> str | None:
        """The phrase for a group; None where it has no name."""
        shown = text(value)
        return None if shown is None or not shown else self.name(shown)


def groupings(scene: Scene) -> Iterator[Grouping]:
    """By time, then by steps, then by categories; the most telling first."""
    times = [c for c in scene.relation.of_role(Role.TIME) if c.key not in scene.echoes]
    for place, column in enumerate(t for t in times if filled(t)):
        yield from _timed(column, 1.0 if place == 0 else 0.5, alone=len(times) == 1)
    for column in scene.relation.columns:
        if column.key in scene.echoes or not filled(column):
            continue
        if column.role in (Role.STEP, Role.CATEGORY, Role.FLAG):
            yield by_value(column)
        if column.role is Role.CLOCK:
            yield _by_hour(column, f"CAST(floor({column.expr} / 100) AS INTEGER)", 0.4)


def by_value(column: Column) -> Grouping:
    """One group for each value."""
    few = column.figures.distinct <= max(24, min(200, column.figures.rows // 300))
    weight = 0.9 if few else 0.5
    if column.role is Role.STEP:
        weight = 0.9 if 3 <= column.figures.distinct <= 31 else 0.4
    of = f" in {column.of}" if column.joined else ""
    at = "with" if column.joined else "at"

    def name(value: str) -> str:
        if column.role is Role.FLAG:
            return f"where {column.phrase} {'holds' if value == '1' else 'does not hold'}"
        return f"{at} {column.words} {value}{of}"

    return Grouping(
        key=f"{column.alias}.{column.key}",
        words=column.phrase,
        expr=column.expr,
        columns=(column,),
        name=name,
        weight=weight,
        few=few,
    )


def _timed(column: Column, weight: float, *, alone: bool) -> Iterator[Grouping]:
    x = column.expr
    # A second date needs its name beside the month, or two sentences would seem to disagree.
    of = "" if alone or weight == 1.0 else f" of {column.phrase}"

    def make(grain: str, expr: str, name: Callable[[str], str], part: float, few: bool) -> Grouping:
        return Grouping(
            key=f"{column.key} {grain}",
            words=f"{grain}{of}",
            expr=expr,
            columns=(column,),
            name=lambda value: name(value) + of,
            weight=weight * part,
            few=few,
            timed=True,
            daily=grain == "day",
        )

    days = span_days(column)
    if days is None or days > 60:
        yield make("month", f"strftime({x}, '%Y-%m')", lambda v: f"in {month(v)}", 1.0, True)
    if days is None or days > 900:
        yield make("year", f"strftime({x}, '%Y')", lambda v: f"in {v}", 1.0, True)
    yield make("weekday", f"CAST(isodow({x}) AS VARCHAR)", lambda v: f"on {weekday(v)}", 0.8, True)
    if days is None or days <= 4000:
        yield make("day", f"strftime({x}, '%Y-%m-%d')", lambda v: f"on {v}", 0.9, False)
    if column.field.kind is Kind.MOMENT or (column.field.kind is Kind.TEXT and _has_time(column)):
        yield _by_hour(column, f"hour({x})", 0.6 * weight)


def _by_hour(column: Column, expr: str, weight: float) -> Grouping:
    return Grouping(
        key=f"{column.key} hour",
        words=f"hour of {column.phrase}",
        expr=expr,
        columns=(column,),
        name=lambda value: f"at hour {value} of {column.phrase}",
        weight=weight,
        few=True,
    )


def span_days(column: Column) -> int | None:
    """Days from the first to the last date of the whole table; None where they cannot be told."""
    try:
        first = date.fromisoformat((column.figures.low or "")[:10])
        last = date.fromisoformat((column.figures.high or "")[:10])
    except ValueError:
        return None
    return (last - first).days


def _has_time(column: Column) -> bool:
    return any(":" in (value or "") for value in (column.figures.low, column.figures.high))
