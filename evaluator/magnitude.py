"""Compare a statement's figure with the fact's: unit, sign, rounding, tolerance."""

from __future__ import annotations

from math import isclose

from evaluator.changes import Change, implied_change, is_difference
from evaluator.facts import Fact
from evaluator.gate import About
from evaluator.reading.figures import Figure, canonical, turned
from evaluator.statistic import Statistics, stands_before_metric

COARSEST = 0.25
"""Half the printed unit counts up to this share of the value: '0.1 million' is no 54,635."""


def magnitude(fact: Fact, about: About, stats: Statistics) -> bool | None:
    """Whether the statement's figure is the fact's; None where it states none of that kind."""
    wanted, figure = fact.magnitude, about.figure
    if wanted is None or figure is None or about.statement.role == "vague":
        return None
    signed = fact.signals.direction is not None and fact.signals.kind in ("change", "correlation")
    if fact.signals.kind == "change" and not is_difference(about, figure):
        return _is_implied(fact, implied_change(fact, about))
    if fact.signals.kind != "change" and is_difference(about, figure):
        return None
    if figure.ordinal != (fact.signals.statistic == "rank"):
        return None
    if figure.year and canonical(wanted.unit) != "":
        return None
    if figure.word and not figure.ordinal and not stands_before_metric(about, figure):
        return None
    stated = _in_units(fact, figure, stats)
    if stated is None:
        return None
    value, scale = stated
    if figure.early:
        value = -abs(value)
    target = wanted.value
    if signed:
        value, target = abs(value), abs(target)
    half = min(figure.step * scale / 2, COARSEST * abs(target))
    allowed = max(wanted.abs_tol, wanted.rel_tol * abs(target), half)
    if about.statement.bound == "over" and value > target + wanted.abs_tol:
        return False
    if about.statement.bound == "under" and value < target - wanted.abs_tol:
        return False
    near = abs(value - target) <= allowed
    return near or isclose(abs(value - target), allowed, rel_tol=1e-9, abs_tol=1e-12)


def _is_implied(fact: Fact, change: Change | None) -> bool | None:
    """Whether a change is the fact's; never False, for the levels may be of something else."""
    wanted = fact.magnitude
    if change is None or wanted is None:
        return None
    half = min(change.step / 2, COARSEST * abs(wanted.value))
    allowed = max(wanted.abs_tol, wanted.rel_tol * abs(wanted.value), half)
    return True if abs(abs(change.value) - abs(wanted.value)) <= allowed else None


def _in_units(fact: Fact, figure: Figure, stats: Statistics) -> tuple[float, float] | None:
    """(the figure in the fact's unit, what one of its units is there); None if they disagree."""
    assert fact.magnitude is not None
    unit = canonical(fact.magnitude.unit)
    if unit == "%" and figure.unit == "":
        if figure.step < 0.05 and 0 < abs(figure.value) <= 1 and "share" in stats.named:
            return figure.value * 100, 100
        return (figure.value, 1) if "share" in stats.named else None
    if unit == "" and figure.unit == "%" and fact.signals.statistic == "share":
        return figure.value / 100, 0.01
    times = figure.unit == "x" and fact.signals.statistic == "count"
    if figure.unit in fact.units or times:
        # 'was admitted 6 times' counts
        return figure.value, 1
    for wanted in fact.units - {""}:
        value = turned(figure.value, figure.unit, wanted)
        if value is not None:
            return value, value / figure.value if figure.value else 1.0
    return None
