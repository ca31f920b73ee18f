"""Curves as tables for files: points, budgets, fits, areas, what more buys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.curves import Curves
from analysis.discovery import ActivePoint
from analysis.fits import Estimate
from analysis.marginal import PER
from analysis.table import Cell, Table, table
from core.evaluation import CurvePoint

_WHO = ("competitor", "run", "axis", "source")


def tables(found: Sequence[Curves]) -> list[Table]:
    """Each with the competitor, the run, the axis and the source of its usage in front."""
    return [
        table("points", (*_WHO, *_POINT), list(_points(found))),
        table("budgets", (*_WHO, *_POINT, *_ACTIVE), list(_budgets(found))),
        table("fits", (*_WHO, "shape", "figure", "value", "low", "high"), list(_fits(found))),
        table("areas", (*_WHO, "start", "stop", "area", "low", "high"), list(_areas(found))),
        table(
            "marginal",
            (*_WHO, "start", "stop", "new_items", "spent", "value", "value_per"),
            list(_marginal(found)),
        ),
        table(
            "coverage",
            (*_WHO, "entities", "trajectories", "undated_share", "left_out", "reason"),
            list(_coverage(found)),
        ),
    ]


_POINT = ("x", "accuracy", "low", "high", "trajectories")
_ACTIVE = ("active", "hazard", "found_among_active", "active_low", "active_high")


def _who(each: Curves) -> tuple[Cell, ...]:
    return (each.name, each.run_id, each.growth.axis, each.growth.source)


def _point(point: CurvePoint) -> tuple[Cell, ...]:
    return (point.x, point.value, point.low, point.high, point.n)


def _points(found: Sequence[Curves]) -> Iterator[Sequence[Cell]]:
    for each in found:
        for point in each.curve.points:
            yield (*_who(each), *_point(point))


def _budgets(found: Sequence[Curves]) -> Iterator[Sequence[Cell]]:
    for each in found:
        active = {point.x: point for point in each.active}
        for point in each.table.points:
            yield (*_who(each), *_point(point), *_beside(active.get(point.x)))


def _beside(point: ActivePoint | None) -> tuple[Cell, ...]:
    if point is None:
        return (None,) * len(_ACTIVE)
    return (point.active, point.hazard, point.found, point.low, point.high)


def _fits(found: Sequence[Curves]) -> Iterator[Sequence[Cell]]:
    def row(each: Curves, shape: str, figure: str, value: Estimate) -> Sequence[Cell]:
        return (*_who(each), shape, figure, value.value, value.low, value.high)

    for each in found:
        if not isinstance(each.fit, str):
            yield row(each, "logistic", "ceiling", each.fit.ceiling)
            yield row(each, "logistic", "slope", each.fit.slope)
            yield row(each, "logistic", "midpoint", each.fit.midpoint)
        for rival in each.rivals:
            yield row(each, rival.name, "rmse", Estimate(rival.rmse))
            if rival.worse is not None:
                yield row(each, rival.name, "squared_error_beyond_logistic", rival.worse)


def _areas(found: Sequence[Curves]) -> Iterator[Sequence[Cell]]:
    for each in found:
        if (own := each.area) is not None:
            yield (*_who(each), own.start, own.stop, own.value, own.low, own.high)


def _marginal(found: Sequence[Curves]) -> Iterator[Sequence[Cell]]:
    for each in found:
        _, per = PER[each.growth.axis]
        for step in each.marginal:
            yield (*_who(each), step.start, step.stop, step.new, step.spent, step.value, per)


def _coverage(found: Sequence[Curves]) -> Iterator[Sequence[Cell]]:
    for each in found:
        own = each.growth
        known = (len(own.entities), len(own.explorations), own.undated_share)
        for reason, count in own.left_out.items() or [(None, 0)]:
            yield (*_who(each), *known, count, reason)
